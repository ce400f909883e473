package web

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/sandbox"
	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/fake"
	"github.com/computclaw/airlock/views/paths"
)

func broken(t *testing.T, name string) sandbox.BackendConfig {
	b := fake.New(t, fake.Hang())
	b.SetReport(plugins.Report{Name: name, Tier: plugins.TierNone, Reason: "the secret path /srv/x is missing",
		Controls: []plugins.Control{{Name: "boxes can be opened", Detail: "refused",
			Fix: "sysctl -w user.max_user_namespaces=10000"}, {Name: "signals", NotApplicable: true}}})
	return sandbox.BackendConfig{Name: name, Backend: b}
}

// Without a backend the server tells agents the next step and people the reason.
func TestServerWithoutSandbox(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ *Config, _ *access.Config, e *engine.Config) {
		e.Sandboxes = []sandbox.BackendConfig{broken(t, "first"), broken(t, "second")}
	})
	p := w.lockedProfile()
	w.refused(w.call("POST", "/execute", `{"profile_id":"`+p.ID+`","script":"1"}`), http.StatusServiceUnavailable,
		app.CodeSandboxUnavailable)
	a := w.call("GET", "/health", "")
	if a.status != 200 || a.json["status"] != "ok" || a.json["sandbox"].(map[string]any)["ready"] != false ||
		strings.Contains(a.text, "/srv/x") {
		t.Errorf("health: %s", a.text)
	}
	if a := w.call("GET", "/packages", ""); a.status != 200 || len(a.json["runtimes"].([]any)) != 0 {
		t.Errorf("packages: %s", a.text)
	}
}

func TestRerunByAgent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.lockedProfile()
	id := w.execution(p)
	w.refused(w.call("POST", "/executions/"+id+"/rerun", ""), http.StatusConflict, app.CodeConflict)
	if a := w.call("POST", "/executions/"+id+"/cancel", ""); a.status != 200 {
		t.Fatal(a.text)
	}
	w.refused(w.call("POST", "/executions/"+id+"/rerun", `{"lively":true}`), http.StatusBadRequest,
		app.CodeUnknownField)
	a := w.call("POST", "/executions/"+id+"/rerun", `{"live":true}`, bearerOf(p))
	again, _ := a.json["execution_id"].(string)
	if a.status != http.StatusAccepted || again == id || !app.IsExecutionID(again) {
		t.Fatalf("%d %s", a.status, a.text)
	}
	a = w.call("POST", "/executions/"+again+"/cancel", "")
	repeat, _ := a.json["rerun"].(map[string]any)
	if repeat["of"] != id || repeat["same_result"] != nil {
		t.Errorf("rerun: %s", a.text)
	}
	other := w.lockedProfile()
	w.refused(w.call("POST", "/executions/"+id+"/rerun", "", bearerOf(other)), http.StatusNotFound, app.CodeNotFound)
}

func TestSandboxPageAndPlacement(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	page := s.get(paths.Sandbox).want(http.StatusOK).says(".state", "Ready")
	before := s.engine.Health().Backends[0]
	time.Sleep(2 * time.Millisecond) // the page's times are milliseconds
	s.submit(page, "form[action$='/prove']", "").leads(paths.Sandbox)
	after := s.engine.Health().Backends[0]
	if !after.Proved.After(before.Proved) || !after.InUse {
		t.Errorf("proved at %v, before at %v", after.Proved, before.Proved)
	}
	s.get(paths.Sandbox).says(".notice[role=status]", "The sandbox was proved again.")

	p := s.locked()
	at := paths.ProfileURL(p.Handle) + "?tab=settings"
	form := s.get(at).want(http.StatusOK).says("#edit label[for=backend]", "Sandbox backend")
	s.submit(form, "#edit form[action$='/edit']", "", "backend", after.Name, "min_tier", "full").leads(at)
	now, err := s.access.Profiles.ByHandle(t.Context(), p.Handle)
	s.must(err)
	if now.Placement != (app.Placement{Backend: after.Name, MinTier: "full"}) || now.Policy != p.Policy+1 {
		t.Errorf("placement %+v, policy %d after %d", now.Placement, now.Policy, p.Policy)
	}
	s.post(paths.At(paths.ProfileEdit, p.Handle), "name", "x", "backend", "nonesuch").want(http.StatusUnprocessableEntity).says("#backend-wrong", "There is no such backend here")
}

// TestFreshBoxesAreAChoice where a template exists, and for profiles that require them.
func TestFreshBoxesAreAChoice(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	p := s.locked()
	at := paths.ProfileURL(p.Handle) + "?tab=settings"
	s.get(at).want(http.StatusOK).lacks("#fresh")
	report := s.engine.Health().Backends[0].Report
	report.Templates = true
	s.backend.SetReport(report)
	s.must(s.engine.Sandboxes.Prove(t.Context(), ""))
	s.submit(s.get(at), "#edit form[action$='/edit']", "", "fresh", "fresh").leads(at)
	s.get(at).says("#fresh option[selected]", "Fresh")
	s.get(paths.ProfileURL(p.Handle)+"?tab=access").says(".sentences", "Its scripts run in fresh boxes, or not at all.")
	now, err := s.access.Profiles.ByHandle(t.Context(), p.Handle)
	s.must(err)
	if now.Placement != (app.Placement{Fresh: true}) || now.Policy != p.Policy+1 {
		t.Errorf("placement %+v, policy %d after %d", now.Placement, now.Policy, p.Policy)
	}
}

// TestLockSaysWhereScriptsRun as part of the grant.
func TestLockSaysWhereScriptsRun(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	p, err := s.access.Profiles.Create(t.Context(), s.person, "placed")
	s.must(err)
	s.get(paths.At(paths.ProfileLock, p.Handle)).want(http.StatusOK).says(".sentences", "any sandbox of this instance")
	_, err = s.access.Placements.Set(t.Context(), s.person, p.Handle, app.Placement{Backend: "bubblewrap",
		MinTier: "full"})
	s.must(err)
	s.get(paths.At(paths.ProfileLock, p.Handle)).want(http.StatusOK).says(".sentences",
		"with the backend bubblewrap, with isolation full at least, or not at all")
}
