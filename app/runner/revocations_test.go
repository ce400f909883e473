package runner_test

import (
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/runner"
)

// withServices makes names lead to one listener of this test, which accepts and waits.
func withServices(t *testing.T, names ...string) func(*engine.Config) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	pairs := map[string]netip.AddrPort{}
	for _, n := range names {
		pairs[n] = listener.Addr().(*net.TCPAddr).AddrPort()
	}
	return func(c *engine.Config) { c.Gateway = egress.New(egress.Config{LocalServices: pairs}) }
}

// untilReviewed calls do and waits until the engine has obeyed.
func (w *world) untilReviewed(do func()) {
	w.T.Helper()
	before := w.Runner.Decisions()
	do()
	deadline := time.Now().Add(time.Minute)
	for w.Runner.Decisions() == before {
		if time.Now().After(deadline) {
			w.T.Fatal("nobody looked")
		}
		time.Sleep(time.Millisecond)
	}
	w.Runner.ApplyRevocations() // the one that was noticed may still be under way
}

// A decision right after the start counts, however busy the machine is.
func TestNoDecisionIsMissedAfterTheStart(t *testing.T) {
	t.Parallel()
	for range 100 {
		hub := new(live.Hub)
		r := runner.New(runner.Config{Hub: hub, Workers: 1})
		r.Start()
		hub.Publish(live.Profiles)
		for deadline := time.Now().Add(time.Minute); r.Decisions() == 0; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("nobody looked")
			}
		}
		r.Stop()
		r.Wait()
	}
}

// Removed hosts are gone at once from running executions. Added ones are for later executions.
func TestHostsAreTakenFromWhatRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withServices(t, "a.example:7000", "b.example:7000", "c.example:7000"))
	w.Profile = w.NewProfile("a.example:7000", "b.example:7000")
	script := "dial a.example 7000\ndial b.example 7000\ndial c.example 7000\nask go\ndial a.example 7000\ndial " +
		"b.example 7000\ndial c.example 7000"
	x := w.Until(w.Send(script), app.StatusAwaitingLLM)
	w.untilReviewed(func() { w.Allow("b.example:7000", "c.example:7000") })
	w.AnswerGo(x)
	w.Until(x, app.StatusCompleted)
	out, err := w.Reader.Output(t.Context(), x.Handle)
	w.Must(err)
	if diff := cmp.Diff([]string{"true", "true", "false", "answer", "false", "true", "false"},
		outcomes(out.Stdout)); diff != "" {
		t.Error(diff)
	}
	_, out = w.Finished(script[:strings.Index(script, "ask")-1], app.StatusCompleted)
	if diff := cmp.Diff([]string{"false", "true", "true"}, outcomes(out.Stdout)); diff != "" {
		t.Errorf("the next execution:\n%s", diff)
	}
}

func outcomes(stdout string) []string {
	var list []string
	for line := range strings.Lines(stdout) {
		what, result, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if what == "answer" {
			result = what
		}
		list = append(list, result)
	}
	return list
}

// A decision between reading the grant and watching is not lost.
func TestADecisionDuringTheStartCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withServices(t, "a.example:7000"))
	w.Profile = w.NewProfile("a.example:7000")
	x := app.Execution{Handle: app.NewID(), ProfileHandle: w.Profile.Handle, Timeout: time.Minute}
	decide := func() { w.untilReviewed(func() { w.Allow() }) }
	err := w.Runner.DialAfterDecision(t.Context(), x, decide, "a.example", 7000)
	if app.CodeOf(err) != app.CodeForbidden {
		t.Errorf("dialled a host that was taken away: %v", err)
	}
}
