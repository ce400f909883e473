package sandbox_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/engine/enginetest"
	"github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/app/guest/guesttest"
	"github.com/computclaw/airlock/app/sandbox"
	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/fake"
)

// A backend that passes but opens no boxes is not believed for ever.
func TestCrashLoopRests(t *testing.T) {
	t.Parallel()
	w, boxes := yard(t, func(c *engine.Config) { c.Pool = -1 }, enginetest.Passes("a", plugins.TierFull),
		enginetest.Passes("b", plugins.TierFull))
	w.Require(app.Placement{Backend: "a"})
	boxes["a"].SetGuest(fake.Exit(1))
	for range sandbox.MaxRelapses + 1 {
		w.AwaitHealth("a in use", func(h engine.Health) bool { return h.Backends[0].InUse })
		w.Finished("result 1", app.StatusError) // three boxes
	}
	h := w.Health()
	if h.Backends[0].InUse || !strings.Contains(h.Backends[0].Reason, "its proof passes but its boxes don't open") ||
		h.Backend != "b" {
		t.Errorf("%+v", h.Backends[0])
	}
	boxes["a"].SetGuest(guesttest.Play)
	w.Must(w.Sandboxes.Prove(t.Context(), "a")) // a person says so
	w.Finished("result 1", app.StatusCompleted)
}

// An unused backend is proved again as soon as somebody needs it, but not once per request.
func TestWhatIsNeededIsProvedAgain(t *testing.T) {
	t.Parallel()
	var ahead atomic.Int64
	w, boxes := yard(t, func(c *engine.Config) {
		c.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	}, enginetest.Passes("spare", plugins.TierFull), fails("needed"))
	ahead.Store(int64(time.Until(w.Health().Backends[1].Proved))) // as if no time had passed since
	if w.Sandboxes.RequestProbe("needed") {
		t.Error("proved again at once")
	}
	boxes["needed"].SetReport(enginetest.Passes("needed", plugins.TierFull))
	ahead.Add(int64(sandbox.ProbeInterval))
	if w.Sandboxes.RequestProbe("spare") {
		t.Error("what is in use was proved again")
	}
	_, err := w.Sandboxes.Place(app.Placement{Backend: "needed"})
	if refused := new(app.Error); !errors.As(err, &refused) || !strings.Contains(refused.Hint, "checked again now") {
		t.Errorf("the answer is %v", err)
	}
	for limit := time.Now().Add(time.Minute); len(inUse(w.Health())) < 2; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatal("it is not in use")
		}
	}
}

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

// launchSlow starts an engine with a backend that passes at once and one whose proof continues.
func launchSlow(t *testing.T, change func(*engine.Config), report plugins.Report, others ...plugins.Report) (*world,
	slow) {
	t.Helper()
	w := newUnstarted(t)
	s := slow{fake.New(t, guesttest.Play), make(chan struct{})}
	s.SetReport(report)
	w.LaunchEngine(func(c *engine.Config) {
		c.Sandboxes = []sandbox.BackendConfig{{Name: report.Name, Backend: s}}
		for _, r := range others {
			quick := fake.New(t, guesttest.Play)
			quick.SetReport(r)
			c.Sandboxes = append(c.Sandboxes, sandbox.BackendConfig{Name: r.Name, Backend: quick})
		}
		if change != nil {
			change(c)
		}
	})
	return w, s
}

// Executions submitted during the first proof are neither refused nor lost.
func TestSubmittedDuringTheFirstProof(t *testing.T) {
	t.Parallel()
	w, s := launchSlow(t, nil, enginetest.Passes("slow", plugins.TierFull),
		enginetest.Passes("quick", plugins.TierFull))
	w.AwaitHealth("proofs of the quick one", func(h engine.Health) bool { return h.Backends[1].Passed })
	if h := w.Health(); h.Ready || !h.Checking || h.Reason != sandbox.BeingChecked || h.Backend != "" {
		t.Errorf("meanwhile %+v", h)
	}
	w.Require(app.Placement{Backend: "slow"})
	x := w.Send("result 1")
	w.Must(w.Sandboxes.Prove(t.Context(),
		"quick")) // a person who asks for one proof more decides nothing for the other
	if now, err := w.Reader.ByHandle(t.Context(), x.Handle); err != nil || now.Status != app.StatusPending ||
		w.Health().Ready {
		t.Fatalf("%+v %v, health %+v", now, err, w.Health())
	}
	close(s.done)
	if x = w.Until(x, app.StatusCompleted); x.Backend != "slow" {
		t.Errorf("it ran in %q", x.Backend)
	}
	if h := w.Health(); h.Checking || h.Backend != "slow" {
		t.Errorf("afterwards %+v", h)
	}
}

