package engine

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/fake"
)

// slow is a backend whose proof takes until done is closed.
type slow struct {
	*fake.Backend
	done chan struct{}
}

func (s slow) Check(ctx context.Context, c plugins.Config) (plugins.Report, error) {
	select {
	case <-s.done:
		return s.Backend.Check(ctx, c)
	case <-ctx.Done():
		return plugins.Report{}, context.Cause(ctx)
	}
}

// launchSlow starts an engine with a backend that passes at once and one whose proof goes on.
func launchSlow(t *testing.T, change func(*Config), report plugins.Report, others ...plugins.Report) (*world, slow) {
	t.Helper()
	w := newWorldWithout(t)
	s := slow{fake.New(t, play), make(chan struct{})}
	s.SetReport(report)
	w.launchEngine(func(c *Config) {
		c.Sandboxes = []Sandbox{{Name: report.Name, Backend: s}}
		for _, r := range others {
			quick := fake.New(t, play)
			quick.SetReport(r)
			c.Sandboxes = append(c.Sandboxes, Sandbox{Name: r.Name, Backend: quick})
		}
		if change != nil {
			change(c)
		}
	})
	return w, s
}

// The server answers before its sandboxes are proved: what is submitted meanwhile is neither refused nor lost, and runs where it would have run a second later.
func TestSubmittedDuringTheFirstProof(t *testing.T) {
	w, s := launchSlow(t, nil, passes("slow", plugins.TierFull), passes("quick", plugins.TierFull))
	w.await("proofs of the quick one", func(h Health) bool { return h.Backends[1].Passed })
	if h := w.Health(); h.Ready || !h.Checking || h.Reason != beingChecked || h.Backend != "" {
		t.Errorf("meanwhile %+v", h)
	}
	w.require(app.Placement{Backend: "slow"})
	x := w.submit("result 1")
	w.must(w.Prove(t.Context(), "quick")) // a person who asks for one proof more decides nothing for the other
	if now, err := w.ByHandle(t.Context(), x.Handle); err != nil || now.Status != app.StatusPending || w.Health().Ready {
		t.Fatalf("%+v %v, health %+v", now, err, w.Health())
	}
	close(s.done)
	if x = w.until(x, app.StatusCompleted); x.Backend != "slow" {
		t.Errorf("it ran in %q", x.Backend)
	}
	if h := w.Health(); h.Checking || h.Backend != "slow" {
		t.Errorf("afterwards %+v", h)
	}
}

// What was accepted stays in the queue when no sandbox turns out to be fit; what comes then is refused.
func TestFirstProofFails(t *testing.T) {
	w, s := launchSlow(t, nil, fails("slow"))
	early := w.submit("result 1")
	close(s.done)
	w.await("outcomes", func(h Health) bool { return !h.Checking })
	_, _, err := w.Submit(t.Context(), Submission{ProfileID: w.profile.ID, Script: "result 1"})
	wantCode(t, err, app.CodeSandboxUnavailable)
	s.SetReport(passes("slow", plugins.TierFull))
	w.must(w.Prove(t.Context(), "slow"))
	w.until(early, app.StatusCompleted)
}

// A server that is ended while its sandboxes are being proved doesn't wait for them.
func TestCloseDuringTheFirstProof(t *testing.T) {
	w, _ := launchSlow(t, nil, passes("slow", plugins.TierFull))
	w.must(w.Close(t.Context()))
	_, _, err := w.Submit(t.Context(), Submission{ProfileID: w.profile.ID, Script: "result 1"})
	wantCode(t, err, app.CodeSandboxUnavailable)
}

// asProfile does something under another profile than the world's.
func (w *world) asProfile(p app.Profile, do func()) {
	mine := w.profile
	defer func() { w.profile = mine }()
	w.profile = p
	do()
}

// A host that doesn't answer must not keep those waiting who don't need it.
func TestASlowFirstProofKeepsOnlyThoseWaitingWhoNeedIt(t *testing.T) {
	slowLast := func(c *Config) { slices.Reverse(c.Sandboxes) }
	w, s := launchSlow(t, slowLast, passes("slow", plugins.TierFull), passes("weak", plugins.TierRestricted), passes("quick", plugins.TierRestricted))
	w.await("proofs of the others", func(h Health) bool { return h.Ready && h.Backends[1].InUse })
	if h := w.Health(); h.Checking || h.Backend != "quick" || !h.Backends[2].Checking || h.Backends[0].Checking || h.Reason != "" {
		t.Errorf("meanwhile %+v", h)
	}
	w.require(app.Placement{MinTier: "full"})
	var waits [4]app.Execution
	for i := range waits {
		waits[i] = w.submit("result 1")
	}
	w.asProfile(w.newProfile(), func() {
		for _, want := range []string{"quick", "weak"} {
			if x, _ := w.finished("result 1", app.StatusCompleted); x.Backend != want {
				t.Errorf("it ran in %q, want %q", x.Backend, want)
			}
			w.require(app.Placement{Backend: "weak"})
		}
	})
	for _, x := range waits {
		if status := w.stored(x); status != app.StatusPending {
			t.Errorf("%s before the proof has ended", status)
		}
	}
	close(s.done)
	for _, x := range waits {
		if x = w.until(x, app.StatusCompleted); x.Backend != "slow" {
			t.Errorf("it ran in %q", x.Backend)
		}
	}
}

