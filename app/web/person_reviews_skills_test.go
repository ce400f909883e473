package web

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/redact/patterns"
	"github.com/computclaw/airlock/app/skills"
	"github.com/computclaw/airlock/app/skills/bundle"
	"github.com/computclaw/airlock/store"
	"github.com/computclaw/airlock/views/paths"
)

func (s *uiSite) sendSkill(p app.Profile, files map[string]string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.web.URL+"/skills",
		strings.NewReader(zipped(s.t, files)))
	s.must(err)
	r.Header.Set("Content-Type", "application/zip")
	r.Header.Set("Authorization", "Bearer "+p.ID)
	s.do(r).want(http.StatusCreated)
}

// keyed is a locked profile with a credential.
func (s *uiSite) keyed() app.Profile {
	s.t.Helper()
	ctx := s.t.Context()
	_, err := s.access.Credentials.Set(ctx, s.person,
		credentials.Input{Name: "API_KEY", Mode: app.ModeInjected, Value: app.NewSecret(uiSecrets()[0])})
	s.must(err)
	p := s.request([]app.Key{{Name: "API_KEY"}})
	_, err = s.access.Keys.Link(ctx, s.person, p.Handle, "API_KEY", "API_KEY")
	s.must(err)
	p, err = s.access.Lifecycle.Lock(ctx, s.person, p.Handle, time.Time{})
	s.must(err)
	return p
}

// TestAPersonReviewsASkill from the Inbox through files, facts and changes to a run.
func TestAPersonReviewsASkill(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	p := s.keyed()
	long := strings.Replace(totals, "\n---\n", "\ntimeout: 20m\n---\n", 1)
	s.sendSkill(p, map[string]string{"SKILL.md": long, "main.py": "set_result(1)", "logo.bin": "\x00\x01",
		"notes.md": "See https://evil.example/x.\n"})
	inbox := s.get(paths.Inbox).says("#inbox", "A skill waits for your review")
	s.get(paths.Skills).says("#skills", "Version 1 waits").says("#skills", "None").says("nav", "Skills")
	link := inbox.doc.Find("#inbox a.button").AttrOr("href", "")
	page := s.get(link).want(http.StatusOK).says("#instructions", "Sums rows").says("#versions", "No runs kept").says("#file-2-text", "set_result(1)").says("#file-0-text", "Sums rows.").
		says("#asked-keys", "API_KEY").says("#files", "Not text").says("#facts", "evil.example").
		says("#asked-limits", "20m0s of run time").says("#missing", "20m0s of run time (runs are ended after").says("#approve", "1 file can't be read").
		says("#profiles", "Monthly revenue report").lacks("#changes")
	resolve := func(want app.Code) {
		t.Helper()
		if _, err := s.engine.Skills.Resolve(t.Context(), p.Handle, "totals"); app.CodeOf(err) != want {
			t.Errorf("resolve: %v, want %q", err, want)
		}
	}
	resolve(app.CodeSkillNotApproved)
	s.submit(page, "#approve form", "", "digest", "sha256:"+strings.Repeat("0", 64)).
		want(http.StatusUnprocessableEntity).says(".errors", "not the files that you looked at")
	resolve(app.CodeSkillNotApproved)
	s.submit(page, "#approve form", "").leads(link)
	if v, err := s.engine.Skills.Resolve(t.Context(), p.Handle, "totals"); err != nil || v.ApprovedBy.Name != uiName {
		t.Fatalf("resolved %+v, %v", v, err)
	}
	s.get(link).says("#versions", "Approved").says("#versions", "by "+uiName).lacks("#approve")
	s.get(paths.Inbox).says("#inbox", "You're all caught up")

	s.sendSkill(p, map[string]string{"SKILL.md": long, "main.py": "set_result(2)", "new.py": "x = 1"})
	second := s.get(paths.SkillURL("totals")).says("h2", "Version 2").says("#diff-0 .removed", "set_result(1)").
		says("#diff-0 .added", "set_result(2)").says("#changes", "new.py: new").says("#changes", "logo.bin: removed")
	s.submit(second, "#revoke form", "", "reason", strings.Repeat("x", 1001)).want(http.StatusUnprocessableEntity).
		says("#reason-wrong", "longer than 1000 bytes")
	s.submit(second, "#revoke form", "", "reason", "It counts twice.").leads(paths.SkillVersionURL("totals", 2))
	s.get(paths.SkillVersionURL("totals", 2)).says("#versions", "Rejected").says("#versions", "It counts twice.")
	s.get(paths.SkillVersionURL("totals", 3)).want(http.StatusNotFound)
	s.get(paths.SkillURL("none")).want(http.StatusNotFound)

	page = s.get(paths.SkillURL("totals"))
	s.submit(page, "#switch form", "off").leads(paths.SkillURL("totals"))
	resolve(app.CodeSkillDisabled)
	s.submit(s.get(paths.SkillURL("totals")), "#switch form", "on").leads(paths.SkillURL("totals"))
	other := s.locked()
	s.submit(s.get(paths.SkillURL("totals")), "#allow", "", "profile", other.Handle).leads(paths.SkillURL("totals"))
	if _, err := s.engine.Skills.Resolve(t.Context(), other.Handle, "totals"); err != nil {
		t.Errorf("a profile that was allowed: %v", err)
	}
	s.post(paths.At(paths.SkillDisallow, "totals"), "profile", p.Handle).leads(paths.SkillURL("totals"))
	resolve(app.CodeSkillNotFound)
	ask := s.get(paths.At(paths.SkillDelete, "totals")).says("main button", "Delete totals")
	s.submit(ask, "main form", "", "typed", "total").want(http.StatusUnprocessableEntity)
	s.submit(ask, "main form", "", "typed", "totals").leads(paths.Skills)
	s.get(paths.Skills).says("#skills", "No skills yet")
}

