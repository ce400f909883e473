package store

import (
	"cmp"
	"context"
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

type backupRow struct {
	ID         int64 `gorm:"primaryKey"`
	Cause      string
	StartedBy  string
	SlotAt     int64
	Status     string
	Target     string
	Name       string
	Size       int64
	Counts     string
	Error      string
	StartedAt  int64
	FinishedAt int64
}

func (backupRow) TableName() string { return "backups" }

// Begin notes a running attempt and returns its id. CodeConflict if one runs already, in any
// process.
func (tx Backups) Begin(ctx context.Context, b Backup) (int64, error) {
	row := b.row()
	row.Status = BackupRunning
	err := gorm.G[backupRow](tx.db).Create(ctx, &row)
	if duplicate(err) {
		return 0, app.E(app.CodeConflict, "a backup is under way already", "Wait until it has ended.")
	}
	return row.ID, wrapError("begin backup", err)
}

// Note records an attempt that has ended, or a missed one.
func (tx Backups) Note(ctx context.Context, b Backup) error {
	return insertRow(ctx, tx.conn, "backup", b.row())
}

// End notes how a running one ended.
func (tx Backups) End(ctx context.Context, b Backup) error {
	return tx.change(ctx, "backup", `UPDATE backups SET status = ?, target = ?, name = ?, size = ?, counts = ?, error = ?,
		finished_at = ? WHERE id = ? AND status = 'running'`,
		b.Status, b.Target, b.Name, b.Size, cmp.Or(b.Counts, "{}"), b.Error, toMillis(b.FinishedAt), b.ID)
}

// MarkDeleted notes that a verified backup's file was deleted in favour of newer ones.
func (tx Backups) MarkDeleted(ctx context.Context, name string) error {
	return tx.run(ctx, "mark a backup as deleted", `UPDATE backups SET error = 'Deleted since, as newer ones are kept.'
		WHERE name = ? AND status = 'verified'`, name)
}

// EndLost marks running attempts as failed, since their process is gone.
func (tx Backups) EndLost(ctx context.Context, at time.Time) (int64, error) {
	n, err := tx.exec(ctx, `UPDATE backups SET status = 'failed', error = 'it was interrupted', finished_at = ?
		WHERE status = 'running'`, toMillis(at))
	return n, wrapError("end lost backups", err)
}

// List lists attempts, newest first.
func (tx Backups) List(ctx context.Context, limit int) ([]Backup, error) {
	return tx.list(ctx, limit, "1 = 1")
}

// LastScheduled returns the newest scheduled attempt or missed time up to a moment. ok is false if
// there is none. Later ones were made while the clock was ahead.
func (tx Backups) LastScheduled(ctx context.Context, until time.Time) (b Backup, ok bool, err error) {
	list, err := tx.list(ctx, 1, "slot_at > 0 AND slot_at <= ?", toMillis(until))
	if err != nil || len(list) == 0 {
		return Backup{}, false, err
	}
	return list[0], true, nil
}

// BackupFile is a file that a backup made here.
type BackupFile struct {
	Name     string
	Size     int64 // bytes
	Verified bool
}

// Files returns the files of all attempts that have ended, by name.
func (tx Backups) Files(ctx context.Context) (map[string]BackupFile, error) {
	list, err := selectAll[BackupFile](ctx, tx.conn, "read backups", `SELECT name, size, status = 'verified' AS verified
		FROM backups WHERE name <> '' AND status IN ('verified', 'failed') ORDER BY id`)
	files := make(map[string]BackupFile, len(list))
	for _, f := range list {
		files[f.Name] = f
	}
	return files, err
}

func (tx Backups) list(ctx context.Context, limit int, where string, args ...any) ([]Backup, error) {
	return selectAs(ctx, tx.conn, backupRow.backup, "read backups",
		"SELECT * FROM backups WHERE "+where+" ORDER BY id DESC LIMIT ?", append(args, limit)...)
}

func (r backupRow) backup() (Backup, error) {
	by, err := fromJSON[app.Actor]("started_by", r.StartedBy)
	return Backup{r.ID, r.Cause, by, fromMillis(r.SlotAt), r.Status, r.Target, r.Name, r.Size, r.Counts, r.Error,
		fromMillis(r.StartedAt), fromMillis(r.FinishedAt)}, err
}

func (b Backup) row() backupRow {
	return backupRow{0, b.Cause, toJSON(b.By), toMillis(b.Slot), b.Status, b.Target, b.Name, b.Size,
		cmp.Or(b.Counts, "{}"), b.Error, toMillis(b.StartedAt), toMillis(b.FinishedAt)}
}
