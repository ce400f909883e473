package web

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/guest/guesttest"
	"github.com/computclaw/airlock/app/sandbox"
	"github.com/computclaw/airlock/plugins/fake"
)

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