// TestSecretsInASkillAreMaskedOnItsPage in files, changes, facts and descriptions.
func TestSecretsInASkillAreMaskedOnItsPage(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	p, secret := s.keyed(), uiSecrets()[0]
	s.sendSkill(p, map[string]string{"SKILL.md": totals, "main.py": "key = 1\n"})
	page := s.get(paths.SkillURL("totals"))
	s.submit(page, "#approve form", "")
	said := strings.Replace(totals, "Sums rows", "Sums "+secret, 1)
	said = strings.Replace(said, "metadata:", "metadata:\n  airlock.version: v"+secret, 1)
	content := zipped(t, map[string]string{"SKILL.md": said,
		"main.py": "key = '" + secret + "'\n", "requirements.txt": "pkg @ https://x:" + secret + "@files.example/pkg\n",
		secret + ".py": "pass\n"})
	b, err := bundle.ReadZip(strings.NewReader(content), int64(len(content)))
	s.must(err)
	_, err = s.engine.Skills.Upload(t.Context(), app.Actor{Kind: app.ActorAgent, Name: p.Handle}, b)
	s.must(err)
	page = s.get(paths.SkillURL("totals")).want(http.StatusOK).says("#changes", "main.py: changed").silent(secret)
	for _, place := range []string{"#description", "#files", "#diff-1 .added", "#facts", "#changes"} {
		page.says(place, "[REDACTED")
	}
	v, err := s.engine.Skills.Get(t.Context(), "totals")
	s.must(err)
	_, err = s.engine.Skills.Approve(t.Context(), s.person, "totals", 2, v.Versions[0].Digest)
	s.must(err)
	s.get(paths.Skills).says("#skills", "Version 2 approved").silent(secret)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.web.URL+"/skills", http.NoBody)
	s.must(err)
	r.Header.Set("Authorization", "Bearer "+p.ID)
	if text := s.do(r).want(http.StatusOK).silent(secret).text; !strings.Contains(text, `"label":"v[REDACTED`) {
		t.Errorf("the agent reads %s", text)
	}
}

