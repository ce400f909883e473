package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"github.com/computclaw/airlock/app"
)

// Statuses of backups.
const (
	BackupRunning  = "running"
	BackupVerified = "verified"
	BackupFailed   = "failed"
	BackupMissed   = "missed"
)

// Backup is one attempt, or a time that passed without one.
type Backup struct {
	ID         int64
	Cause      string // schedule or person
	By         app.Actor
	Slot       time.Time // of the schedule; zero if it was asked for
	Status     string
	Target     string
	Name       string // of the file
	Size       int64  // bytes
	Counts     string // JSON
	Error      string
	StartedAt  time.Time
	FinishedAt time.Time
}

// Begin notes an attempt as running and returns its id. CodeConflict if one is running already,
// also in another process.
func (tx Backups) Begin(ctx context.Context, b Backup) (int64, error) {
	row := b.row()
	row.Status = BackupRunning
	err := gorm.G[backupRow](tx.db).Create(ctx, &row)
	if errors.Is(err, gorm.ErrDuplicatedKey) {
		return 0, app.E(app.CodeConflict, "a backup is under way already", "Wait until it has ended.")
	}
	if err != nil {
		return 0, fmt.Errorf("store: begin backup: %w", err)
	}
	return row.ID, nil
}

// Note records one that has ended, or was missed.
func (tx Backups) Note(ctx context.Context, b Backup) error {
	row := b.row()
	if err := gorm.G[backupRow](tx.db).Create(ctx, &row); err != nil {
		return fmt.Errorf("store: note backup: %w", err)
	}
	return nil
}

// End notes how a running one ended.
func (tx Backups) End(ctx context.Context, b Backup) error {
	n, err := tx.exec(ctx, "UPDATE backups SET status = ?, target = ?, name = ?, size = ?, counts = ?, error = ?, "+
		"finished_at = ? WHERE id = ? AND status = 'running'",
		b.Status, b.Target, b.Name, b.Size, orEmpty(b.Counts), b.Error, toMillis(b.FinishedAt), b.ID)
	return changed(n, err, "backup")
}

// MarkDeleted notes that the file of a verified one is gone, since newer ones are kept: who looks
// for it must not take the list for what is there.
func (tx Backups) MarkDeleted(ctx context.Context, name string) error {
	if _, err := tx.exec(ctx,
		"UPDATE backups SET error = 'Deleted since, as newer ones are kept.' WHERE name = ? AND status = 'verified'",
		name); err != nil {
		return fmt.Errorf("store: backup deleted: %w", err)
	}
	return nil
}

// EndLost notes running ones that began before a time as failed: whoever made them is gone.
func (tx Backups) EndLost(ctx context.Context, before, at time.Time) (int64, error) {
	n, err := tx.exec(ctx, "UPDATE backups SET status = 'failed', error = 'it was interrupted', finished_at = ? WHERE "+
		"status = 'running' AND started_at < ?", toMillis(at), toMillis(before))
	if err != nil {
		return 0, fmt.Errorf("store: end lost backups: %w", err)
	}
	return n, nil
}

// List lists attempts, newest first.
func (tx Backups) List(ctx context.Context, limit int) ([]Backup, error) {
	return tx.list(ctx, limit, "1 = 1")
}

// LastScheduled is the newest attempt of the schedule, or a missed time, up to a moment; ok is
// false if there is none. What is later was made while the clock was ahead.
func (tx Backups) LastScheduled(ctx context.Context, until time.Time) (b Backup, ok bool, err error) {
	list, err := tx.list(ctx, 1, "slot_at > 0 AND slot_at <= ?", toMillis(until))
	if err != nil || len(list) == 0 {
		return Backup{}, false, err
	}
	return list[0], true, nil
}

// BackupFile is what became of a file that was made here.
type BackupFile struct {
	Name     string
	Size     int64 // bytes
	Verified bool
}

// Files returns the files of all attempts that have ended, by name.
func (tx Backups) Files(ctx context.Context) (map[string]BackupFile, error) {
	list, err := all[BackupFile](ctx, tx.conn,
		"SELECT name, size, status = 'verified' AS verified FROM backups WHERE name <> '' AND status IN ('verified', "+
			"'failed') ORDER BY id")
	if err != nil {
		return nil, err
	}
	files := make(map[string]BackupFile, len(list))
	for _, f := range list {
		files[f.Name] = f
	}
	return files, nil
}

func (tx Backups) list(ctx context.Context, limit int, where string, args ...any) ([]Backup, error) {
	rows, err := gorm.G[backupRow](tx.db).Where(where, args...).Order("id DESC").Limit(limit).Find(ctx)
	if err != nil {
		return nil, fmt.Errorf("store: read backups: %w", err)
	}
	list := make([]Backup, len(rows))
	for i, r := range rows {
		by, err := fromJSON[app.Actor]("started_by", r.StartedBy)
		if err != nil {
			return nil, err
		}
		list[i] = Backup{r.ID, r.Cause, by, fromMillis(r.SlotAt), r.Status, r.Target, r.Name, r.Size, r.Counts, r.Error,
			fromMillis(r.StartedAt), fromMillis(r.FinishedAt)}
	}
	return list, nil
}

func (b Backup) row() backupRow {
	return backupRow{0, b.Cause, toJSON(b.By), toMillis(b.Slot), b.Status, b.Target, b.Name, b.Size, orEmpty(b.Counts),
		b.Error, toMillis(b.StartedAt), toMillis(b.FinishedAt)}
}

func orEmpty(text string) string {
	if text == "" {
		return "{}"
	}
	return text
}
