package web

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/dotenv"
	"github.com/computclaw/airlock/views/browsertest"
	"github.com/computclaw/airlock/views/paths"
)

// upload sends a form with a file as browsers do.
func (s *uiSite) upload(path, field, content string, fields ...string) *uiAnswer {
	s.t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for i := 0; i < len(fields); i += 2 {
		s.must(w.WriteField(fields[i], fields[i+1]))
	}
	part, err := w.CreateFormFile(field, "a.file")
	s.must(err)
	_, err = part.Write([]byte(content))
	s.must(err)
	return s.sendForm(path, w, &body)
}

func (s *uiSite) sendForm(path string, w *multipart.Writer, body *bytes.Buffer) *uiAnswer {
	s.t.Helper()
	s.must(w.Close())
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.web.URL+path, body)
	s.must(err)
	r.Header.Set("Content-Type", w.FormDataContentType())
	return s.do(r)
}

func (s *uiSite) value(name string) string {
	s.t.Helper()
	p := s.request([]app.Key{{Name: name}})
	p, err := s.access.Keys.Link(s.t.Context(), s.person, p.Handle, name, name)
	s.must(err)
	p, err = s.access.Lifecycle.Lock(s.t.Context(), s.person, p.Handle, p.UpdatedAt)
	s.must(err)
	policy, err := s.access.Binder.Policy(s.t.Context(), p.Handle, p.Policy)
	s.must(err)
	values, err := s.access.Resolver.Resolve(s.t.Context(), p.Handle, policy)
	s.must(err)
	return values[0].Secret.Reveal()
}