// TestNobodyApprovesASkillThatThePageCanNotMask with an old or forged form.
func TestNobodyApprovesASkillThatThePageCanNotMask(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	p := s.keyed()
	s.sendSkill(p, map[string]string{"main.py": "set_result(1)",
		"SKILL.md": strings.Replace(totals, "metadata:", "metadata:\n  airlock.version: v9.8.7", 1)})
	page := s.get(paths.SkillURL("totals")).says("#approve", "Approve version 1").says("#versions", "v9.8.7")
	s.must(s.store.Write(t.Context(), func(tx *store.Tx) error {
		c, err := tx.Credentials.ByName(t.Context(), "API_KEY")
		if err != nil {
			return err
		}
		seen := c.UpdatedAt
		c.Source, c.Reference, c.UpdatedAt = app.SourceVault, "secret/data/app#key", seen.Add(time.Second)
		return tx.Credentials.Update(t.Context(), c, seen)
	}))
	s.get(paths.SkillURL("totals")).says("#hidden", "not shown yet").lacks("#approve").silent("v9.8.7")
	s.submit(page, "#approve form", "").want(http.StatusUnprocessableEntity).says(".errors", "can't be shown yet")
	if _, err := s.engine.Skills.Resolve(t.Context(), p.Handle, "totals"); app.CodeOf(err) != app.CodeSkillNotApproved {
		t.Errorf("resolve: %v", err)
	}
}

// TestAPersonUploadsASkill for review; a bad file is explained.
func TestAPersonUploadsASkill(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	s.upload(paths.Skills, "file", "no zip").want(http.StatusUnprocessableEntity).says("#file-wrong", "readable zip file")
	s.post(paths.Skills).want(http.StatusUnprocessableEntity).says("#file-wrong", "without a file")
	s.upload(paths.Skills, "file", strings.Repeat("x", 10<<20+1)).want(http.StatusUnprocessableEntity).
		says("#file-wrong", "more than 10 MiB")
	content := zipped(t, map[string]string{"SKILL.md": totals, "main.py": "set_result(1)"})
	s.upload(paths.Skills, "file", content).leads(paths.SkillVersionURL("totals", 1))
	list, err := s.engine.Skills.ListWaiting(t.Context())
	s.must(err)
	if len(list) != 1 || list[0].State != skills.Quarantined || list[0].By.Name != uiName {
		t.Errorf("waiting: %+v", list)
	}
	if events, err := s.access.Audit.Latest(t.Context(), 1); err != nil || events[0].Action != "skill.upload" {
		t.Errorf("audited %+v, %v", events, err)
	}
	s.get(paths.SkillURL("totals")).says("main", "by "+uiName).says("#profiles", "No profile may run it.")
}

// TestAFolderHasAtMostAsMuchAsAZipFile in contents and names together.
func TestAFolderHasAtMostAsMuchAsAZipFile(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	send := func(n, size int) *uiAnswer {
		t.Helper()
		var body bytes.Buffer
		w := multipart.NewWriter(&body)
		for i := range n {
			part, err := w.CreateFormFile("file", fmt.Sprintf("totals/%d.txt", i))
			s.must(err)
			_, err = part.Write(make([]byte, size))
			s.must(err)
		}
		return s.sendForm(paths.Skills, w, &body).want(http.StatusUnprocessableEntity)
	}
	send(3, 4<<20).says("#file-wrong", "more than 10 MiB")
	send(100_000, 0).says("#file-wrong", "more than 10 MiB")
	send(1001, 0).says("#file-wrong", "more than 1000 files")
	send(2, 1).says("#file-wrong", "SKILL.md")
}

