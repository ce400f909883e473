package web

import (
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
)

const (
	sampleTrace  = "4bf92f3577b34da6a3ce929d0e0e4736"
	sampleParent = "00-" + sampleTrace + "-00f067aa0ba902b7-01"
)

// TestATraceIsFollowed into the log and the execution's record; an invalid id into neither.
func TestATraceIsFollowed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.lockedProfile().ID
	a := w.call("POST", "/execute", `{"profile_id":"`+id+`","script":"pass"}`, "Traceparent: "+sampleParent)
	x, err := w.engine.Reader.ByID(t.Context(), a.json["execution_id"].(string))
	w.must(err)
	if x.Trace != sampleTrace {
		t.Errorf("the record says %q", x.Trace)
	}
	w.call("POST", "/execute", `{"profile_id":"`+id+`","script":"pass"}`, "Traceparent: hostile words")
	if _, err := w.engine.Controller.Cancel(t.Context(), x.ID, app.System()); err != nil {
		t.Fatal(err)
	}
	log := w.log.String()
	if !strings.Contains(log, "trace="+sampleTrace) || strings.Contains(log, "hostile words") {
		t.Errorf("the log says %s", log)
	}
	ended := false
	for line := range strings.Lines(log) {
		ended = ended || strings.Contains(line, "execution ended") && strings.Contains(line, "trace="+sampleTrace) &&
			strings.Contains(line, "execution="+x.Handle)
	}
	if !ended {
		t.Errorf("no line about the end of the execution carries its trace: %s", log)
	}
}

// An execution cancelled before it ran is logged and counted.
func TestTheEndOfWhatNeverRanIsLogged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.lockedProfile()
	var ids []string
	for range 2 { // one run slot
		a := w.call("POST", "/execute", `{"profile_id":"`+p.ID+`","script":"pass"}`, "Traceparent: "+sampleParent)
		ids = append(ids, a.json["execution_id"].(string))
	}
	x, err := w.engine.Controller.Cancel(t.Context(), ids[1], app.System())
	w.must(err)
	if !x.StartedAt.IsZero() {
		t.Fatal("it ran")
	}
	for line := range strings.Lines(w.log.String()) {
		if strings.Contains(line, "execution ended") && strings.Contains(line, "trace="+sampleTrace) &&
			strings.Contains(line, "execution="+x.Handle) && strings.Contains(line, "status=cancelled") {
			return
		}
	}
	t.Errorf("no line tells of its end: %s", w.log.String())
}

func TestATraceIsFollowedByRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.lockedProfile()
	a := w.call("POST", "/execute", `{"profile_id":"`+p.ID+`","script":"pass"}`)
	id := a.json["execution_id"].(string)
	if _, err := w.engine.Controller.Cancel(t.Context(), id, app.System()); err != nil {
		t.Fatal(err)
	}
	again := w.call("POST", "/executions/"+id+"/rerun", `{"live":true}`, bearerOf(p), "Traceparent: "+sampleParent)
	x, err := w.engine.Reader.ByID(t.Context(), again.json["execution_id"].(string))
	w.must(err)
	if x.Trace != sampleTrace || x.RerunOf == "" {
		t.Errorf("it repeats %q, with the trace %q", x.RerunOf, x.Trace)
	}
}

func TestATraceIsFollowedThroughMCP(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bearer := "Authorization: Bearer " + w.lockedProfile().ID
	session := w.open(bearer)
	const list = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_executions","arguments":{}}}`
	w.call("POST", "/mcp", list, modelHeaders("Mcp-Session-Id: "+session, bearer, "Traceparent: "+sampleParent)...)
	for line := range strings.Lines(w.log.String()) {
		if strings.Contains(line, "route=/executions ") && strings.Contains(line, "trace="+sampleTrace) {
			return
		}
	}
	t.Errorf("the tool's request has no trace: %s", w.log.String())
}
