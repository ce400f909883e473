package backups

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/store"
)

// Hourly and weekly backups run at their times only, late ones aren't missed, missed ones are
// reported, and people see the next time.
func TestHourlyAndWeeklyBackups(t *testing.T) {
	at := func(text string) time.Time { return must[time.Time](t)(time.Parse(time.RFC3339, text)) }
	type moment struct {
		at   string
		adds []string // to the list
		next string
	}
	for every, moments := range map[string][]moment{
		Hourly: {
			{"2026-03-04T12:59:59Z", nil, "2026-03-04T13:00:00Z"},
			{"2026-03-04T13:00:00Z", []string{"verified"}, "2026-03-04T14:00:00Z"},
			{"2026-03-04T13:00:20Z", nil, "2026-03-04T14:00:00Z"},
			{"2026-03-04T13:59:59Z", nil, "2026-03-04T14:00:00Z"},
			{"2026-03-04T14:59:00Z", []string{"verified"}, "2026-03-04T15:00:00Z"},
			{"2026-03-04T23:00:00Z", []string{"missed", "verified"}, "2026-03-05T00:00:00Z"},
			{"2026-03-05T00:00:00Z", []string{"verified"}, "2026-03-05T01:00:00Z"},
			// summer time begins somewhere: UTC knows none
			{"2026-03-29T01:30:00Z", []string{"missed", "verified"}, "2026-03-29T02:00:00Z"},
			{"2026-03-29T02:00:00Z", []string{"verified"}, "2026-03-29T03:00:00Z"},
		},
		Weekly: {
			{"2026-03-04T13:00:00Z", nil, "2026-03-08T03:00:00Z"}, // a Wednesday
			{"2026-03-08T02:59:59Z", nil, "2026-03-08T03:00:00Z"},
			{"2026-03-08T03:00:00Z", []string{"verified"}, "2026-03-15T03:00:00Z"},
			{"2026-03-09T03:00:00Z", nil, "2026-03-15T03:00:00Z"},
			{"2026-03-14T23:59:59Z", nil, "2026-03-15T03:00:00Z"},
			{"2026-03-17T08:00:00Z", []string{"verified"}, "2026-03-22T03:00:00Z"},
			{"2026-04-13T08:00:00Z", []string{"missed", "verified"}, "2026-04-19T03:00:00Z"},
		},
	} {
		t.Run(every, func(t *testing.T) {
			h := newFixture(t, "aaaa")
			c := timed(h)
			settings := toDir(t.TempDir())
			settings.Every = every
			h.No(h.SetBackupSettings(t.Context(), person(), settings))
			var want []string
			for _, m := range moments {
				c.set(at(m.at))
				h.No(h.tick(t.Context()))
				want = append(want, m.adds...)
				state := must[BackupState](t)(h.BackupState(t.Context()))
				if diff := cmp.Diff(want, h.list()); diff != "" || !state.Next.Equal(at(m.next)) || state.Problem != "" {
					t.Errorf("at %s: next %s, %q, %s", m.at, state.Next, state.Problem, diff)
				}
			}
			if stored := names(t, settings.Directory); len(stored) != 2 {
				t.Errorf("%d files, two are kept", len(stored))
			}
			if !slices.Contains(h.Actions(), "backup.missed") {
				t.Error("a missed backup is not audited")
			}
		})
	}
}

// The server makes what is due when it starts, by the clock, whatever the frequency.
func TestTheServerMakesTheBackupThatIsDue(t *testing.T) {
	for _, every := range []string{Hourly, Daily, Weekly} {
		t.Run(every, func(t *testing.T) {
			h := newFixture(t, "aaaa")
			c := timed(h)
			settings := toDir(t.TempDir())
			settings.Every = every
			h.No(h.SetBackupSettings(t.Context(), person(), settings))
			c.set(c.now().Add(step(every)))
			ctx, cancel := context.WithCancel(t.Context())
			ran := make(chan struct{})
			go func() { defer close(ran); h.Run(ctx) }()
			for deadline := time.Now().Add(30 * time.Second); !slices.Equal(h.list(),
				[]string{store.BackupVerified}); time.Sleep(20 * time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatalf("%v", h.list())
				}
			}
			cancel()
			<-ran
			b := must[BackupState](t)(h.BackupState(t.Context())).List[0]
			if b.Cause != "schedule" || !b.Slot.Equal(slotBefore(every, c.now())) {
				t.Errorf("%+v", b)
			}
		})
	}
}

// A backup that another process never ended counts as failed after half a day. All failures are
// audited.
func TestALostBackupIsAudited(t *testing.T) {
	h := newFixture(t, "aaaa")
	h.No(h.SetBackupSettings(t.Context(), person(), toDir(t.TempDir())))
	h.No(h.Store.Write(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Backups.Begin(t.Context(),
			store.Backup{Cause: "person", By: person(), StartedAt: h.now().Add(-backupTime - time.Minute)})
		return err
	}))
	must[store.Backup](t)(h.BackUp(t.Context(), person()))
	if diff := cmp.Diff([]string{store.BackupFailed, store.BackupVerified}, h.list()); diff != "" ||
		!slices.Contains(h.Actions(), "backup.failed") {
		t.Errorf("%v, %s", h.Actions(), diff)
	}
}

// After a change from daily to hourly no past hour counts as missed; the next hour is due.
func TestAnotherFrequencyMissesNothing(t *testing.T) {
	h := newFixture(t, "aaaa")
	c := timed(h)
	settings := toDir(t.TempDir())
	h.No(h.SetBackupSettings(t.Context(), person(), settings))
	c.set(time.Date(2026, 3, 5, 3, 0, 0, 0, time.UTC))
	h.No(h.tick(t.Context()))
	c.set(time.Date(2026, 3, 5, 14, 30, 0, 0, time.UTC))
	settings.Every = Hourly
	h.No(h.SetBackupSettings(t.Context(), person(), settings))
	for _, hour := range []int{14, 15} {
		c.set(time.Date(2026, 3, 5, hour, 31, 0, 0, time.UTC))
		h.No(h.tick(t.Context()))
	}
	if diff := cmp.Diff([]string{store.BackupVerified, store.BackupVerified}, h.list()); diff != "" ||
		slices.Contains(h.Actions(), "backup.missed") {
		t.Errorf("%v, %s", h.Actions(), diff)
	}
}

// The clock was five years ahead when backups were switched on or made. Once it is right, the
// schedule works again.
func TestAClockThatWasAheadStopsNoSchedule(t *testing.T) {
	right := time.Date(2026, 3, 4, 12, 30, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		switched time.Time
		list     []string // when the clock is right again
	}{
		"when one was made":          {right, []string{"missed", "verified"}},
		"when they were switched on": {right.AddDate(5, 0, 0), nil},
	} {
		t.Run(name, func(t *testing.T) {
			h := newFixture(t, "aaaa")
			c, want := timed(h), tt.list
			c.set(tt.switched)
			h.No(h.SetBackupSettings(t.Context(), person(), toDir(t.TempDir())))
			c.set(right.AddDate(5, 0, 0))
			h.No(h.tick(t.Context()))
			for day := range 3 {
				c.set(right.AddDate(0, 0, 1+day))
				for range 2 {
					h.No(h.tick(t.Context()))
				}
				want = append(want, "verified")
			}
			if diff := cmp.Diff(want, h.list()); diff != "" {
				t.Error(diff)
			}
		})
	}
}
