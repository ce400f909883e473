package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/guest/guesttest"
	"github.com/computclaw/airlock/app/sandbox"
	"github.com/computclaw/airlock/app/shares"
	"github.com/computclaw/airlock/app/web/api"
	"github.com/computclaw/airlock/plugins/fake"
)

func TestProfileFlow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.call("POST", "/profiles", `{"description":"Oracle reporting — read only"}`)
	id, _ := a.json["profile_id"].(string)
	if a.status != http.StatusCreated || !app.IsProfileID(id) || a.json["description"] != "Oracle reporting — "+
		"read only" ||
		a.json["locked"] != false {
		t.Fatalf("%d %s", a.status, a.text)
	}
	if diff := cmp.Diff([]any{}, a.json["keys"]); diff != "" {
		t.Errorf("keys: %s", diff)
	}
	setup, _ := a.json["setup_url"].(string)
	if !strings.HasPrefix(setup, w.server.URL+"/ui/profiles/") || strings.Contains(setup, id) ||
		len(a.json["pairing_code"].(string)) != 7 {
		t.Errorf("setup_url %q, pairing_code %v", setup, a.json["pairing_code"])
	}
	a = w.call("POST", "/profiles/"+id+"/keys",
		`{"keys":[{"name":"SIMPHONY_API_KEY","description":"Simphony REST API key","mode":"injected","hosts":["api.example.com"]},{"name":"DB_HOST"}]}`)
	keys := a.json["keys"].([]any)
	want := map[string]any{"name": "SIMPHONY_API_KEY", "description": "Simphony REST API key", "value_exists": false,
		"mode": "injected", "hosts": []any{"api.example.com"}}
	if diff := cmp.Diff(want, keys[0]); a.status != 200 || diff != "" {
		t.Errorf("%d %s", a.status, diff)
	}
	a = w.call("DELETE", "/profiles/"+id+"/keys/DB_HOST", "")
	if a.status != 200 || len(a.json["keys"].([]any)) != 1 {
		t.Errorf("delete: %d %s", a.status, a.text)
	}
	a = w.call("POST", "/profiles/self/hosts",
		`{"hosts":["API.example.com.",{"host":"db.example.com:5432","protocol":"postgres","reason":"rows"},{"host":"a.example","ports":[8443,443]}]}`, "Authorization: Bearer "+id)
	hosts := []any{
		map[string]any{"host": "api.example.com", "ports": []any{80.0, 443.0}, "allowed": false},
		map[string]any{"host": "db.example.com", "ports": []any{5432.0}, "protocol": "postgres", "reason": "rows",
			"allowed": false},
		map[string]any{"host": "a.example", "ports": []any{443.0, 8443.0}, "allowed": false},
	}
	if diff := cmp.Diff(hosts, a.json["hosts"]); a.status != 200 || diff != "" {
		t.Errorf("hosts: %d %s", a.status, diff)
	}
}

// Until a person links a key, a name in the store must look like an unknown one.
func TestProfileLearnsNothingAboutTheStore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.lockedProfile() // the store has API_KEY now
	p := w.profile()
	a := w.call("POST", "/profiles/"+p.ID+"/keys", `{"keys":[{"name":"API_KEY"},{"name":"OTHER_KEY"}]}`)
	keys := a.json["keys"].([]any)
	have, other := keys[0].(map[string]any), keys[1].(map[string]any)
	have["name"], other["name"] = "", ""
	if diff := cmp.Diff(have, other); diff != "" {
		t.Errorf("they differ: %s", diff)
	}
}