// Accepted executions stay queued when no sandbox is fit; later ones are refused.
func TestFirstProofFails(t *testing.T) {
	t.Parallel()
	w, s := launchSlow(t, nil, fails("slow"))
	early := w.Send("result 1")
	close(s.done)
	w.AwaitHealth("outcomes", func(h engine.Health) bool { return !h.Checking })
	_, _, err := w.Submitter.Submit(t.Context(), executions.Submission{ProfileID: w.Profile.ID, Script: "result 1"})
	enginetest.WantCode(t, err, app.CodeSandboxUnavailable)
	s.SetReport(enginetest.Passes("slow", plugins.TierFull))
	w.Must(w.Sandboxes.Prove(t.Context(), "slow"))
	w.Until(early, app.StatusCompleted)
}

// Closing the server doesn't wait for proofs.
func TestCloseDuringTheFirstProof(t *testing.T) {
	t.Parallel()
	w, _ := launchSlow(t, nil, enginetest.Passes("slow", plugins.TierFull))
	w.Must(w.Close(t.Context()))
	_, _, err := w.Submitter.Submit(t.Context(), executions.Submission{ProfileID: w.Profile.ID, Script: "result 1"})
	enginetest.WantCode(t, err, app.CodeSandboxUnavailable)
}

// A host that doesn't answer delays only those who need it.
func TestASlowFirstProofKeepsOnlyThoseWaitingWhoNeedIt(t *testing.T) {
	t.Parallel()
	slowLast := func(c *engine.Config) { slices.Reverse(c.Sandboxes) }
	w, s := launchSlow(t, slowLast, enginetest.Passes("slow", plugins.TierFull),
		enginetest.Passes("weak", plugins.TierRestricted), enginetest.Passes("quick", plugins.TierRestricted))
	w.AwaitHealth("proofs of the others", func(h engine.Health) bool { return h.Ready && h.Backends[1].InUse })
	if h := w.Health(); h.Checking || h.Backend != "quick" || !h.Backends[2].Checking || h.Backends[0].Checking ||
		h.Reason != "" {
		t.Errorf("meanwhile %+v", h)
	}
	w.Require(app.Placement{MinTier: "full"})
	var waits [4]app.Execution
	for i := range waits {
		waits[i] = w.Send("result 1")
	}
	w.AsProfile(w.NewProfile(), func() {
		for _, want := range []string{"quick", "weak"} {
			if x, _ := w.Finished("result 1", app.StatusCompleted); x.Backend != want {
				t.Errorf("it ran in %q, want %q", x.Backend, want)
			}
			w.Require(app.Placement{Backend: "weak"})
		}
	})
	for _, x := range waits {
		if status := w.StoredStatus(x); status != app.StatusPending {
			t.Errorf("%s before the proof has ended", status)
		}
	}
	close(s.done)
	for _, x := range waits {
		if x = w.Until(x, app.StatusCompleted); x.Backend != "slow" {
			t.Errorf("it ran in %q", x.Backend)
		}
	}
}

// Executions for the default wait for its proof; those for another backend don't.
func TestTheDefaultIsNotTakenBeforeItsProof(t *testing.T) {
	t.Parallel()
	w, s := launchSlow(t, nil, enginetest.Passes("slow", plugins.TierFull),
		enginetest.Passes("quick", plugins.TierFull))
	w.AwaitHealth("quick in use", func(h engine.Health) bool { return h.Backends[1].InUse })
	if h := w.Health(); !h.Checking || h.Ready || h.Backends[1].Default || h.Warm != 0 {
		t.Errorf("meanwhile %+v", h)
	}
	waits := w.Send("result 1")
	w.AsProfile(w.NewProfile(), func() {
		w.Require(app.Placement{Backend: "quick"})
		if x, _ := w.Finished("result 1", app.StatusCompleted); x.Backend != "quick" {
			t.Errorf("it ran in %q", x.Backend)
		}
		w.Require(app.Placement{Backend: "nonesuch"})
		w.Finished("result 1", app.StatusError)
	})
	if status := w.StoredStatus(waits); status != app.StatusPending {
		t.Errorf("%s before the proof has ended", status)
	}
	close(s.done)
	if x := w.Until(waits, app.StatusCompleted); x.Backend != "slow" {
		t.Errorf("it ran in %q", x.Backend)
	}
}

