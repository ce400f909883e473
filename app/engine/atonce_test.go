package engine

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// stored is an execution's status in the database.
func (w *world) stored(x app.Execution) app.Status {
	w.t.Helper()
	now, err := w.ByHandle(w.t.Context(), x.Handle)
	w.must(err)
	return now.Status
}

func TestWhatFindsAFreeSlotIsClaimedWithItsCommit(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.Workers = 1 })
	atOnce := 0
	for range 20 {
		x := w.submit("hang")
		if x.Status != app.StatusPending {
			t.Errorf("accepted as %s", x.Status)
		}
		if w.stored(x) == app.StatusRunning {
			atOnce++
		}
		w.untilStatus(x, app.StatusRunning)
		waits := w.submit("hang")
		if status := w.stored(waits); status != app.StatusPending {
			t.Errorf("without a free slot %s", status)
		}
		for _, one := range []app.Execution{waits, x} {
			_, err := w.Cancel(t.Context(), one.ID, agent)
			w.must(err)
		}
		w.slotsFree(1)
	}
	if atOnce < 10 { // the dispatcher may hold the slot for a moment, to see that nothing waits
		t.Errorf("%d of 20 were claimed with their commit", atOnce)
	}
}

// slotsFree waits until so many run slots are free.
func (w *world) slotsFree(n int) {
	w.t.Helper()
	for limit := time.After(20 * time.Second); ; {
		w.slots.mu.Lock()
		free := w.slots.free
		w.slots.mu.Unlock()
		if free == n {
			return
		}
		select {
		case <-limit:
			w.t.Fatalf("%d slots are free, want %d", free, n)
		case <-time.After(time.Millisecond):
		}
	}
}

func TestNothingIsClaimedAtOnceWhilePeopleHoldTheQueue(t *testing.T) {
	w := newWorld(t)
	w.must(w.access.PauseExecutions(t.Context(), person))
	x := w.submit("print 1")
	if status := w.stored(x); status != app.StatusPending {
		t.Errorf("%s while all is paused", status)
	}
	w.must(w.access.ResumeExecutions(t.Context(), person))
	w.until(x, app.StatusCompleted)
}

func TestClosingDuringSubmissionsLeavesNoneRunning(t *testing.T) {
	for round := range 10 {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			w := newWorld(t, func(c *Config) { c.Workers = 3 })
			var agents sync.WaitGroup
			for range 4 {
				agents.Go(func() {
					for {
						if _, _, err := w.Submit(t.Context(), Submission{ProfileID: w.profile.ID, Script: "print 1", By: agent}); err != nil {
							return // it is closed, or its queue is full
						}
					}
				})
			}
			time.Sleep(time.Duration(round) * 3 * time.Millisecond)
			w.must(w.Close(t.Context()))
			agents.Wait()
			w.must(w.store.Read(t.Context(), func(tx *store.Tx) error {
				left, err := tx.Unfinished(context.Background(), "")
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
	w := newWorld(t, func(c *Config) { c.Workers = 1 })
	submission := Submission{ProfileID: w.profile.ID, Script: "print 1", By: agent, IdempotencyKey: "one"}
	x, _, err := w.Submit(t.Context(), submission)
	w.must(err)
	x.ID = w.until(x, app.StatusCompleted).ID
	for range 3 {
		again, replayed, err := w.Submit(t.Context(), submission)
		if err != nil || !replayed || again.ID != x.ID {
			t.Fatalf("%+v, replayed %v: %v", again, replayed, err)
		}
	}
	submission.Script = "print 2"
	_, _, err = w.Submit(t.Context(), submission)
	wantCode(t, err, app.CodeIdempotencyReused)
	w.slotsFree(1)
	w.finished("print 2", app.StatusCompleted)
}