func TestWaitingForTheLock(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.profile()
	answers := make(chan answer, 1)
	go func() { answers <- w.call("GET", "/profiles/"+p.ID+"?wait=30", "") }()
	w.untilHeld(1)
	_, err := w.access.Lifecycle.Lock(t.Context(), person, p.Handle, time.Time{})
	w.must(err)
	select {
	case a := <-answers:
		if a.json["locked"] != true {
			t.Errorf("it returned with %s", a.text)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the lock did not end the wait")
	}
	start := time.Now()
	if a := w.call("GET", "/profiles/"+p.ID+"?wait=30", ""); a.status != 200 || time.Since(start) > 29*time.Second {
		t.Error("it waits though nothing is left to decide")
	}
}

func (w *world) untilHeld(n int) {
	w.t.Helper()
	for deadline := time.Now().Add(10 * time.Second); w.web.cfg.Waits.Taken() != n; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			w.t.Fatalf("%d long polls are held, want %d", w.web.cfg.Waits.Taken(), n)
		}
	}
}

// TestLongPollsAreShared: neither a profile nor strangers take the long polls of others.
func TestLongPollsAreShared(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config, _ *access.Config, _ *engine.Config) { c.Waits = shares.New(8) })
	poll := func(path string) {
		go func() {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.server.URL+path+"?wait=50", nil)
			if err != nil {
				return
			}
			if answer, err := http.DefaultClient.Do(r); err == nil {
				_ = answer.Body.Close()
			}
		}()
	}
	for n := range 4 {
		poll("/profiles/" + w.profile().ID)
		w.untilHeld(n + 1)
	}
	w.refused(w.call("GET", "/profiles/"+w.profile().ID+"?wait=50", ""), 429, app.CodeRateLimited)
	greedy := w.execution(w.lockedProfile())
	for n := range 2 {
		poll("/executions/" + greedy)
		w.untilHeld(4 + n + 1)
	}
	w.refused(w.call("GET", "/executions/"+greedy+"?wait=50", ""), 429, app.CodeRateLimited)
	poll("/executions/" + w.execution(w.lockedProfile()))
	w.untilHeld(7)
}

// Without a limit an anonymous client can fill the audit log.
func TestChangesOfProfilesAreLimited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.call("POST", "/profiles", `{"description":"flood"}`)
	path, _ := p.json["profile_id"].(string)
	for i := range 3 * api.ChangesPerMinute { // the share refills while we are at it
		a := w.call("POST", "/profiles/"+path+"/keys", fmt.Sprintf(`{"keys":[{"name":"K","description":"%d"}]}`, i))
		if a.status == 200 {
			continue
		}
		w.refused(a, 429, app.CodeRateLimited)
		if i < api.ChangesPerMinute || a.header.Get("Retry-After") == "" {
			t.Errorf("refused after %d changes, Retry-After %q", i, a.header.Get("Retry-After"))
		}
		return
	}
	t.Error("nothing limits the changes")
}

func TestExecuteAndCancel(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.lockedProfile()
	a := w.call("POST", "/execute", `{"profile_id":"`+p.ID+`","script":"1","timeout":60}`)
	id, _ := a.json["execution_id"].(string)
	want := map[string]any{"execution_id": id, "poll_url": w.server.URL + "/executions/" + id, "status": "pending"}
	if diff := cmp.Diff(want, a.json); a.status != http.StatusAccepted || !app.IsExecutionID(id) || diff != "" {
		t.Fatalf("%d %s", a.status, diff)
	}
	if a.header.Get("Location") != want["poll_url"] {
		t.Errorf("Location %q", a.header.Get("Location"))
	}
	a = w.call("GET", "/executions/"+id, "")
	for _, field := range []string{"stdout", "stderr", "result", "execution_time_ms", "completed_at"} {
		if _, ok := a.json[field]; ok {
			t.Errorf("%s is there before the end", field)
		}
	}
	a = w.call("POST", "/executions/"+id+"/cancel", "")
	if a.status != 200 || a.json["status"] != "cancelled" || a.json["error"] == "" || a.json["completed_at"] == nil {
		t.Errorf("cancel: %d %s", a.status, a.text)
	}
	for _, field := range []string{"stdout", "stderr", "execution_time_ms", "timings", "created_at"} {
		if _, ok := a.json[field]; !ok {
			t.Errorf("%s is missing at the end: %s", field, a.text)
		}
	}
	w.refused(w.call("POST", "/executions/"+id+"/cancel", "{}"), 409, app.CodeAlreadyEnded)
}

