package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/ui/uix"
)

// TestNoAgentSeesHowTheServerDoes: on all routes, only the admin token opens metrics and pprof.
func TestNoAgentSeesHowTheServerDoes(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	unlocked, err := s.access.Profiles.Create(t.Context(), app.Actor{Kind: app.ActorAgent}, "unlocked")
	s.must(err)
	locked, err := s.access.Profiles.Create(t.Context(), s.person, "locked")
	s.must(err)
	locked, err = s.access.Lifecycle.Lock(t.Context(), s.person, locked.Handle, locked.UpdatedAt)
	s.must(err)
	tokens := map[string]string{"none": "", "unlocked": unlocked.ID, "locked": locked.ID, "unknown": app.NewProfileID(),
		"execution": app.NewExecutionID(), "wrong": app.NewAdminToken().Reveal(), "short": "x"}
	e := s.server.Handler().(*echo.Echo)
	guarded := map[string]bool{}
	for _, r := range s.server.monitorRoutes() {
		guarded[r.Method+" "+r.Path] = true
	}
	ask := func(method, path string, headers map[string]string, cookies ...*http.Cookie) *httptest.ResponseRecorder {
		q := httptest.NewRequestWithContext(t.Context(), method,
			"http://airlock.test"+strings.ReplaceAll(path, ":name", "heap"), nil)
		for name, value := range headers {
			q.Header.Set(name, value)
		}
		for _, c := range cookies {
			q.AddCookie(c)
		}
		w := httptest.NewRecorder()
		e.ServeHTTP(w, q)
		return w
	}
	seen := 0
	for _, r := range e.Routes() {
		about := strings.Contains(r.Path, "metrics") || strings.Contains(r.Path, "debug") || strings.Contains(r.Path,
			"pprof")
		if about != guarded[r.Method+" "+r.Path] {
			t.Errorf("%s %s: guarded %v", r.Method, r.Path, !about)
		}
		if !about {
			continue
		}
		seen++
		for kind, token := range tokens {
			for _, header := range []string{"Bearer " + token, "bearer " + token, token, "Basic " + token} {
				w := ask(r.Method, r.Path, map[string]string{"Authorization": header})
				if w.Code != http.StatusUnauthorized && w.Code != http.StatusTooManyRequests ||
					!strings.Contains(w.Body.String(), `"hint"`) {
					t.Errorf("%s %s with %s as %q: %d %.100s", r.Method, r.Path, kind, strings.SplitN(header, " ",
						2)[0], w.Code,
						w.Body)
				}
			}
			if w := ask(r.Method, r.Path, nil,
				&http.Cookie{Name: uix.SessionCookie, Value: token}); w.Code != http.StatusUnauthorized {
				t.Errorf("%s %s with %s as a cookie: %d", r.Method, r.Path, kind, w.Code)
			}
		}
	}
	if seen != len(guarded) {
		t.Errorf("%d of %d guarded routes are there", seen, len(guarded))
	}
	for _, path := range []string{"/debug/vars", "/debug/pprof/cmdline", "/ui/metrics"} {
		if w := ask("GET", path, map[string]string{"Authorization": "Bearer " + locked.ID}); w.Code == http.StatusOK {
			t.Errorf("%s answers", path)
		}
	}
}

// TestTheAdminTokenOpensTheMetrics even when spent, until it is replaced.
func TestTheAdminTokenOpensTheMetrics(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	with := func(path, token string) *httptest.ResponseRecorder {
		q := httptest.NewRequestWithContext(t.Context(), "GET", "http://airlock.test"+path, nil)
		q.Header.Set("Authorization", "Bearer "+token)
		w := httptest.NewRecorder()
		s.server.Handler().ServeHTTP(w, q)
		return w
	}
	for range 3 { // the first person has spent it
		if a := with("/metrics", uiToken); a.Code != http.StatusOK ||
			!strings.Contains(a.Body.String(), "airlock_sandbox_ready 1") {
			t.Fatalf("%d %s", a.Code, a.Body)
		}
	}
	for _, path := range []string{"/debug/pprof/", "/debug/pprof/heap", "/debug/pprof/goroutine"} {
		if a := with(path, uiToken); a.Code != http.StatusOK {
			t.Errorf("%s: %d", path, a.Code)
		}
	}
	next, err := s.access.AdminToken.Renew(t.Context(), s.person)
	s.must(err)
	if a := with("/metrics", uiToken); a.Code != http.StatusUnauthorized {
		t.Errorf("the old token: %d", a.Code)
	}
	if a := with("/metrics", next.Reveal()); a.Code != http.StatusOK {
		t.Errorf("the new token: %d", a.Code)
	}
}

func TestMetricsCountOpenApprovals(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	p := s.keyed()
	for i := range 3 {
		s.sendSkill(p, map[string]string{"SKILL.md": totals, "main.py": fmt.Sprintf("set_result(%d)", i)})
	}
	v, err := s.engine.Skills.Get(t.Context(), "totals")
	s.must(err)
	_, err = s.engine.Skills.Approve(t.Context(), s.person, "totals", 1, v.Versions[2].Digest)
	s.must(err)
	s.request(nil)
	_, err = s.access.Hosts.Propose(t.Context(), app.Actor{Kind: app.ActorAgent, Name: p.Handle}, p.Handle,
		[]app.Host{{Name: "a.test", Ports: []int{443}}})
	s.must(err)
	q := httptest.NewRequestWithContext(t.Context(), "GET", "http://airlock.test/metrics", nil)
	q.Header.Set("Authorization", "Bearer "+uiToken)
	w := httptest.NewRecorder()
	s.server.Handler().ServeHTTP(w, q)
	for kind, n := range map[string]int{"script": 0, "skill": 2, "profile": 1, "host": 1} {
		if line := fmt.Sprintf("airlock_approvals_open{kind=%q} %d\n", kind, n); !strings.Contains(w.Body.String(), line) {
			t.Errorf("no %s in\n%s", line, w.Body)
		}
	}
}

// TestNoLabelIsChosenByACaller: arbitrary paths, methods and hosts make no new series.
func TestNoLabelIsChosenByACaller(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, path := range []string{"/planted-path-1", "/executions/exec_planted", "/ui/planted",
		"/profiles/ark_planted/keys/planted"} {
		for _, method := range []string{"GET", "PLANTED", "DELETE"} {
			w.call(method, path, "")
		}
	}
	r := httptest.NewRecorder()
	w.web.Metrics().ServeHTTP(r, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	text := r.Body.String()
	if !strings.Contains(text, "airlock_http_requests_total") || strings.Contains(strings.ToLower(text), "planted") {
		t.Errorf("metrics: %s", text)
	}
}