// The default is the first in the order that passes, so whoever leaves the choice to the instance waits for it; whoever requires another doesn't.
func TestTheDefaultIsNotTakenBeforeItsProof(t *testing.T) {
	w, s := launchSlow(t, nil, passes("slow", plugins.TierFull), passes("quick", plugins.TierFull))
	w.await("quick in use", func(h Health) bool { return h.Backends[1].InUse })
	if h := w.Health(); !h.Checking || h.Ready || h.Backends[1].Default || h.Warm != 0 {
		t.Errorf("meanwhile %+v", h)
	}
	waits := w.submit("result 1")
	w.asProfile(w.newProfile(), func() {
		w.require(app.Placement{Backend: "quick"})
		if x, _ := w.finished("result 1", app.StatusCompleted); x.Backend != "quick" {
			t.Errorf("it ran in %q", x.Backend)
		}
		w.require(app.Placement{Backend: "nonesuch"})
		w.finished("result 1", app.StatusError)
	})
	if status := w.stored(waits); status != app.StatusPending {
		t.Errorf("%s before the proof has ended", status)
	}
	close(s.done)
	if x := w.until(waits, app.StatusCompleted); x.Backend != "slow" {
		t.Errorf("it ran in %q", x.Backend)
	}
}

// A proof that a person has taken while the first ones are under way must not make a weaker backend the one that Auto takes.
func TestAutoTriesTheStrongerAlthoughAWeakerWasProvedMeanwhile(t *testing.T) {
	auto := func(c *Config) { c.Auto = true }
	w, s := launchSlow(t, auto, fails("slow"), passes("weak", plugins.TierRestricted), passes("strong", plugins.TierFull))
	w.must(w.Prove(t.Context(), "weak"))
	if h := w.Health(); !h.Checking || h.Ready {
		t.Errorf("meanwhile %+v", h)
	}
	close(s.done)
	w.await("outcomes", func(h Health) bool { return !h.Checking })
	if h := w.Health(); h.Backend != "strong" || !h.Ready {
		t.Errorf("afterwards %+v", h)
	}
}

// watched is a backend that tells of each proof as it begins.
type watched struct {
	*fake.Backend
	begins func()
}

func (b watched) Check(ctx context.Context, c plugins.Config) (plugins.Report, error) {
	b.begins()
	return b.Backend.Check(ctx, c)
}

// When all proofs are taken again, each counts before the next begins: what the first one found out had to wait for the last, which may take a minute.
func TestAProofCountsBeforeTheNextBegins(t *testing.T) {
	var again atomic.Bool
	var inUse string
	var w *world
	var boxes map[string]*fake.Backend
	w, boxes = yard(t, func(c *Config) {
		c.Pool = -1
		c.Sandboxes[1].Backend = watched{c.Sandboxes[1].Backend.(*fake.Backend), func() {
			if again.Load() {
				w.mu.Lock()
				defer w.mu.Unlock()
				inUse = w.first().report.Runtime
			}
		}}
	}, passes("a", plugins.TierFull), passes("b", plugins.TierFull))
	other := passes("a", plugins.TierFull)
	other.Runtime = "another root"
	boxes["a"].SetReport(other)
	again.Store(true)
	w.must(w.Prove(t.Context(), ""))
	if inUse != other.Runtime {
		t.Errorf("%q was in use while the next proof was taken", inUse)
	}
}

// From one moment to the next a backend is in use instead of being checked: nobody is refused in between.
func TestNobodyIsRefusedWhenTheFirstProofEnds(t *testing.T) {
	for range 50 {
		w, s := launchSlow(t, nil, passes("slow", plugins.TierFull))
		var watchers sync.WaitGroup
		for range 4 {
			watchers.Go(func() {
				for {
					if reason := w.refusing(); reason != "" {
						t.Errorf("refused: %s", reason)
						return
					}
					if w.runnable() {
						return
					}
				}
			})
		}
		close(s.done)
		watchers.Wait()
		w.must(w.Close(t.Context()))
	}
}

// A backend that lapsed is proved again at once, whatever another's proof does.
func TestALapsedBackendIsNotKeptWaitingByAnothersProof(t *testing.T) {
	w, _ := launchSlow(t, func(c *Config) { c.Pool = -1; slices.Reverse(c.Sandboxes) }, passes("slow", plugins.TierFull), passes("quick", plugins.TierFull))
	w.await("quick in use", func(h Health) bool { return h.Backends[0].InUse })
	quick := w.cfg.Sandboxes[0].Backend.(*fake.Backend)
	quick.SetGuest(fake.Exit(1))
	w.finished("result 1", app.StatusError) // three boxes
	quick.SetGuest(play)
	w.await("quick in use again", func(h Health) bool { return h.Backends[0].InUse })
	w.finished("result 1", app.StatusCompleted)
}

// Who asks for a proof and leaves must not end what the backend has open: a check that is cut short says nothing of a backend that is in use.
func TestWhoAsksForAProofMayLeave(t *testing.T) {
	w := newWorldWithout(t)
	asking, leave := context.WithCancel(t.Context())
	checks := atomic.Int64{}
	b := watched{fake.New(t, play), func() {
		if checks.Add(1) == 2 {
			leave()
		}
	}}
	b.SetReport(passes("one", plugins.TierFull))
	w.launchEngine(func(c *Config) { c.Sandboxes = []Sandbox{{Name: "one", Backend: b}} })
	w.await("the first proof", func(h Health) bool { return h.Ready })
	first := w.Health().Backends[0].Proved
	if err := w.Prove(asking, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("who had left was told %v", err)
	}
	if h := w.Health(); !h.Ready || !h.Backends[0].Passed || !h.Backends[0].Proved.After(first) {
		t.Errorf("afterwards %+v", h)
	}
	if err := w.Prove(asking, ""); !errors.Is(err, context.Canceled) || checks.Load() != 2 {
		t.Errorf("who had left before was told %v, after %d checks", err, checks.Load())
	}
	w.finished("result 1", app.StatusCompleted)
}