func TestIdempotency(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, other := w.lockedProfile(), w.lockedProfile()
	const key = "Idempotency-Key: 6f1c"
	body := `{"script":"1"}`
	first := w.call("POST", "/execute", body, bearerOf(p), key)
	again := w.call("POST", "/execute", body, bearerOf(p), key)
	if first.status != 202 || again.status != 202 || first.json["execution_id"] != again.json["execution_id"] {
		t.Errorf("%s, then %s", first.text, again.text)
	}
	if first.header.Get("Idempotency-Replayed") != "" || again.header.Get("Idempotency-Replayed") != "true" {
		t.Error("the replay is not marked")
	}
	w.refused(w.call("POST", "/execute", `{"script":"2"}`, bearerOf(p), key), 409, app.CodeIdempotencyReused)
	if a := w.call("POST", "/execute", body, bearerOf(other), key); a.json["execution_id"] == first.json["execution_id"] {
		t.Error("another profile gets this one's execution")
	}
	w.refused(w.call("POST", "/execute", body, bearerOf(p), "Idempotency-Key: a b"), 400, app.CodeInvalidField)
}

func TestListIsPaged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.lockedProfile()
	var made []string
	for range 5 {
		made = append(made, w.execution(p))
	}
	var listed []string
	for path := "/executions?limit=2"; path != ""; {
		a := w.call("GET", path, "", bearerOf(p))
		for _, x := range a.json["executions"].([]any) {
			listed = append([]string{x.(map[string]any)["execution_id"].(string)}, listed...)
		}
		next, _ := a.json["next"].(string)
		path = strings.TrimPrefix(next, w.server.URL)
	}
	if diff := cmp.Diff(made, listed); diff != "" {
		t.Error(diff)
	}
}

func TestShutdownEndsLongPolls(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.lockedProfile()
	x := w.execution(p)
	answers := make(chan answer, 1)
	go func() { answers <- w.call("GET", "/executions/"+x+"?wait=50", "") }()
	w.untilHeld(1)
	w.web.Drain()
	select {
	case a := <-answers:
		if a.status != 200 || a.json["execution_id"] != x {
			t.Errorf("%d %s", a.status, a.text)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the poll goes on")
	}
}

func TestMeta(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config, _ *access.Config, _ *engine.Config) { c.PublicURL = "https://airlock.example" })
	a := w.call("GET", "/health", "")
	want := map[string]any{"status": "ok", "version": "test", "retired": false, "api_version": 1.0, "backend": "fake",
		"isolation": a.json["isolation"], "sandbox": map[string]any{"ready": true}, "paused": false, "full": false}
	if diff := cmp.Diff(want, a.json); a.status != 200 || diff != "" {
		t.Errorf("%d %s", a.status, diff)
	}
	if a := w.call("GET", "/", ""); a.status != http.StatusSeeOther || a.header.Get("Location") != "/ui" {
		t.Errorf("/ answers %d %s", a.status, a.header.Get("Location"))
	}
	for path, kind := range map[string]string{"/skill.md": "text/markdown; charset=utf-8",
		"/openapi.json": "application/json", "/airlock.pyi": "text/x-python; charset=utf-8"} {
		a := w.call("GET", path, "")
		if a.status != 200 || a.header.Get("Content-Type") != kind || len(a.text) < 500 {
			t.Errorf("%s: %d %s, %d bytes", path, a.status, a.header.Get("Content-Type"), len(a.text))
		}
		if head := w.call("HEAD", path, ""); head.status != 200 || head.text != "" {
			t.Errorf("HEAD %s: %d", path, head.status)
		}
	}
	if a := w.call("GET", "/skill.md", ""); !strings.Contains(a.text, "https://airlock.example/execute") {
		t.Error("the skill text does not name the public URL")
	}
	if a := w.call("POST", "/profiles", `{"description":"x"}`); !strings.HasPrefix(a.json["setup_url"].(string),
		"https://airlock.example/ui/") {
		t.Errorf("setup_url %v", a.json["setup_url"])
	}
}

