package engine

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/egress"
	"github.com/computclaw/airlock/app/live"
)

// withServices makes names lead to one listener of this test, which accepts and waits.
func withServices(t *testing.T, names ...string) func(*Config) {
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
	return func(c *Config) { c.Gateway = egress.New(egress.Config{LocalServices: pairs}) }
}

func (w *world) allow(hosts ...string) {
	w.t.Helper()
	var list []app.Host
	for _, h := range hosts {
		host, err := app.ParseHost(h)
		w.must(err)
		list = append(list, host)
	}
	_, err := w.access.SetHosts(w.t.Context(), person, w.profile.Handle, list, nil)
	w.must(err)
}

// untilReviewed does something and waits until the engine has obeyed.
func (w *world) untilReviewed(do func()) {
	w.t.Helper()
	before := w.reviews.Load()
	do()
	deadline := time.Now().Add(20 * time.Second)
	for w.reviews.Load() == before {
		if time.Now().After(deadline) {
			w.t.Fatal("nobody looked")
		}
		time.Sleep(time.Millisecond)
	}
	w.review() // the one that was noticed may still be under way
}

func (w *world) answer(x app.Execution) {
	w.t.Helper()
	_, err := w.Respond(w.t.Context(), x.ID, Answer{Text: "go", By: agent})
	w.must(err)
}

