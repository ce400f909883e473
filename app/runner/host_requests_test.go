package runner_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine/enginetest"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/profiles"
)

// requests returns what stands on the profile's page by executions' doing.
func (w *world) requests() map[string]app.HostRequest {
	w.T.Helper()
	p, err := w.Access.Profiles.ByHandle(w.T.Context(), w.Profile.Handle)
	w.Must(err)
	found := map[string]app.HostRequest{}
	for _, h := range p.Hosts {
		if h.Execution != "" {
			found[h.String()] = h
		}
	}
	return found
}

func TestARefusalBecomesARequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withServices(t, "listed.example:7000"))
	w.Profile = w.NewProfile("listed.example:7000")
	sub := w.Hub.Subscribe(live.Profile(w.Profile.Handle))
	defer sub.Close()
	script := strings.Join([]string{
		"asked new.example 8443 2", // the resolver only knows the name
		"dial new.example 0",
		"dial bare.example 0",
		"asked listed.example 7001 5", // nothing in the box listens there
		"asked 203.0.113.9 5432 6",    // nor is there a way to a bare address, so nobody is asked for one
		"asked 10.1.2.3 5432 7",
		"asked localhost 80 1", "asked 169.254.169.254 80 9",
		"dial listed.example 7000",
		"ask go",
		"exit 1",
	}, "\n")
	x := w.Until(w.Send(script), app.StatusAwaitingLLM)
	for len(w.requests()) < 3 { // they stand while it runs
		select {
		case <-sub.C():
		case <-time.After(20 * time.Second):
			t.Fatalf("requests %+v", w.requests())
		}
	}
	want := map[string]int{"new.example:8443": 2, "bare.example:443": 0, "listed.example:7001": 5}
	got := map[string]int{}
	for name, r := range w.requests() {
		got[name] = r.Line
		if r.Allowed || r.Private || r.Execution != x.Handle {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	w.AnswerGo(x)
	x = w.Until(x, app.StatusError)
	if !strings.Contains(x.Error, "What to do is in the execution's network list.") {
		t.Errorf("the script's error: %s", x.Error)
	}
	rows, err := w.Reader.Network(t.Context(), x.Handle)
	w.Must(err)
	lines := map[string]int{}
	for _, r := range rows {
		lines[fmt.Sprintf("%s:%d %s", r.Host, r.Port, r.Verdict)] = r.Line
	}
	wantRows := map[string]int{
		"new.example:0 denied": 2, "bare.example:0 denied": 0, "listed.example:7001 denied": 5,
		"203.0.113.9:5432 denied":   6,
		"10.1.2.3:5432 denied":      7,
		"169.254.169.254:80 denied": 9, "listed.example:7000 allowed": 0,
	}
	if diff := cmp.Diff(wantRows, lines); diff != "" {
		t.Error(diff)
	}
}

// Stopping an execution doesn't lose a request from a denial just before.
func TestAStoppedExecutionStillAsks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := w.Until(w.Send("ask go"), app.StatusAwaitingLLM)
	w.Runner.RequestAfterStop(x, "late.example")
	if _, ok := w.requests()["late.example:443"]; !ok {
		t.Errorf("requests %+v", w.requests())
	}
	w.AnswerGo(x)
	w.Until(x, app.StatusCompleted)
}

// A declined host is not requested again by itself. One execution makes a limited number of
// requests.
func TestRequestsDontNag(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var script strings.Builder
	for n := range profiles.MaxRequestsOfExecution + 3 {
		fmt.Fprintf(&script, "dial h%d.example 443\n", n)
	}
	x := w.Until(w.Send(script.String()+"ask go\ndial h0.example 443\nask again"), app.StatusAwaitingLLM)
	w.Runner.Find(x.Handle).RequestDenied()
	if n := len(w.requests()); n != profiles.MaxRequestsOfExecution {
		t.Errorf("%d requests, want %d", n, profiles.MaxRequestsOfExecution)
	}
	var all []string
	for name := range w.requests() {
		all = append(all, name)
	}
	_, err := w.Access.Hosts.Set(t.Context(), enginetest.Person, w.Profile.Handle, nil, all)
	w.Must(err)
	w.AnswerGo(x)
	w.Until(x, app.StatusAwaitingLLM)
	w.AnswerGo(x)
	w.Until(x, app.StatusCompleted)
	if got := w.requests(); len(got) != 0 {
		t.Errorf("asked again for %v", got)
	}
	w.Finished("dial h0.example 443", app.StatusCompleted)
	if got := w.requests(); len(got) != 0 {
		t.Errorf("another execution asked for %v", got)
	}
}

// An answer must not say that nothing can be installed and also request the package index.
func TestPackageIndexesAreNotRequested(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Finished("dial pypi.org 443\ndial files.pythonhosted.org 0\ndial pypi.example 443", app.StatusCompleted)
	if got := w.requests(); len(got) != 1 || got["pypi.example:443"].Name == "" {
		t.Errorf("requests %v", got)
	}
}
