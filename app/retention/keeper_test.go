package retention

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
	"github.com/computclaw/airlock/store/storefill"
	"github.com/computclaw/airlock/store/storetest"
)

var executions = flag.Int("executions", 400, "how many executions TestAPassLeavesRoomForOthers removes")

var end = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

// filled opens a store with n executions of the last 60 days, the newest at end.
func filled(t *testing.T, n int) *store.Store {
	t.Helper()
	dir := t.TempDir()
	must(t, storefill.Fill(t.Context(), storetest.Create(t, dir), n, end))
	return storetest.OpenIn(t, dir, nil)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func keeper(s *store.Store, p Policy, after time.Duration) *Keeper {
	return New(Config{Store: s, Policy: p, Now: func() time.Time { return end.Add(after) }})
}

func left(t *testing.T, s *store.Store) (n int64) {
	t.Helper()
	must(t, s.Read(t.Context(),
		func(tx *store.Tx) (err error) { n, err = tx.Executions.CountEnded(t.Context(), nil); return err }))
	return n
}

func events(t *testing.T, s *store.Store) (list []app.Event) {
	t.Helper()
	must(t, s.Read(t.Context(), func(tx *store.Tx) error {
		return tx.Events.Each(t.Context(), func(r store.EventRow) error {
			list = append(list, app.Event{Action: r.Action, Detail: r.Detail})
			return nil
		})
	}))
	return list
}

func TestAPassRemovesWhatIsTooOld(t *testing.T) {
	s := filled(t, 600) // ten a day
	k := keeper(s, Policy{Days: 20}, 2*time.Hour)
	must(t, k.Pass(t.Context()))
	if n := left(t, s); n < 195 || n > 205 {
		t.Errorf("%d are left, want those of 20 days", n)
	}
	status, err := k.Status(t.Context())
	must(t, err)
	if status.Last != int(600-left(t, s)) || status.All != int64(status.Last) ||
		!status.PassedAt.Equal(end.Add(2*time.Hour)) {
		t.Errorf("status %+v", status)
	}
	must(t, k.Pass(t.Context()))
	list := events(t, s)
	if len(list) != 1 || list[0].Action != "executions.remove" ||
		!strings.HasSuffix(list[0].Detail, "executions for their age; 20 days are kept.") {
		t.Errorf("the audit log says %v, want one event for the one pass that did something", list)
	}
	must(t, s.Read(t.Context(), func(tx *store.Tx) error {
		usage, err := tx.Stats.Usage(t.Context(), store.Daily, end.AddDate(0, 0, -100), end.AddDate(0, 0, 1))
		var all int64
		for _, u := range usage {
			all += u.Completed + u.Error + u.Timeout + u.Cancelled
		}
		if all != 600 {
			t.Errorf("the statistics count %d of 600", all)
		}
		return err
	}))
}

func TestAPassRemovesWhatIsTooMuch(t *testing.T) {
	s := filled(t, 600)
	must(t, keeper(s, Policy{Count: 3}, 2*time.Hour).Pass(t.Context()))
	must(t, s.Read(t.Context(), func(tx *store.Tx) error {
		handles, err := tx.Pruning.Profiles(t.Context())
		for _, h := range handles {
			if oldest, err := tx.Pruning.OldestOf(t.Context(), h, 4, time.Now()); err != nil || oldest != 0 {
				t.Errorf("%s has more than 3 executions (%v)", h, err)
			}
		}
		return err
	}))
}

func TestHoleH2SupersededValuesGo(t *testing.T) {
	s := filled(t, 1)
	superseded := func() (n int) {
		must(t, s.Read(t.Context(), func(tx *store.Tx) error {
			list, err := tx.Values.Belongings(t.Context())
			n = len(list) - 1 // without the present value
			return err
		}))
		return n
	}
	must(t, s.Write(t.Context(), func(tx *store.Tx) error {
		c := app.Credential{ID: app.NewID(), Name: "A", Mode: app.ModeSealed, Source: app.SourceLocal,
			Hosts: []app.Host{{Name: "api.test", Ports: []int{443}}}}
		err := tx.Credentials.Insert(t.Context(), c)
		for version := 1; version <= 2 && err == nil; version++ {
			err = tx.Values.Insert(t.Context(),
				store.Value{CredentialID: c.ID, Version: version, Sealed: []byte("sealed"), At: end})
		}
		return err
	}))
	for _, c := range []struct {
		days  int
		after time.Duration
		left  int
	}{{30, 29 * 24 * time.Hour, 1}, {30, 31 * 24 * time.Hour, 0}} {
		must(t, keeper(s, Policy{Superseded: c.days}, c.after).Pass(t.Context()))
		if n := superseded(); n != c.left {
			t.Errorf("%v after it was replaced %d are left, want %d", c.after, n, c.left)
		}
	}
}

func TestTheZeroPolicyKeepsEverything(t *testing.T) {
	s := filled(t, 50)
	must(t, keeper(s, Policy{}, 1000*24*time.Hour).Pass(t.Context()))
	if n := left(t, s); n != 50 || len(events(t, s)) != 0 {
		t.Errorf("%d of 50 are left", n)
	}
}

func TestTheLastHourStays(t *testing.T) {
	s := filled(t, 50)
	x := secondNewest(t, s)
	for _, c := range []struct {
		after time.Duration
		stays bool
	}{{59 * time.Minute, true}, {61 * time.Minute, false}} {
		must(t, keeper(s, Policy{Count: 1}, x.CompletedAt.Add(c.after).Sub(end)).Pass(t.Context()))
		if is := isThere(t, s, x); is != c.stays {
			t.Errorf("%v after its end: it is there: %t", c.after, is)
		}
	}
}

func TestAKeysExecutionStays(t *testing.T) {
	s := filled(t, 50)
	x := secondNewest(t, s)
	must(t, s.Write(t.Context(), func(tx *store.Tx) error {
		if err := tx.Profiles.Insert(t.Context(),
			store.Profile{Profile: app.Profile{Handle: x.ProfileHandle, CreatedAt: x.CreatedAt}, Lookup: []byte("lookup"),
				SealedID: []byte("sealed")}); err != nil {
			return err
		}
		return tx.Queue.Remember(t.Context(), x.ProfileHandle, x.Handle, []byte("key"), []byte("body"), x.CreatedAt,
			x.CreatedAt)
	}))
	for _, c := range []struct {
		after time.Duration
		stays bool
	}{{23 * time.Hour, true}, {25 * time.Hour, false}} {
		now := x.CreatedAt.Add(c.after)
		must(t, keeper(s, Policy{Count: 1, Days: 1}, now.Sub(end)).Pass(t.Context()))
		replayed := ""
		must(t, s.Read(t.Context(), func(tx *store.Tx) (err error) {
			replayed, err = tx.Queue.ByKey(t.Context(), x.ProfileHandle, []byte("key"), []byte("body"),
				now.Add(-app.IdempotencyLife))
			return err
		}))
		if is := isThere(t, s, x); is != c.stays || is != (replayed == x.Handle) {
			t.Errorf("%v after it was submitted: it is there: %t, its key stands for %q", c.after, is, replayed)
		}
	}
}

// secondNewest is the newest execution that is not its profile's newest.
func secondNewest(t *testing.T, s *store.Store) app.Execution {
	t.Helper()
	profiles := map[string]bool{}
	for i := 49; i >= 0; i-- {
		var x store.Execution
		must(t, s.Read(t.Context(), func(tx *store.Tx) (err error) {
			x, err = tx.Executions.ByHandle(t.Context(), fmt.Sprintf("x%011d", i))
			return err
		}))
		if profiles[x.ProfileHandle] {
			return x.Execution
		}
		profiles[x.ProfileHandle] = true
	}
	t.Fatal("no profile has two executions")
	return app.Execution{}
}

func isThere(t *testing.T, s *store.Store, x app.Execution) bool {
	t.Helper()
	err := s.Read(t.Context(),
		func(tx *store.Tx) error { _, err := tx.Executions.ByHandle(t.Context(), x.Handle); return err })
	if err != nil && app.CodeOf(err) != app.CodeNotFound {
		t.Fatal(err)
	}
	return err == nil
}

func TestAnInterruptedPassIsReported(t *testing.T) {
	s := filled(t, 600)
	ctx, cancel := context.WithCancel(t.Context())
	cut := errors.New("cut")
	k := keeper(s, Policy{Days: 20}, 2*time.Hour)
	first := true
	err := k.batches(ctx, func(tx *store.Tx, limit int) (removed, error) {
		if !first {
			cancel()
			return removed{}, cut
		}
		first = false
		n, err := tx.Pruning.RemoveAged(ctx, end, store.Kept{EndedSince: end, RepeatedSince: end}, limit)
		return removed{Aged: n}, err
	})
	if !errors.Is(err, cut) || len(events(t, s)) != 0 {
		t.Fatalf("%v %v", err, events(t, s))
	}
	must(t, keeper(s, Policy{Days: 100}, 2*time.Hour).Pass(t.Context()))
	if list := events(t, s); len(list) != 1 || !strings.HasPrefix(list[0].Detail, "Removed 20 executions") {
		t.Errorf("the audit log says %v", list)
	}
}

// TestOthersWaitForOneBatchAtMost: any number of waiting writers run before the next batch. Only
// batches and pauses take time in this test, so waits are exact to the nanosecond.
func TestOthersWaitForOneBatchAtMost(t *testing.T) {
	const batch = batchTime * 4 / 5 // no reason to make batches larger or smaller
	s := filled(t, 30*firstBatch)
	synctest.Test(t, func(t *testing.T) {
		batches := 0
		// asked once at the start, and in each batch's transaction
		k := New(Config{Store: s, Policy: Policy{Days: 1}, Now: func() time.Time {
			batches++
			time.Sleep(batch)
			return end.Add(1000 * 24 * time.Hour)
		}})
		ctx, cancel := context.WithCancel(t.Context())
		var others sync.WaitGroup
		waited := make([]int, 3)
		for i := range waited {
			others.Go(func() {
				for ; ctx.Err() == nil; time.Sleep(time.Millisecond) {
					wait := write(t, s)
					if wait > batch {
						t.Errorf("a write waited for %v, and a batch takes %v", wait, batch)
					}
					if wait > 0 {
						waited[i]++
					}
				}
			})
		}
		must(t, k.Pass(t.Context()))
		cancel()
		others.Wait()
		for i, n := range waited {
			if n < batches-5 || batches < 30 {
				t.Errorf("writer %d waited for %d of %d batches, and asked all the time", i, n, batches)
			}
		}
	})
}

func TestAPassBeginsAnHourAfterTheOneBefore(t *testing.T) {
	s := storetest.Open(t)
	synctest.Test(t, func(t *testing.T) {
		const half = 2 * time.Hour // of a pass, which asks for the time at its begin and its end
		ctx, cancel := context.WithCancel(t.Context())
		var asked []time.Time
		k := New(Config{Store: s, Now: func() time.Time {
			asked = append(asked, time.Now())
			if len(asked) == 3 {
				cancel()
			}
			time.Sleep(half)
			return end
		}})
		k.Run(ctx)
		if next := asked[2].Sub(asked[0]); next != 2*half+every {
			t.Errorf("the next pass began after %v, want %v", next, 2*half+every)
		}
	})
}

func write(t *testing.T, s *store.Store) (waited time.Duration) {
	asked := time.Now()
	err := s.Write(t.Context(), func(tx *store.Tx) error {
		waited = time.Since(asked)
		return tx.Settings.Set(t.Context(), asked, store.Setting{Key: "other.work", Value: []byte("x")})
	})
	if err != nil {
		t.Error(err)
	}
	return waited
}

// TestAPassLeavesRoomForOthers: others write between its batches. make retention measures their
// waits with a million executions.
func TestAPassLeavesRoomForOthers(t *testing.T) {
	s := filled(t, *executions)
	var batches atomic.Int64
	k := New(Config{Store: s, Policy: Policy{Days: 1},
		Now: func() time.Time { batches.Add(1); return end.Add(1000 * 24 * time.Hour) }})
	done := make(chan error, 1)
	began := time.Now()
	go func() { done <- k.Pass(t.Context()) }()
	var waits []time.Duration
	var most int64   // batches that ended while one write waited, with that under way
	between := false // somebody wrote when a part was gone
	for running := true; running; {
		select {
		case err := <-done:
			must(t, err)
			running = false
		default:
			asked, before := time.Now(), batches.Load()
			must(t, s.Write(t.Context(), func(tx *store.Tx) error {
				most = max(most, batches.Load()-before)
				if !between {
					n, err := tx.Executions.CountEnded(t.Context(), nil)
					must(t, err)
					between = n > 0 && n < int64(*executions)
				}
				return tx.Settings.Set(t.Context(), asked, store.Setting{Key: "other.work", Value: []byte("x")})
			}))
			waits = append(waits, time.Since(asked))
			time.Sleep(time.Millisecond) // others have something else to do, too
		}
	}
	if n := left(t, s); n != 0 {
		t.Errorf("%d are left", n)
	}
	if !between {
		t.Error("nobody else wrote before all were gone")
	}
	slices.Sort(waits)
	t.Logf("removed %d in %v, in %d batches; %d writes beside it waited p50 %v, p95 %v, p99 %v, longest %v, for %d "+
		"batches at most", *executions, time.Since(began).Round(time.Millisecond), batches.Load(),
		len(waits), waits[len(waits)/2], waits[len(waits)*95/100], waits[len(waits)*99/100], waits[len(waits)-1], most)
}