// A person's proof during the first ones must not make Auto take a weaker backend.
func TestAutoTriesTheStrongerAlthoughAWeakerWasProvedMeanwhile(t *testing.T) {
	t.Parallel()
	auto := func(c *engine.Config) { c.Auto = true }
	w, s := launchSlow(t, auto, fails("slow"), enginetest.Passes("weak", plugins.TierRestricted),
		enginetest.Passes("strong", plugins.TierFull))
	w.Must(w.Sandboxes.Prove(t.Context(), "weak"))
	if h := w.Health(); !h.Checking || h.Ready {
		t.Errorf("meanwhile %+v", h)
	}
	close(s.done)
	w.AwaitHealth("outcomes", func(h engine.Health) bool { return !h.Checking })
	if h := w.Health(); h.Backend != "strong" || !h.Ready {
		t.Errorf("afterwards %+v", h)
	}
}

// watched is a backend that reports the start of each proof.
type watched struct {
	*fake.Backend
	begins func()
}

func (b watched) Check(ctx context.Context, c plugins.Config) (plugins.Report, error) {
	b.begins()
	return b.Backend.Check(ctx, c)
}

// When all backends are proved again, each result counts before the next proof begins.
func TestAProofCountsBeforeTheNextBegins(t *testing.T) {
	t.Parallel()
	var again atomic.Bool
	var inUse string
	var w *world
	var boxes map[string]*fake.Backend
	w, boxes = yard(t, func(c *engine.Config) {
		c.Pool = -1
		c.Sandboxes[1].Backend = watched{c.Sandboxes[1].Backend.(*fake.Backend), func() {
			if again.Load() {
				inUse = w.Sandboxes.FirstIdentity()
			}
		}}
	}, enginetest.Passes("a", plugins.TierFull), enginetest.Passes("b", plugins.TierFull))
	other := enginetest.Passes("a", plugins.TierFull)
	other.Runtime = "another root"
	boxes["a"].SetReport(other)
	again.Store(true)
	w.Must(w.Sandboxes.Prove(t.Context(), ""))
	if inUse != other.Runtime {
		t.Errorf("%q was in use while the next proof was taken", inUse)
	}
}

// Nobody is refused between the first proof and use of the backend.
func TestNobodyIsRefusedWhenTheFirstProofEnds(t *testing.T) {
	for range 50 {
		w, s := launchSlow(t, nil, enginetest.Passes("slow", plugins.TierFull))
		var watchers sync.WaitGroup
		for range 4 {
			watchers.Go(func() {
				for {
					if reason := w.Sandboxes.Unavailable(); reason != "" {
						t.Errorf("refused: %s", reason)
						return
					}
					if w.Sandboxes.Available() {
						return
					}
				}
			})
		}
		close(s.done)
		watchers.Wait()
		w.Must(w.Close(t.Context()))
	}
}

// A lapsed backend is proved again at once, despite another's running proof.
func TestALapsedBackendIsNotKeptWaitingByAnothersProof(t *testing.T) {
	t.Parallel()
	w, _ := launchSlow(t, func(c *engine.Config) { c.Pool = -1; slices.Reverse(c.Sandboxes) },
		enginetest.Passes("slow", plugins.TierFull), enginetest.Passes("quick", plugins.TierFull))
	w.AwaitHealth("quick in use", func(h engine.Health) bool { return h.Backends[0].InUse })
	quick := w.Config.Sandboxes[0].Backend.(*fake.Backend)
	quick.SetGuest(fake.Exit(1))
	w.Finished("result 1", app.StatusError) // three boxes
	quick.SetGuest(guesttest.Play)
	w.AwaitHealth("quick in use again", func(h engine.Health) bool { return h.Backends[0].InUse })
	w.Finished("result 1", app.StatusCompleted)
}

// Cancelling a request for a proof doesn't interrupt the proof.
func TestWhoAsksForAProofMayLeave(t *testing.T) {
	t.Parallel()
	w := newUnstarted(t)
	asking, leave := context.WithCancel(t.Context())
	checks := atomic.Int64{}
	b := watched{fake.New(t, guesttest.Play), func() {
		if checks.Add(1) == 2 {
			leave()
		}
	}}
	b.SetReport(enginetest.Passes("one", plugins.TierFull))
	w.LaunchEngine(func(c *engine.Config) { c.Sandboxes = []sandbox.BackendConfig{{Name: "one", Backend: b}} })
	w.AwaitHealth("the first proof", func(h engine.Health) bool { return h.Ready })
	first := w.Health().Backends[0].Proved
	if err := w.Sandboxes.Prove(asking, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("who had left was told %v", err)
	}
	if h := w.Health(); !h.Ready || !h.Backends[0].Passed || !h.Backends[0].Proved.After(first) {
		t.Errorf("afterwards %+v", h)
	}
	if err := w.Sandboxes.Prove(asking, ""); !errors.Is(err, context.Canceled) || checks.Load() != 2 {
		t.Errorf("who had left before was told %v, after %d checks", err, checks.Load())
	}
	w.Finished("result 1", app.StatusCompleted)
}
