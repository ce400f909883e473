package web

import (
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/app/redact/patterns"
	"github.com/computclaw/airlock/store"
	"github.com/computclaw/airlock/views/browsertest"
	"github.com/computclaw/airlock/views/paths"
)

// TestFlowAuditFollows: new entries keep typed text and focus.
func TestFlowAuditFollows(t *testing.T) {
	s := newUISite(t)
	b := entered(t, s)
	b.Open(paths.Audit)
	b.Until(`document.getElementById("live")?._htmx?.sse?.reader`)
	b.Type("#subject", "half a na")
	s.credential("FIRST")
	b.Says("#events tbody", "FIRST")
	b.Until(`document.activeElement.id === "subject" && document.activeElement.value === "half a na"`)
	newest := b.Text(`(document.querySelector("#events .copy").focus(), document.activeElement.dataset.copy)`)
	through := b.Text(`document.querySelector("#chain p").innerText`)
	s.credential("SECOND")
	b.Says("#events tbody", "SECOND")
	b.Until(`document.activeElement.dataset.copy === ` + browsertest.Quoted(newest))
	b.Until(`document.querySelector("#chain p").innerText !== ` + browsertest.Quoted(through))
	b.Until(`document.querySelectorAll("#chain").length === 1 &&
		document.querySelector("#subject").value === "half a na"`)
}

// TestFlowSettingsFollow: refreshes keep a typed password and an open list.
func TestFlowSettingsFollow(t *testing.T) {
	rules, err := patterns.New(patterns.Config{Off: []string{"jwt"}})
	if err != nil {
		t.Fatal(err)
	}
	s := newUISite(t, func(c *Config) { c.Rules = rules })
	b := entered(t, s)
	b.Open(paths.Settings)
	b.Until(`document.getElementById("live")?._htmx?.sse?.reader`)
	b.Type("#old", "half a pass")
	s.another().login()
	b.Until(`document.querySelectorAll("#sessions tbody tr").length === 2`)
	b.Until(`document.activeElement.id === "old" && document.activeElement.value === "half a pass"`)
	b.Click(`.tabs a[href="` + paths.SettingsPeople + `"]`)
	b.Says("#people h2", "People")
	_, _, err = s.access.Invitations.Create(t.Context(), s.person, app.RoleOwner)
	s.must(err)
	b.Says("#people tbody", "Invited by test")
	b.Click(`.tabs a[href="` + paths.SettingsInstance + `"]`)
	b.Click("#redaction summary")
	s.must(s.access.Switches.Pause(t.Context(), s.person))
	b.Says("#pause", "Resume executions")
	b.Says(".paused", "Executions are paused by test")
	b.Until(`document.querySelector("#redaction details").open`)
	b.Open(paths.Root)
	s.must(s.access.Switches.Resume(t.Context(), s.person))
	b.Until(`!document.querySelector(".paused")`) // on every page
}

// TestFlowSandboxFollows executions and proofs, and keeps the focus.
func TestFlowSandboxFollows(t *testing.T) {
	s := newUISite(t)
	p := s.locked()
	b := entered(t, s)
	b.Open(paths.Sandbox)
	b.Until(`document.getElementById("live")?._htmx?.sse?.reader`)
	b.Says("#boxes", "0 of 2 at once")
	b.Text(`document.querySelector("#boxes form button").focus()`)
	_, _, err := s.engine.Submitter.Submit(t.Context(),
		executions.Submission{ProfileID: p.ID, Script: "hang", By: app.Actor{Kind: app.ActorAgent}})
	s.must(err)
	b.Says("#boxes", "1 of 2 at once")
	b.Until(`document.activeElement.innerText === "Prove again"`)
	sub := s.server.cfg.Hub.Subscribe("sandbox")
	defer sub.Close()
	s.must(s.engine.Sandboxes.Prove(t.Context(), ""))
	select {
	case <-sub.C():
	default:
		t.Error("a proof is not told to open pages")
	}
}