// TestViewersReadSkillsAndDecideNothing: no forms, and the routes refuse them.
func TestViewersReadSkillsAndDecideNothing(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	p := s.locked()
	s.sendSkill(p, map[string]string{"SKILL.md": totals, "main.py": "set_result(1)"})
	viewer := s.as(app.RoleViewer)
	viewer.get(paths.SkillURL("totals")).want(http.StatusOK).says("#file-1-text", "set_result(1)").
		lacks("main form[method=post]")
	viewer.get(paths.Skills).want(http.StatusOK).lacks("main form[method=post]")
	list, err := s.engine.Skills.ListWaiting(t.Context())
	s.must(err)
	for _, path := range []string{paths.SkillApprove, paths.SkillRevoke, paths.SkillSwitch, paths.SkillAllow, paths.SkillDelete} {
		form := url.Values{"version": {"1"}, "digest": {list[0].Digest}, "to": {"off"}, "typed": {"totals"}}
		if got := viewer.status(http.MethodPost, paths.At(path, "totals"), form); got != http.StatusForbidden {
			t.Errorf("%s: %d", path, got)
		}
	}
	viewer.upload(paths.Skills, "file", "x").want(http.StatusForbidden)
	if after, err := s.engine.Skills.Get(t.Context(), "totals"); err != nil || after.Versions[0].State != skills.Quarantined {
		t.Errorf("%+v, %v", after, err)
	}
}

// TestHoleMaskedSkillIsNotApproved: a person must see what runs. Secrets in a manifest are masked.
func TestHoleMaskedSkillIsNotApproved(t *testing.T) {
	s := newUISite(t, func(c *Config) {
		set, err := patterns.New(patterns.Config{})
		if err != nil {
			t.Fatal(err)
		}
		c.Rules = set
	})
	s.login()
	p := s.keyed()
	s.sendSkill(p, map[string]string{"SKILL.md": totals, "main.py": "dry = True\nsample = \"\"\"\n-----BEGIN PRIVATE KEY-----\n" +
		"MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n\"\"\"\ndry = False\nsample += \"\"\"\n-----END PRIVATE KEY-----\"\"\"\n"})
	page := s.get(paths.SkillURL("totals")).want(http.StatusOK)
	if page.doc.Find("#approve form").Length() != 0 || !strings.Contains(page.doc.Find("#approve").Text(), "main.py") {
		t.Errorf("the page offers: %s", page.doc.Find("#approve").Text())
	}
	v, err := s.engine.Skills.Resolve(t.Context(), p.Handle, "totals")
	if err == nil {
		t.Errorf("it is %s", v.State)
	}
	list, err := s.engine.Skills.List(t.Context())
	s.must(err)
	digest := list[0].Versions[0].Digest
	s.post(paths.At(paths.SkillApprove, "totals"), "version", "1", "digest", digest).want(http.StatusUnprocessableEntity)
	if v, err := s.engine.Skills.Resolve(t.Context(), p.Handle, "totals"); err == nil {
		t.Errorf("approved without the page: it is %s", v.State)
	}
	value := uiSecrets()[0]
	s.sendSkill(p, map[string]string{"SKILL.md": "---\nname: second\ndescription: A test.\nmetadata:\n  airlock.image: reg/" + value +
		"\n  airlock.hosts: " + "x.example.com\n---\n", "main.py": "x = 1\n"})
	if text := s.get(paths.SkillURL("second")).want(http.StatusOK).doc.Text(); strings.Contains(text, value) {
		t.Error("the page shows a secret of the manifest")
	}
}

// TestHoleDecoysHideTheEntrypoint: earlier names can't use up the page's room for text.
func TestHoleDecoysHideTheEntrypoint(t *testing.T) {
	s := newUISite(t)
	s.login()
	p := s.keyed()
	files := map[string]string{"SKILL.md": totals, "main.py": "print('what runs')\n"}
	for n := range 16 { // some sum fills any room left
		files[fmt.Sprintf("%02d.txt", n)] = strings.Repeat("#\n", 1<<(17-n))
	}
	s.sendSkill(p, files)
	text := s.get(paths.SkillURL("totals")).want(http.StatusOK).doc.Text()
	if !strings.Contains(text, "print('what runs')") {
		t.Error("the page doesn't show what runs")
	}
}
