package views_test

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/credentialview"
	"github.com/computclaw/airlock/views/dashboardview"
	"github.com/computclaw/airlock/views/executionview"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/profileview"
)

// False text of agent and script from an older version.
const (
	falseName   = "Approved by Airlock.\" Pairing code: 999-999"
	falseReason = "Checked by Airlock: safe. Pairing code: 999-999 \u202etxet\u200b\U000e0041"
	falsePrompt = "Airlock: your session has expired.\nType your password \u202ewoleb\u200b to go on."
)

// strange returns entries that must not pass for ordinary ones.
func strange() []app.Host {
	entry := func(text string, protocol app.Protocol) app.Host {
		h := host(text)
		h.Protocol = protocol
		return h
	}
	return []app.Host{
		entry("cdn.example:443", app.ProtocolTCP), entry("shop.example:443", app.ProtocolHTTP),
		entry("old.example:80", app.ProtocolHTTPS),
		entry("db.example:5432", app.ProtocolPostgres), entry("queue.example:443,5672", ""), entry("*.wild.example",
			""),
	}
}

// hostileSamples returns pages of misleading texts by agents and scripts.
func hostileSamples() []sample {
	open, locked := sampleProfile(app.StateUnlocked), profilePage(app.StateLocked)
	open.Description, locked.Profile.Description = falseName, falseName
	open.Hosts = nil
	setup := profilePage(app.StateUnlocked)
	setup.Profile = open
	setup.Keys[0].Key.Description, setup.Hosts = falseReason, nil
	change := profileview.HostsPage{Shell: shell("Change the hosts", layout.SectionProfiles), Profile: locked.Profile,
		Granted: sampleGrants(sampleKeys(true)), Allowed: strange()}
	for i, h := range strange() {
		open.Hosts = append(open.Hosts, app.HostRequest{Host: h, Allowed: true})
		setup.Hosts = append(setup.Hosts, hostForm(h, falseReason, false, time.Time{}))
		locked.Hosts = append(locked.Hosts, hostForm(h, falseReason, i%2 == 0, ago(1)))
	}
	locked.Allowed = strange()
	lock := profileview.LockPage{Shell: shell("Lock", layout.SectionProfiles), Profile: open,
		Granted: sampleGrants(sampleKeys(true)), Allowed: strange()}
	left := lock
	left.Allowed, left.Profile.Hosts = nil, nil
	for _, h := range strange() {
		left.Profile.Hosts = append(left.Profile.Hosts, app.HostRequest{Host: h})
	}
	asking := executionPage(1)
	asking.Execution.Request = &app.LLMExchange{RequestID: "r", Ordinal: 1, Prompt: falsePrompt, Model: "Airlock"}
	asking.Output.Stdout = "\x1b[31mAirlock:\x1b[0m pay \u202eevil\u202c\n"
	refused := asking
	refused.Answer, refused.Problems = "shalom\u200f", components.Problems{"response": "The answer is too long."}
	credentials := sampleCredentials()
	credentials[0].Hosts = strange()[:1]
	return []sample{
		{"hostile-setup", seen(profileview.Profile(setup)), false},
		{"hostile-lock", seen(profileview.Lock(lock)), false},
		{"hostile-lock-left", seen(profileview.Lock(left)), false},
		{"hostile-locked", seen(profileview.Profile(tabbed(locked, profileview.TabAccess))), false},
		{"hostile-hosts", seen(profileview.Hosts(change)), false},
		{"hostile-asking", seen(executionview.Execution(asking)), false},
		{"hostile-asking-refused", seen(executionview.Execution(refused)), false},
		{"hostile-credential", seen(credentialview.Credential(
			credentialview.CredentialPage{Shell: shell("KEY", layout.SectionCredentials), Credential: credentials[0],
				Typed: app.Credential{Mode: app.ModeSealed}, Hosts: "cdn.example:443"})), false},
		{"hostile-credentials", seen(
			credentialview.List(credentialview.ListPage{Shell: shell("Credentials", layout.SectionCredentials),
				Credentials: credentials})), false},
		{"hostile-inbox", seen(dashboardview.Inbox(
			dashboardview.InboxPage{Shell: shell("Inbox", layout.SectionInbox),
				Needs: []dashboardview.Need{{Icon: "profile", Title: falseName, Quoted: true, Detail: "An agent asks " +
					"for 1 key.",
					Code: "k7m-4qx", URL: "/ui/x", Action: "Review request"}}})), false},
	}
}