// TestFlowProfileFollows heartbeat and executions; a running script is no change of the profile.
func TestFlowProfileFollows(t *testing.T) {
	s, p, _, _ := history(t)
	b := entered(t, s)
	b.Open(paths.ProfileURL(p.Handle))
	b.Until(`document.getElementById("live")?._htmx?.sse?.reader &&
		document.querySelectorAll("#beats .beat").length === 2`)
	b.Text(`document.addEventListener("htmx:sse:after:message",
		(e) => { if (e.detail?.message?.event.startsWith("execution")) window.nudged = true; })`)
	s.runs(p, "print x", app.StatusCompleted)
	b.Until(`window.nudged && document.querySelectorAll("#beats").length === 1 &&
		document.querySelectorAll("#beats .beat").length === 3 &&
			document.querySelectorAll("#runs tbody tr").length === 3`)
	if b.Text(`document.querySelector("[data-changed]").hidden`) != "true" {
		t.Error("the page says that the profile changed, because a script ran")
	}
	_, err := s.access.Profiles.Describe(t.Context(), s.person, p.Handle, "Another name")
	s.must(err)
	b.Until(`!document.querySelector("[data-changed]").hidden`)
	b.Open(paths.Profiles)
	b.Until(`document.getElementById("live")?._htmx?.sse?.reader &&
		document.querySelectorAll("#profiles .beat").length === 3`)
	s.runs(p, "print x", app.StatusCompleted)
	b.Until(`document.querySelectorAll("#profiles .beat").length === 4`)
}

// credential stores a plain one.
func (s *uiSite) credential(name string) {
	s.t.Helper()
	_, err := s.access.Credentials.Set(s.t.Context(), s.person,
		credentials.Input{Name: name, Mode: app.ModePlain, Value: app.NewSecret("x")})
	s.must(err)
}

// TestFlowAFirstConnectionThatFailed is retried and refreshes the page.
func TestFlowAFirstConnectionThatFailed(t *testing.T) {
	s := newUISite(t)
	b := entered(t, s)
	b.Open(paths.Inbox)
	const live = `document.getElementById("live")`
	b.Until(live + `?._htmx?.sse?.reader`)
	b.Text(`(() => { const page = ` + live + `, lost = page.cloneNode(); page.replaceWith(lost); return "" })()`)
	b.Until(`!` + live + `._htmx?.sse`)
	s.request([]app.Key{{Name: "ORACLE_PASSWORD"}})
	b.Text(`(dispatchEvent(new Event("online")), "")`)
	b.Says("#inbox", "asks for 1 key")
	b.Until(live + `._htmx.sse.reader`)
}

// TestFlowBackupPageFollowsItsJob to the list with a notice. A writer that holds the database keeps
// it running.
func TestFlowBackupPageFollowsItsJob(t *testing.T) {
	s := newUISite(t)
	s.login()
	s.post(paths.SettingsBackups, "on", "yes", "every", "daily", "keep", "3", "kind", "directory",
		"directory", t.TempDir(), "passphrase", filePassphrase, "again", filePassphrase).leads(paths.SettingsBackups)
	b := entered(t, s)
	b.Open(paths.SettingsData)
	b.Click(`main a[href="` + paths.SettingsBackups + `"]`) // boosted
	b.Heading("Backups")
	held, release, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- s.store.Write(t.Context(), func(*store.Tx) error { close(held); <-release; return nil })
	}()
	<-held
	time.AfterFunc(3*time.Second, func() { close(release) })
	b.Click(`form[action="` + paths.SettingsBackupNow + `"] button`)
	b.Heading("Backing up")
	b.Heading("Backups")
	b.Says(".toast", "The backup was made and verified.")
	b.Says("#made tbody", "Verified")
	if at := b.Text(`location.pathname`); at != paths.SettingsBackups {
		t.Errorf("it leads to %s", at)
	}
	s.must(<-ended)
}
