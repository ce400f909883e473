package backups

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/transfer/content"
	"github.com/computclaw/airlock/store"
)

const retryAfter = 30 * time.Minute

// Run makes backups as the settings say until ctx ends. One process per instance may run it. It
// marks as failed the backups that a former process left running.
func (s *Service) Run(ctx context.Context) {
	err := s.cfg.Store.Write(ctx, func(tx *store.Tx) error {
		return s.endLost(ctx, tx)
	})
	if err != nil && ctx.Err() == nil {
		s.cfg.Log.ErrorContext(ctx, "recording interrupted backups failed", "error", err)
	}
	tick := time.NewTicker(20 * time.Second)
	defer tick.Stop()
	for {
		if err := s.tick(ctx); err != nil && ctx.Err() == nil {
			s.cfg.Log.ErrorContext(ctx, "scheduled backup failed", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// tick makes the backup that is due, if one is, and notes what was missed.
func (s *Service) tick(ctx context.Context) error {
	settings, ok, err := s.BackupSettings(ctx)
	if err != nil || !ok || !settings.On {
		return err
	}
	now := s.now()
	slot := slotBefore(settings.Every, now)
	var last store.Backup
	var any bool
	if err := s.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		last, any, err = tx.Backups.LastScheduled(ctx, now)
		return err
	}); err != nil {
		return err
	}
	from := settings.Since
	if from.After(now) { // the clock was ahead then: that time must not have to come before there are backups again
		from = slot.Add(-time.Nanosecond)
	}
	if any && last.Slot.After(from) {
		from = last.Slot
	}
	again := any && last.Slot.Equal(slot) && last.Status == store.BackupFailed && now.Sub(last.FinishedAt) >= retryAfter
	if !slot.After(from) && !again {
		return nil
	}
	if missed := slotsBetween(settings.Every, from, slot); missed > 0 {
		if err := s.noteMissed(ctx, settings, missed, from, slot); err != nil {
			return err
		}
	}
	_, err = s.attempt(ctx, store.Backup{Cause: "schedule", By: app.System(), Slot: slot})
	if app.CodeOf(err) == app.CodeConflict { // one that was asked for is under way; the next tick looks again
		return nil
	}
	return err
}

func (s *Service) noteMissed(ctx context.Context, settings BackupSettings, n int, from, slot time.Time) error {
	detail := fmt.Sprintf("%s missed before %s: the server did not run, or another backup took too long.",
		were(n), slot.UTC().Format(time.RFC3339))
	b := store.Backup{Cause: "schedule", By: app.System(), Slot: slotBefore(settings.Every, slot.Add(-time.Second)),
		Status: store.BackupMissed, Target: settings.place(), Error: detail,
		StartedAt: s.now(), FinishedAt: s.now()}
	return s.cfg.Store.Write(ctx, func(tx *store.Tx) error {
		if err := tx.Backups.Note(ctx, b); err != nil {
			return err
		}
		return tx.Audit(ctx, s.event(app.System(), "backup.missed", "backups", detail))
	})
}

func were(n int) string {
	if n == 1 {
		return "1 backup was"
	}
	return fmt.Sprintf("%d backups were", n)
}

// slotBefore is the last time of the schedule at or before now.
func slotBefore(every string, now time.Time) time.Time {
	now = now.UTC()
	if every == Hourly {
		return now.Truncate(time.Hour)
	}
	slot := now.Truncate(24 * time.Hour).Add(3 * time.Hour)
	if slot.After(now) {
		slot = slot.AddDate(0, 0, -1)
	}
	if every == Weekly {
		slot = slot.AddDate(0, 0, -int(slot.Weekday()))
	}
	return slot
}

// step is the time between two times of the schedule.
func step(every string) time.Duration {
	return map[string]time.Duration{Hourly: time.Hour, Daily: 24 * time.Hour, Weekly: 7 * 24 * time.Hour}[every]
}

// slotsBetween counts the times of the schedule after from and before slot.
func slotsBetween(every string, from, slot time.Time) int {
	return max(0, int((slot.Sub(slotBefore(every, from))-1)/step(every)))
}

// BackupState is the state of backups, for people.
type BackupState struct {
	Settings BackupSettings // without use for its secrets
	Set      bool
	Place    string
	Next     time.Time // zero: none is due
	List     []store.Backup
	Problem  string // "" if all is well
}

// BackupState returns the state of backups.
func (s *Service) BackupState(ctx context.Context) (b BackupState, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		if b.Settings, b.Set, err = s.readSettings(ctx, tx); err != nil {
			return err
		}
		b.List, err = tx.Backups.List(ctx, 50)
		return err
	})
	if err != nil || !b.Set {
		return b, err
	}
	b.Place = b.Settings.place()
	if !b.Settings.On {
		return b, nil
	}
	b.Next = slotBefore(b.Settings.Every, s.now()).Add(step(b.Settings.Every))
	if last, bad := lastFailed(b.List); bad {
		b.Problem = last.Error
	}
	return b, nil
}

// BackupTrouble returns the last attempt if it failed or was missed while backups are on. A person
// has to look after it.
func (s *Service) BackupTrouble(ctx context.Context) (last store.Backup, bad bool, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		list, err := tx.Backups.List(ctx, 5)
		if err != nil {
			return err
		}
		if last, bad = lastFailed(list); !bad {
			return nil
		}
		settings, ok, err := s.readSettings(ctx, tx)
		bad = ok && settings.On
		return err
	})
	return last, bad, err
}

// lastFailed returns the newest attempt that has ended, and whether it came to nothing.
func lastFailed(newestFirst []store.Backup) (last store.Backup, bad bool) {
	for _, b := range newestFirst {
		if b.Status != store.BackupRunning {
			return b, b.Status != store.BackupVerified
		}
	}
	return store.Backup{}, false
}

// DescribeRestore says what was found in a backup when it was restored.
func DescribeRestore(b store.Backup) string {
	var c content.Counts
	if err := json.Unmarshal([]byte(b.Counts), &c); err != nil {
		return ""
	}
	return c.String()
}