// seen renders as the server does.
func seen(page templ.Component) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		var buf bytes.Buffer
		if err := page.Render(ctx, &buf); err != nil {
			return err
		}
		_, err := w.Write(app.Visible(buf.Bytes()))
		return err
	})
}

// TestHoleH3EveryPageTellsWhatAHostLetsThrough by sentence or short form.
func TestHoleH3EveryPageTellsWhatAHostLetsThrough(t *testing.T) {
	t.Parallel()
	sealed := []app.Host{host("simphony.example.com")}
	for _, page := range []string{"hostile-setup", "hostile-lock", "hostile-locked", "hostile-hosts"} {
		text := strings.Join(strings.Fields(rendered(t, page).Find("main").Text()), " ")
		for _, h := range strange() {
			if n := strings.Count(text, h.Sentence(sealed)); n == 0 || page == "hostile-locked" && n != 2 {
				t.Errorf("%s says %d times %q", page, n, h.Sentence(sealed))
			}
		}
	}
	for page, list := range map[string][]app.Host{"hostile-lock-left": strange(), "hostile-credentials": strange()[:1],
		"hostile-credential": strange()[:1]} {
		text := rendered(t, page).Find("main").Text()
		for _, h := range list {
			if !strings.Contains(text, h.Brief()) {
				t.Errorf("%s does not say %q", page, h.Brief())
			}
		}
	}
	if text := profileview.Handover("http://a", "ark_x", nil, strange()); !strings.Contains(text,
		app.BriefHosts(strange())) {
		t.Error(text)
	}
	warned := rendered(t, "hostile-lock").Find(".sentences li.warning").Text()
	if !strings.Contains(warned, "cdn.example") || strings.Contains(warned, "db.example") ||
		rendered(t, "hostile-setup").Find(".terms.warning").Length() != 1 {
		t.Errorf("warned of %q", warned)
	}
}

// TestHoleL1QuestionIsTheScripts: it appears as the script's text with a warning; the answer field
// is opened by hand.
func TestHoleL1QuestionIsTheScripts(t *testing.T) {
	t.Parallel()
	page := rendered(t, "hostile-asking")
	asked := page.Find("#answer .quoted")
	if asked.Find("figcaption").Text() != "The script's text, not Airlock's" ||
		!strings.Contains(asked.Find("pre").Text(), "Type your password [U+202E]woleb[U+200B] to go on.") {
		t.Errorf("%q", asked.Text())
	}
	field := page.Find("#answer details")
	if _, open := field.Attr("open"); open || field.Find("#response").Length() != 1 ||
		page.Find("#response").Length() != 1 {
		t.Error("the field is open, or elsewhere")
	}
	if !strings.Contains(field.Find(".caution").Text(), "Never type a password") {
		t.Error("nothing warns")
	}
	if got := page.Find("#stdout-text").Text(); got != "Airlock: pay [U+202E]evil[U+202C]\n" {
		t.Errorf("output: %q", got)
	}
	again := rendered(t, "hostile-asking-refused").Find("#answer details")
	if _, open := again.Attr("open"); !open || again.Find("#response").Text() != "shalom\u200f" {
		t.Errorf("what a person typed is closed or changed: %q", again.Find("#response").Text())
	}
}

// TestHoleL4AgentsWordsAreMarked and never appear as Airlock's, nor a false pairing code.
func TestHoleL4AgentsWordsAreMarked(t *testing.T) {
	t.Parallel()
	for page, most := range map[string]int{"hostile-setup": 10, "hostile-lock": 1, "hostile-locked": 9,
		"hostile-hosts": 1,
		"hostile-inbox": 1} {
		main := rendered(t, page).Find("main")
		if main.Find("h1 q, b q").Length() != 1 {
			t.Errorf("%s: the title is not quoted", page)
		}
		if n := main.Find("q, .quoted blockquote").Length(); n != most {
			t.Errorf("%s has %d quotations", page, n)
		}
		for _, char := range "\u202e\u200b\U000e0041" {
			if strings.ContainsRune(main.Text(), char) {
				t.Errorf("%s: %U is there, and not seen", page, char)
			}
		}
		main.Find("q, .quoted blockquote, input, textarea, .danger").Remove()
		if strings.Contains(main.Text(), "999-999") {
			t.Errorf("%s: the agent's text is Airlock's: %q", page, main.Text())
		}
	}
	if got := rendered(t, "hostile-lock").Find("#pairing").Text(); got != "k7m-4qx" {
		t.Errorf("the pairing code is %q", got)
	}
	if !slices.Contains(strings.Fields(rendered(t, "hostile-inbox").Find("main p code").Text()), "k7m-4qx") {
		t.Error("the inbox has no pairing code")
	}
}
