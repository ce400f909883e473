package engine

import (
	"context"
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
func launchSlow(t *testing.T, report plugins.Report, others ...plugins.Report) (*world, slow) {
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
	})
	return w, s
}

// The server answers before its sandboxes are proved: what is submitted meanwhile is neither refused nor lost, and runs where it would have run a second later.
func TestSubmittedDuringTheFirstProof(t *testing.T) {
	w, s := launchSlow(t, passes("slow", plugins.TierFull), passes("quick", plugins.TierFull))
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
	w, s := launchSlow(t, fails("slow"))
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
	w, _ := launchSlow(t, passes("slow", plugins.TierFull))
	w.must(w.Close(t.Context()))
	_, _, err := w.Submit(t.Context(), Submission{ProfileID: w.profile.ID, Script: "result 1"})
	wantCode(t, err, app.CodeSandboxUnavailable)
}