func TestADeclinedHostEndsTheWait(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.profile()
	_, err := w.access.Lifecycle.Lock(t.Context(), person, p.Handle, time.Time{})
	w.must(err)
	w.call("POST", "/profiles/"+p.ID+"/hosts", `{"hosts":[{"host":"api.example:443","reason":"invoices"}]}`)
	answers := make(chan answer, 1)
	go func() { answers <- w.call("GET", "/profiles/"+p.ID+"?wait=30", "") }()
	w.untilHeld(1)
	_, err = w.access.Hosts.Set(t.Context(), person, p.Handle, nil, []string{"api.example:443"})
	w.must(err)
	a := <-answers
	hosts, _ := a.json["hosts"].([]any)
	if len(hosts) != 1 {
		t.Fatalf("it returned with %s", a.text)
	}
	host, _ := hosts[0].(map[string]any)
	if host["host"] != "api.example" || host["allowed"] != false || host["declined_at"] == nil {
		t.Errorf("the declined host is shown as %v", host)
	}
}

func TestAnAgentWithdrawsAHost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.profile()
	path := "/profiles/" + p.ID + "/hosts"
	w.call("POST", path, `{"hosts":["api.example:8443","*.data.example:443"]}`)
	if a := w.call("DELETE", path+"/api.example:8443", ""); a.status != 200 || strings.Contains(a.text, "api.example") {
		t.Errorf("withdrawn: %d %s", a.status, a.text)
	}
	if a := w.call("DELETE", path+"/%2A.data.example:443", ""); a.status != 200 || strings.Contains(a.text, "data") {
		t.Errorf("an escaped host: %d %s", a.status, a.text)
	}
	w.refused(w.call("DELETE", path+"/api.example:8443", ""), 404, app.CodeNotFound)
}

// newPlayingWorld is a world whose sandboxes run scripts.
func newPlayingWorld(t *testing.T) *world {
	t.Helper()
	return newWorld(t, func(_ *Config, _ *access.Config, e *engine.Config) {
		e.Sandboxes = []sandbox.BackendConfig{{Name: "fake", Backend: fake.New(t, guesttest.Play)}}
		e.Workers = 2
	})
}

func TestAgentSeesARunningExecution(t *testing.T) {
	t.Parallel()
	w := newPlayingWorld(t)
	p := w.lockedProfile()
	a := w.call("POST", "/execute", `{"script":"print loaded 100 rows\nprint `+plantedSecret+`\nhang","timeout":77,`+
		`"label":"nightly","inputs":{"note":"`+plantedSecret+`"}}`, bearerOf(p))
	path := "/executions/" + a.json["execution_id"].(string)
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		a = w.call("GET", path, "")
		if stdout, _ := a.json["stdout"].(string); strings.Contains(stdout, "loaded 100 rows\n") &&
			strings.Contains(stdout, "[REDACTED") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("no output so far: %s", a.text)
		}
	}
	if ran, ok := a.json["execution_time_ms"].(float64); a.json["phase"] != "running" || a.json["timeout"] != 77.0 ||
		a.json["label"] != "nightly" || !ok || ran < 0 || a.json["script"] != nil || a.json["inputs"] != nil {
		t.Errorf("while it runs: %s", a.text)
	}
	w.refused(w.call("GET", path+"?include=script", ""), http.StatusUnauthorized, app.CodeUnauthorized)
	w.refused(w.call("GET", path+"?include=values", "", bearerOf(p)), http.StatusBadRequest, app.CodeInvalidField)
	w.refused(w.call("GET", path+"?include=script", "", bearerOf(w.lockedProfile())), http.StatusNotFound,
		app.CodeNotFound)
	a = w.call("GET", path+"?include=script,inputs,label", "", bearerOf(p))
	script, _ := a.json["script"].(string)
	inputs, _ := a.json["inputs"].(map[string]any)
	if note, _ := inputs["note"].(string); !strings.HasPrefix(script, "print loaded") ||
		!strings.Contains(note, "[REDACTED") {
		t.Errorf("what was submitted: %s", a.text)
	}
	a = w.call("POST", path+"/cancel", "")
	if a.json["phase"] != nil || a.json["label"] != "nightly" {
		t.Errorf("after its end: %s", a.text)
	}
}