// What a person takes away is gone at once for what runs; what a person adds is for later executions.
func TestHostsAreTakenFromWhatRuns(t *testing.T) {
	w := newWorld(t, withServices(t, "a.example:7000", "b.example:7000", "c.example:7000"))
	w.profile = w.newProfile("a.example:7000", "b.example:7000")
	script := "dial a.example 7000\ndial b.example 7000\ndial c.example 7000\nask go\ndial a.example 7000\ndial b.example 7000\ndial c.example 7000"
	x := w.until(w.submit(script), app.StatusAwaitingLLM)
	w.untilReviewed(func() { w.allow("b.example:7000", "c.example:7000") })
	w.answer(x)
	w.until(x, app.StatusCompleted)
	out, err := w.Output(t.Context(), x.Handle)
	w.must(err)
	if diff := cmp.Diff([]string{"true", "true", "false", "answer", "false", "true", "false"}, outcomes(out.Stdout)); diff != "" {
		t.Error(diff)
	}
	_, out = w.finished(script[:strings.Index(script, "ask")-1], app.StatusCompleted)
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

// A decision that falls between reading the grant and being able to obey is not lost.
func TestADecisionDuringTheStartCounts(t *testing.T) {
	w := newWorld(t, withServices(t, "a.example:7000"))
	w.profile = w.newProfile("a.example:7000")
	profile, policy, err := w.access.Bound(t.Context(), w.profile.Handle)
	w.must(err)
	r := newRun(w.Engine, app.Execution{Handle: app.NewID(), ProfileHandle: w.profile.Handle, Timeout: time.Minute})
	defer r.cancel(nil)
	w.register(r)
	defer w.forget(r)
	j := job{seen: w.reviews.Load()}
	j.grant, err = w.bind(t.Context(), profile, policy)
	w.must(err)
	w.untilReviewed(func() { w.allow() })
	w.must(r.equip(j))
	defer func() {
		r.egress.Close()
		r.mu.Lock()
		r.hush()
		r.mu.Unlock()
		r.nudges.Wait()
	}()
	if _, err := r.egress.Dial(t.Context(), "a.example", 7000); app.CodeOf(err) != app.CodeForbidden {
		t.Errorf("dialled a host that was taken away: %v", err)
	}
}

// requests returns what stands on the profile's page by executions' doing.
func (w *world) requests() map[string]app.HostRequest {
	w.t.Helper()
	p, err := w.access.ProfileByHandle(w.t.Context(), w.profile.Handle)
	w.must(err)
	found := map[string]app.HostRequest{}
	for _, h := range p.Hosts {
		if h.Execution != "" {
			found[h.String()] = h
		}
	}
	return found
}

func TestARefusalBecomesARequest(t *testing.T) {
	w := newWorld(t, withServices(t, "listed.example:7000"))
	w.profile = w.newProfile("listed.example:7000")
	sub := w.hub.Subscribe(live.Profile(w.profile.Handle))
	defer sub.Close()
	script := strings.Join([]string{
		"asked new.example 8443 2", // the resolver only knows the name
		"dial new.example 0",
		"dial bare.example 0",
		"asked listed.example 7001 5", // nothing in the box listens there
		"asked 203.0.113.9 5432 6",    // nor is there a way to a bare address
		"asked 10.1.2.3 5432 7",
		"asked localhost 80 1", "asked 169.254.169.254 80 9",
		"dial listed.example 7000",
		"ask go",
		"exit 1",
	}, "\n")
	x := w.until(w.submit(script), app.StatusAwaitingLLM)
	for len(w.requests()) < 4 { // they stand while it runs
		select {
		case <-sub.C():
		case <-time.After(20 * time.Second):
			t.Fatalf("requests %+v", w.requests())
		}
	}
	want := map[string]int{"new.example:8443": 2, "bare.example": 0, "listed.example:7001": 5, "10.1.2.3:5432": 7}
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
	w.answer(x)
	x = w.until(x, app.StatusError)
	if !strings.Contains(x.Error, "It now stands as a request on the profile's page in Airlock") {
		t.Errorf("the script's error: %s", x.Error)
	}
	rows, err := w.Network(t.Context(), x.Handle)
	w.must(err)
	lines := map[string]int{}
	for _, r := range rows {
		lines[fmt.Sprintf("%s:%d %s", r.Host, r.Port, r.Verdict)] = r.Line
	}
	wantRows := map[string]int{
		"new.example:0 denied": 2, "bare.example:0 denied": 0, "listed.example:7001 denied": 5, "203.0.113.9:5432 denied": 6, "10.1.2.3:5432 denied": 7,
		"169.254.169.254:80 denied": 9, "listed.example:7000 allowed": 0,
	}
	if diff := cmp.Diff(wantRows, lines); diff != "" {
		t.Error(diff)
	}
}

// A refusal just before the end is a request too: that an execution is stopped while one is made must not lose it.
func TestAStoppedExecutionStillAsks(t *testing.T) {
	w := newWorld(t)
	x := w.until(w.submit("ask go"), app.StatusAwaitingLLM)
	r := newRun(w.Engine, x)
	r.egress = w.cfg.Gateway.Session(egress.Grant{}, nil)
	defer r.egress.Close()
	r.egress.Refused("late.example")
	r.stop(stopGone(profileRevoked))
	r.petition()
	if _, ok := w.requests()["late.example"]; !ok {
		t.Errorf("requests %+v", w.requests())
	}
	w.answer(x)
	w.until(x, app.StatusCompleted)
}

// A dismissed request does not come back by the same execution, and one execution makes only so many.
func TestRequestsDontNag(t *testing.T) {
	w := newWorld(t)
	var script strings.Builder
	for n := range access.MaxRequestsOfExecution + 3 {
		fmt.Fprintf(&script, "dial h%d.example 443\n", n)
	}
	x := w.until(w.submit(script.String()+"ask go\ndial h0.example 443\nask again"), app.StatusAwaitingLLM)
	r := w.running(x.Handle)
	r.petition()
	if n := len(w.requests()); n != access.MaxRequestsOfExecution {
		t.Errorf("%d requests, want %d", n, access.MaxRequestsOfExecution)
	}
	var all []string
	for name := range w.requests() {
		all = append(all, name)
	}
	_, err := w.access.SetHosts(t.Context(), person, w.profile.Handle, nil, all)
	w.must(err)
	w.answer(x)
	w.until(x, app.StatusAwaitingLLM)
	w.answer(x)
	w.until(x, app.StatusCompleted)
	if got := w.requests(); len(got) != 0 {
		t.Errorf("asked again for %v", got)
	}
	w.finished("dial h0.example 443", app.StatusCompleted)
	if got := w.requests(); len(got) != 1 {
		t.Errorf("another execution asked for %v", got)
	}
}
