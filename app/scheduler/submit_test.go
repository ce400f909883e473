package scheduler_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/engine/enginetest"
	"github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/store"
)

func TestWhatFindsAFreeSlotIsClaimedWithItsCommit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *engine.Config) { c.Workers = 1 })
	atOnce := 0
	for range 20 {
		x := w.Send("hang")
		if x.Status != app.StatusPending {
			t.Errorf("accepted as %s", x.Status)
		}
		if w.StoredStatus(x) == app.StatusRunning {
			atOnce++
		}
		w.UntilStatus(x, app.StatusRunning)
		waits := w.Send("hang")
		if status := w.StoredStatus(waits); status != app.StatusPending {
			t.Errorf("without a free slot %s", status)
		}
		for _, one := range []app.Execution{waits, x} {
			_, err := w.Controller.Cancel(t.Context(), one.ID, enginetest.Agent)
			w.Must(err)
		}
		w.AwaitSlots(1)
	}
	if atOnce < 10 { // the dispatcher may hold the slot for a moment, to see that nothing waits
		t.Errorf("%d of 20 were claimed with their commit", atOnce)
	}
}

func TestNothingIsClaimedAtOnceWhilePeopleHoldTheQueue(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Must(w.Access.Switches.Pause(t.Context(), enginetest.Person))
	x := w.Send("print 1")
	if status := w.StoredStatus(x); status != app.StatusPending {
		t.Errorf("%s while all is paused", status)
	}
	w.Must(w.Access.Switches.Resume(t.Context(), enginetest.Person))
	w.Until(x, app.StatusCompleted)
}

func TestClosingDuringSubmissionsLeavesNoneRunning(t *testing.T) {
	t.Parallel()
	for round := range 10 {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			w := newWorld(t, func(c *engine.Config) { c.Workers = 3 })
			var agents sync.WaitGroup
			for range 4 {
				agents.Go(func() {
					for {
						if _, _, err := w.Submitter.Submit(t.Context(),
							executions.Submission{ProfileID: w.Profile.ID, Script: "print 1",
								By: enginetest.Agent}); err != nil {
							return // it is closed, or its queue is full
						}
					}
				})
			}
			time.Sleep(time.Duration(round) * 3 * time.Millisecond)
			w.Must(w.Close(t.Context()))
			agents.Wait()
			w.Must(w.Store.Read(t.Context(), func(tx *store.Tx) error {
				left, err := tx.Executions.ListUnfinished(context.Background(), "")
				for _, x := range left {
					if x.Status != app.StatusPending {
						t.Errorf("%s is left %s", x.Handle, x.Status)
					}
				}
				return err
			}))
		})
	}
}

func TestARefusedSubmissionGivesItsSlotBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *engine.Config) { c.Workers = 1 })
	submission := executions.Submission{ProfileID: w.Profile.ID, Script: "print 1", By: enginetest.Agent,
		IdempotencyKey: "one"}
	x, _, err := w.Submitter.Submit(t.Context(), submission)
	w.Must(err)
	x.ID = w.Until(x, app.StatusCompleted).ID
	for range 3 {
		again, replayed, err := w.Submitter.Submit(t.Context(), submission)
		if err != nil || !replayed || again.ID != x.ID {
			t.Fatalf("%+v, replayed %v: %v", again, replayed, err)
		}
	}
	submission.Script = "print 2"
	_, _, err = w.Submitter.Submit(t.Context(), submission)
	enginetest.WantCode(t, err, app.CodeIdempotencyReused)
	w.AwaitSlots(1)
	w.Finished("print 2", app.StatusCompleted)
}

func TestQueueFull(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *engine.Config) { c.Workers, c.Queue, c.QueuePerProfile = 1, 3, 2 })
	blocker := w.Send("hang")
	w.UntilStatus(blocker, app.StatusRunning)
	w.Send("result 1")
	w.Send("result 1")
	_, _, err := w.Submitter.Submit(t.Context(),
		executions.Submission{ProfileID: w.Profile.ID, Script: "result 1", By: enginetest.Agent})
	enginetest.WantCode(t, err, app.CodeQueueFull)
	w.Profile = w.NewProfile() // others are still served, up to the whole queue
	w.Send("result 1")
	_, _, err = w.Submitter.Submit(t.Context(), executions.Submission{ProfileID: w.Profile.ID, Script: "result 1",
		By: enginetest.Agent})
	enginetest.WantCode(t, err, app.CodeQueueFull)
	if h := w.Health(); h.Queued != 3 || h.Running != 1 {
		t.Errorf("health %+v", h)
	}
}

func TestNoSandbox(t *testing.T) {
	t.Parallel()
	notReady := plugins.Report{Name: "fake", Reason: "install bubblewrap"}
	weak := plugins.Report{Name: "fake", Ready: true, Tier: plugins.TierNone}
	long := strings.Repeat("a", 1<<10+1) // it would go into manifests, and backups with those could not be restored
	lengthy := plugins.Report{Name: "fake", Ready: true, Tier: plugins.TierFull, Runtime: long}
	illustrated := plugins.Report{Name: "fake", Ready: true, Tier: plugins.TierFull,
		Images: map[string]string{"small": long}}
	for want, report := range map[string]plugins.Report{
		"install bubblewrap": notReady, "too weak": weak, "the identity of its runtime is longer": lengthy,
		`the image "small" or its identity is longer`: illustrated,
	} {
		w := newWorld(t)
		w.Must(w.Close(t.Context()))
		w.Fake.SetReport(report)
		w.StartEngine()
		_, _, err := w.Submitter.Submit(t.Context(),
			executions.Submission{ProfileID: w.Profile.ID, Script: "result 1", By: enginetest.Agent})
		enginetest.WantCode(t, err, app.CodeSandboxUnavailable)
		if h := w.Health(); h.Ready || !strings.Contains(h.Reason, want) || !strings.Contains(err.Error(), want) {
			t.Errorf("health %+v, error %v", h, err)
		}
	}
}