func TestRerunTakesOtherInputs(t *testing.T) {
	t.Parallel()
	w := newPlayingWorld(t)
	p := w.lockedProfile()
	a := w.call("POST", "/execute?wait=20", `{"script":"inputs","inputs":{"n":1},"label":"one"}`, bearerOf(p))
	path := "/executions/" + a.json["execution_id"].(string)
	for body, want := range map[string][2]string{
		"": {`{"n":1}`, "one"}, `{"inputs":{"n":2},"label":"two","timeout":5}`: {`{"n":2}`, "two"},
		`{"inputs":null}`: {`{"n":1}`, "one"},
	} {
		a = w.call("POST", path+"/rerun?wait=20", body)
		if stdout, _ := a.json["stdout"].(string); strings.TrimSpace(stdout) != want[0] || a.json["label"] != want[1] {
			t.Errorf("%s: %s", body, a.text)
		}
	}
	w.refused(w.call("POST", path+"/rerun", `{"timeout":100000}`), http.StatusBadRequest, app.CodeInvalidField)
	list := w.call("GET", "/executions?label=two", "", bearerOf(p))
	if all, _ := list.json["executions"].([]any); len(all) != 1 {
		t.Errorf("label=two: %s", list.text)
	}
}

func TestListsHaveNoTracebacks(t *testing.T) {
	t.Parallel()
	w := newPlayingWorld(t)
	p := w.lockedProfile()
	w.call("POST", "/execute?wait=20", `{"script":"fail KeyError: 'x'\nexit 1"}`, bearerOf(p))
	list := w.call("GET", "/executions", "", bearerOf(p))
	x := list.json["executions"].([]any)[0].(map[string]any)
	if text, _ := x["error"].(string); x["traceback"] != nil || strings.Contains(text, "\n") || text == "" {
		t.Errorf("listed as %v", x)
	}
}

func TestWhatAirlockDoesNotDo(t *testing.T) {
	t.Parallel()
	w := newPlayingWorld(t)
	p := w.lockedProfile()
	for _, script := range []string{`#!/bin/bash\nls`, `pip install requests`} {
		a := w.call("POST", "/execute", `{"script":"`+script+`"}`, bearerOf(p))
		w.refused(a, http.StatusBadRequest, app.CodeInvalidField)
	}
	a := w.call("POST", "/schedules", `{"cron":"0 6 * * *"}`)
	w.refused(a, http.StatusNotFound, app.CodeNotFound)
	manual := w.call("GET", "/skill.md", "").text
	for _, way := range app.Alternatives() {
		if !strings.Contains(manual, way.Instead) {
			t.Errorf("the manual lacks %q", way.Instead)
		}
		if strings.HasPrefix(way.What, "Schedules") && !strings.Contains(a.text, way.Instead) {
			t.Errorf("the 404 is %s", a.text)
		}
	}
}

func TestAnswersToSelfDontRepeatTheToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.profile()
	for _, a := range []answer{
		w.call("GET", "/profiles/self", "", bearerOf(p)),
		w.call("POST", "/profiles/self/keys", `{"keys":[{"name":"A"}]}`, bearerOf(p)),
		w.call("POST", "/profiles/self/hosts", `{"hosts":["a.example.com"]}`, bearerOf(p)),
	} {
		if a.status != http.StatusOK || strings.Contains(a.text, p.ID) {
			t.Errorf("%d %s", a.status, a.text)
		}
	}
}
