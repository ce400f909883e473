package web

import (
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/app/retention"
	"github.com/computclaw/airlock/views/paths"
)

func TestUISettingsTellWhatIsKept(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	keeper := retention.New(retention.Config{Store: s.store, Policy: retention.Policy{Days: 30, Count: 2}})
	s.configure(func(c *Config) { c.Retention = keeper })
	s.get(paths.SettingsData).says("#retention",
		"Executions of the last 30 days, of these the newest 2 executions of each profile.").says("#retention",
		"Not yet")
	s.must(keeper.Pass(t.Context()))
	s.get(paths.SettingsData).says("#retention", "Removed 0 executions").says("#retention",
		"New executions are refused").lacks(".disk-full")
}

func (s *uiSite) another() *uiSite {
	s.t.Helper()
	other := *s
	jar, err := cookiejar.New(nil)
	s.must(err)
	client := *s.client
	client.Jar = jar
	other.client = &client
	return &other
}

func TestUIPeople(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	invited := s.submit(s.get(paths.SettingsPeople).want(http.StatusOK), "#people form.foot",
		"").want(http.StatusOK).says("h1",
		"An invitation")
	text := invited.doc.Find("#invitation-text").Text()
	token := text[strings.LastIndex(text, "\n")+1:]
	if !strings.HasPrefix(token, app.AdminPrefix) || !strings.Contains(text, paths.Token) {
		t.Fatalf("the invitation is %q", text)
	}
	s.get(paths.SettingsPeople).says("#people", "Invited by "+uiName)

	bob := s.another()
	login := bob.get(paths.LoginURL(paths.Audit)).want(http.StatusOK).lacks("#token")
	page := bob.get(login.doc.Find(".small a").AttrOr("href", "")).want(http.StatusOK)
	bob.submit(page, "form", "", "token", token).leads(paths.WelcomeURL(paths.Audit))
	welcome := bob.get(paths.WelcomeURL(paths.Audit)).want(http.StatusOK)
	bob.submit(welcome, "form", "", "name", strings.ToUpper(uiName), "password", uiPassword, "password-again",
		uiPassword).want(http.StatusUnprocessableEntity).says("#name-wrong", "Somebody else has this name")
	bob.submit(welcome, "form", "", "name", "Bob", "password", uiPassword, "password-again",
		uiPassword).leads(paths.Audit)
	bob.get(paths.Audit).want(http.StatusOK).says("tbody", "Bob")
	again := s.another()
	again.submit(page, "form", "", "token", token).want(http.StatusUnprocessableEntity)
	again.submit(page, "form", "", "token", uiToken).want(http.StatusUnprocessableEntity).says(".field-error",
		"was used by "+uiName)

	s.get(paths.SettingsPeople).says("#people tbody", "Bob").says("#token-card", "It was used by "+uiName)
	settings := s.get(paths.Settings).says("#sessions tbody", "Bob")
	s.submit(settings, "#sessions tbody form[action*='/sessions/'][action$='/end']:has([aria-label*=Bob])",
		"").leads(paths.Settings)
	bob.get(paths.Root).leads(paths.LoginURL(paths.Root))
	bob.post(paths.Login, "name", "bob", "password", uiPassword).leads(paths.Root)
	s.submit(s.get(paths.Settings), "#sessions form.foot", "all").leads(paths.Settings)
	bob.get(paths.Root).leads(paths.LoginURL(paths.Root))
	ask := s.get(s.get(paths.SettingsPeople).doc.Find("#people tbody a").AttrOr("href", "")).want(http.StatusOK).says(
		"h1", "Remove Bob?")
	s.submit(ask, "main form", "", "typed", "Ada").want(http.StatusUnprocessableEntity).says("#typed-wrong",
		"Type Bob if you mean it.")
	s.get(paths.SettingsPeople).says("#people tbody", "Bob")
	s.submit(ask, "main form", "", "typed", "Bob").leads(paths.SettingsPeople)
	bob.post(paths.Login, "name", "Bob", "password", uiPassword).want(http.StatusUnprocessableEntity).says(".field-error",
		"The name or the password is wrong.")
	s.get(paths.At(paths.SettingsPerson, "nobody")).want(http.StatusNotFound)
	s.post(paths.At(paths.SettingsSession, "nothing")).want(http.StatusNotFound)
}