func TestUIPaste(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	_, err := s.access.Credentials.Set(t.Context(), s.person,
		credentials.Input{Name: "KNOWN", Description: new("kept"), Mode: app.ModeInjected,
			Value: app.NewSecret("the value before")})
	s.must(err)
	page := s.get(paths.CredentialPaste).want(http.StatusOK)
	s.submit(page, "main form", "", "text",
		"OK=1\nnonsense planted-s3cr3t-alpha\nBAD-NAME=1").want(http.StatusUnprocessableEntity).says(".errors",
		"Line 2: This is not NAME=value.").says(".errors", "Line 3: What stands before the = can't be a name")
	s.submit(page, "main form", "", "text", "# nothing").want(http.StatusUnprocessableEntity).says("#text-wrong",
		"no NAME=value")
	// Readable lines are kept.
	s.submit(page, "main form", "", "text", "OK=1\nBAD-NAME=1").want(http.StatusUnprocessableEntity).says(".errors",
		"Nothing was saved: 1 line can't be read.").says(".errors p", "Go on without them: 1 variable could be read.")
	s.get(paths.CredentialPreview).want(http.StatusOK).says("[aria-label=OK]", "1 byte").lacks("[aria-label=BAD-NAME]")
	s.submit(s.get(paths.CredentialPreview), "main form", "discard").leads(paths.Credentials)
	s.get(paths.CredentialPreview).leads(paths.CredentialPaste)

	const pem = "-----BEGIN PRIVATE KEY-----\nplanted-s3cr3t-beta\n-----END PRIVATE KEY-----\n"
	text := "STRIPE_URL=https://api.stripe.com/v1\nexport STRIPE_KEY='planted-s3cr3t-alpha' # " +
		"comment\nKNOWN=planted-s3cr3t-beta-new\nPEM=\"" + pem + "\"\nEMPTY=\nWEAK=password1\n"
	s.submit(page, "main form", "", "text", text).leads(paths.CredentialPreview)
	preview := s.get(paths.CredentialPreview).want(http.StatusOK).says(".head .lead",
		"6 variables to decide about").
		says("[aria-label=KNOWN] .chip", "exists").says("[aria-label=PEM]",
		"74 bytes in 3 lines").says("[aria-label=EMPTY]",
		"empty").says("[aria-label=WEAK] .caution", "many use as a password")
	for selector, want := range map[string]string{
		"[name='mode.STRIPE_URL'][checked]": "plain", "[name='mode.STRIPE_KEY'][checked]": "sealed",
		"[name='action.KNOWN'] option[selected]": "skip", "[name='mode.PEM'][checked]": "sealed",
	} {
		if got := preview.doc.Find(selector).AttrOr("value", ""); got != want {
			t.Errorf("%s is %q, want %q", selector, got, want)
		}
	}
	if got := preview.doc.Find("[name='hosts.STRIPE_KEY']").AttrOr("value", ""); got != "api.stripe.com" {
		t.Errorf("the host beside the key is not suggested, but %q", got)
	}
	if strings.Contains(preview.text, "the value before") || strings.Contains(preview.text, "password1") ||
		strings.Contains(preview.text, "/v1") {
		t.Error("the preview shows a value")
	}
	other := s.another()
	other.login()
	other.get(paths.CredentialPreview).leads(paths.CredentialPaste) // another session

	mixed := s.submit(preview, "main form", "store", "action.KNOWN", "overwrite", "action.WEAK",
		"skip").want(http.StatusUnprocessableEntity)
	mixed.says(".errors", "1 field needs attention; the rest was saved.").says("#hosts\\.PEM-wrong",
		"at least one host").lacks("[aria-label=STRIPE_KEY]").says(".head .lead", "1 variable to decide about")
	s.submit(mixed, "main form", "store", "mode.PEM", "injected").leads(paths.Credentials)
	s.get(paths.Credentials).says(".notice[role=status]", "were saved").says("tbody", "STRIPE_KEY").says("tbody", "PEM")
	s.get(paths.CredentialPreview).leads(paths.CredentialPaste)
	list, err := s.access.Credentials.List(t.Context())
	s.must(err)
	if len(list) != 4 || list[0].Name != "KNOWN" || list[0].Description != "kept" || list[0].Mode != app.ModeInjected ||
		list[0].Version != 2 {
		t.Errorf("stored %+v", list)
	}
	if got := s.value("PEM"); got != pem {
		t.Errorf("the key is %q", got)
	}
	s.submit(page, "main form", "", "text", "X=planted-s3cr3t-alpha").leads(paths.CredentialPreview)
	s.submit(s.get(paths.CredentialPreview), "main form", "discard").leads(paths.Credentials)
	s.get(paths.CredentialPreview).leads(paths.CredentialPaste)
	s.upload(paths.CredentialPaste, "file", "X=1").leads(paths.CredentialPreview)
	s.upload(paths.CredentialPaste, "file", "X=1", "text", "Y=1").want(http.StatusUnprocessableEntity).
		says("#file-wrong", "not both")
	s.upload(paths.CredentialPaste, "file",
		strings.Repeat("#", dotenv.MaxText+1)).want(http.StatusUnprocessableEntity).says("#file-wrong", "longer than")
}

// TestUIPasteSuggests hosts and modes by name.
func TestUIPasteSuggests(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	text := "GITHUB_TOKEN=planted-s3cr3t-alpha\nDB_PASSWORD=planted-s3cr3t-beta\nDATABASE_URL=postgres://app:planted-s3cr3t-beta@db/x\n" +
		"ONE_KEY=planted-s3cr3t-alpha-1\nTWO_KEY=planted-s3cr3t-alpha-2\n"
	s.submit(s.get(paths.CredentialPaste), "main form", "", "text", text).leads(paths.CredentialPreview)
	preview := s.get(paths.CredentialPreview).want(http.StatusOK).says("[aria-label=DB_PASSWORD] .if-injected",
		"A malicious script could send it to any allowed host.")
	for selector, want := range map[string]string{
		"[name='mode.GITHUB_TOKEN'][checked]": "sealed", "[name='mode.DB_PASSWORD'][checked]": "injected",
		"[name='mode.DATABASE_URL'][checked]": "injected", "[name='mode.ONE_KEY'][checked]": "sealed",
		"[name='hosts.GITHUB_TOKEN']": "api.github.com", "[name='hosts.ONE_KEY']": "",
	} {
		if got := preview.doc.Find(selector).AttrOr("value", "none"); got != want {
			t.Errorf("%s is %q, want %q", selector, got, want)
		}
	}
	again := s.submit(preview, "main form", "store", "hosts.ONE_KEY", "not a host/", "hosts.TWO_KEY", "b.example.com").
		want(http.StatusUnprocessableEntity)
	if got := again.doc.Find("[name='hosts.ONE_KEY']").AttrOr("value", ""); got != "not a host/" {
		t.Errorf("what was typed became %q", got)
	}
	s.submit(again, "main form", "store", "hosts.ONE_KEY", "a.example.com b.example.com:8443").leads(paths.Credentials)
	for name, want := range map[string]string{"GITHUB_TOKEN": "api.github.com", "ONE_KEY": "a.example.com, b.example.com:8443",
		"TWO_KEY": "b.example.com", "DB_PASSWORD": ""} {
		c, err := s.access.Credentials.ByName(t.Context(), name)
		s.must(err)
		if got := app.BriefHosts(c.Hosts); got != want {
			t.Errorf("%s belongs to %q, want %q", name, got, want)
		}
	}
}