func TestUIPassword(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	page := s.get(paths.Settings)
	const next = "three blind geese"
	form := "#password-card form"
	s.submit(page, form, "", "old", "wrong", "password", next, "password-again",
		next).want(http.StatusUnprocessableEntity).says("#old-wrong", "That is not your password.")
	s.submit(page, form, "", "old", uiPassword, "password", next, "password-again",
		"x").want(http.StatusUnprocessableEntity).says("#password-again-wrong", "doesn't match")
	s.submit(page, form, "", "old", uiPassword, "password", "password1234", "password-again",
		"password1234").want(http.StatusUnprocessableEntity).says("#password-wrong", "easy to guess")
	s.submit(page, form, "", "old", uiPassword, "password", next, "password-again", next).leads(paths.Settings)
	s.post(paths.Logout).leads(paths.Login)
	s.post(paths.Login, "name", uiName, "password", uiPassword).want(http.StatusUnprocessableEntity)
	s.post(paths.Login, "name", uiName, "password", next).leads(paths.Root)
}

// TestPause: queued scripts wait, running ones continue, and agents are told.
func TestPause(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	p := s.locked()
	running := s.runs(p, "ask Which one?", app.StatusAwaitingLLM)
	s.get(paths.Root).lacks(".paused")
	s.submit(s.get(paths.SettingsInstance), "#pause form", "").leads(paths.SettingsInstance)
	s.get(paths.Root).says(".paused", "Executions are paused by "+uiName)
	if health := s.get("/health").text; !strings.Contains(health, `"paused":true`) {
		t.Errorf("health says %s", health)
	}
	x, _, err := s.engine.Submitter.Submit(t.Context(),
		executions.Submission{ProfileID: p.ID, Script: "print hello", By: app.Actor{Kind: app.ActorAgent}})
	s.must(err)
	if text := s.get("/executions/" + x.ID).text; !strings.Contains(text, `"status":"pending"`) ||
		!strings.Contains(text, `"paused":true`) {
		t.Errorf("the agent is told %s", text)
	}
	s.post(paths.At(paths.ExecutionRespond, running.Handle), "response", "the second", "request_id",
		running.Request.RequestID).leads(paths.ExecutionURL(running.Handle))
	ended, err := s.engine.Reader.Await(t.Context(), running, 20*time.Second)
	s.must(err)
	if ended.Status != app.StatusCompleted {
		t.Errorf("what ran is %s: %s", ended.Status, ended.Error)
	}
	if now, err := s.engine.Reader.ByHandle(t.Context(), x.Handle); err != nil || now.Status != app.StatusPending {
		t.Errorf("what waits is %s, %v", now.Status, err)
	}
	s.submit(s.get(paths.Root), ".paused form", "").want(http.StatusSeeOther)
	if ended, err = s.engine.Reader.Await(t.Context(), x, 20*time.Second); err != nil ||
		ended.Status != app.StatusCompleted {
		t.Errorf("after it: %s, %v", ended.Status, err)
	}
	if text := s.get("/health").text + s.get("/executions/"+x.ID).text; strings.Contains(text, `"paused":true`) {
		t.Errorf("still paused: %s", text)
	}
	s.get(paths.Audit).says("tbody", "Executions paused").says("tbody", "Executions resumed")
}

// TestAFormsAddressLeadsToItsPage, when it is opened by itself.
func TestAFormsAddressLeadsToItsPage(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.get(paths.PasskeyLogin).leads(paths.Login)
	s.login()
	s.get(paths.SettingsTheme).leads(paths.Settings)
	s.get(paths.At(paths.CredentialTest, "A_KEY")).leads(paths.CredentialURL("A_KEY"))
}