// TestUIPasteKeepsTheText and selects the unreadable line.
func TestUIPasteKeepsTheText(t *testing.T) {
	s := newUISite(t)
	b := browsertest.New(t, s.web.URL)
	b.Expect("422")
	s.loginIn(b)
	const text = "A=planted-s3cr3t-alpha\nnonsense here\nB=2"
	b.Open(paths.CredentialPaste)
	b.Text(`document.querySelector("#text").value = ` + browsertest.Quoted(text))
	b.Click(".foot .primary")
	b.Says(".errors", "Line 2: This is not NAME=value.")
	b.Until(`document.querySelector("#text").value === ` + browsertest.Quoted(text))
	b.Until(`((e) => e.value.slice(e.selectionStart, e.selectionEnd) === "nonsense here")(document.activeElement)`)
	b.Click(".show-values")
	picture(b, "paste-refused")
	b.Until(`getComputedStyle(document.querySelector("#text")).webkitTextSecurity === "none"`)
	b.Text(`document.querySelector("#text").value = ` + browsertest.Quoted("A=planted-s3cr3t-alpha\nB=2"))
	b.Click(".foot .primary")
	b.Heading("Review pasted values")
	picture(b, "paste-preview")
	b.Size(390, 844)
	picture(b, "paste-preview-390")
}

func TestUIValueFromAFile(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	const key = "-----BEGIN OPENSSH PRIVATE KEY-----\nplanted-s3cr3t-alpha\n-----END OPENSSH PRIVATE KEY-----\n"
	s.upload(paths.CredentialNew, "file", key, "name", "SSH_KEY", "mode", "injected", "service",
		"The build host").leads(paths.Credentials)
	if got := s.value("SSH_KEY"); got != key {
		t.Errorf("stored %q", got)
	}
	s.get(paths.Credentials).says("tbody", "The build host")
	if got := s.get(paths.CredentialURL("SSH_KEY")).doc.Find("#service").AttrOr("value", ""); got != "The build host" {
		t.Errorf("service %q", got)
	}
	s.upload(paths.CredentialURL("SSH_KEY"), "file", key, "value", "planted-s3cr3t-beta", "mode",
		"injected").want(http.StatusUnprocessableEntity).says("#file-wrong", "only one")
	s.upload(paths.CredentialURL("SSH_KEY"), "file", strings.Repeat("x", app.MaxValue+1), "mode",
		"injected").want(http.StatusUnprocessableEntity).says("#file-wrong", "longer than")
	s.upload(paths.CredentialURL("SSH_KEY"), "file", "\xff\xfebinary", "mode",
		"injected").want(http.StatusUnprocessableEntity).says("#value-wrong", "not valid UTF-8")
	s.post(paths.CredentialURL("SSH_KEY"), "value", "password1", "mode", "injected", "service",
		"").leads(paths.Credentials)
	s.get(paths.Credentials).says(".notice[role=status]", "Its value is short or easy to guess").says("tbody .wide", "")
}
