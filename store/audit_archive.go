package store

import (
	"context"
	"time"

	"github.com/computclaw/airlock/app"
)

// ArchivedLog is an audit log that came with an import.
type ArchivedLog struct {
	Source      string // label of the instance it is from
	Events      int64
	First, Last time.Time
}

// ArchivedLogs lists them by name. It steps from log to log, since they may be long; each is
// numbered from 1.
func (tx AuditLog) ArchivedLogs(ctx context.Context) ([]ArchivedLog, error) {
	type row struct {
		Source             string
		Events, Begin, End int64
	}
	return selectAs(ctx, tx.conn, func(r row) (ArchivedLog, error) {
		return ArchivedLog{r.Source, r.Events, fromMillis(r.Begin), fromMillis(r.End)}, nil
	}, "read archived audit logs", `WITH RECURSIVE logs(source) AS (
			SELECT min(source) FROM audit_archive
			UNION ALL SELECT (SELECT min(source) FROM audit_archive WHERE source > logs.source)
			FROM logs WHERE logs.source IS NOT NULL)
		SELECT a.source AS source, a.seq AS events,
			(SELECT at FROM audit_archive WHERE source = a.source AND seq = 1) AS "begin", a.at AS "end"
		FROM logs JOIN audit_archive a ON a.source = logs.source
			AND a.seq = (SELECT max(seq) FROM audit_archive WHERE source = logs.source)
		ORDER BY a.source`)
}

// Archived returns up to limit events of one of ArchivedLogs, those that follow a number, in order.
func (tx AuditLog) Archived(ctx context.Context, source string, after int64, limit int) ([]app.Event, error) {
	return selectAs(ctx, tx.conn, auditEventRow.event, "read an archived audit log",
		"SELECT * FROM audit_archive WHERE source = ? AND seq > ? ORDER BY seq LIMIT ?", source, after, limit)
}

type auditArchiveRow struct {
	Source       string `gorm:"primaryKey"`
	Seq          int64  `gorm:"primaryKey;autoIncrement:false"`
	At           int64
	ActorKind    string
	ActorName    string
	ActorAddress string
	Action       string
	Subject      string
	Detail       string
	Prev         string
	Hash         string
}

func (auditArchiveRow) TableName() string { return "audit_archive" }

// EachArchived visits the audit logs that came with imports, one after the other, each from its
// beginning.
func (tx AuditLog) EachArchived(ctx context.Context, visit func(source string, e EventRow) error) error {
	return each(ctx, tx.conn, func(r auditArchiveRow) error {
		return visit(r.Source, EventRow{r.Seq, r.At, r.ActorKind, r.ActorName, r.ActorAddress, r.Action, r.Subject, r.Detail,
			r.Prev, r.Hash})
	}, "SELECT * FROM audit_archive ORDER BY source, seq")
}

// Archive keeps an event of another instance's audit log, unless it is there already.
func (l *Loader) Archive(ctx context.Context, source string, e EventRow) (added bool, err error) {
	_, added, err = l.Add(ctx, auditArchiveRow{source, e.Seq, e.At, e.ActorKind, e.ActorName, e.ActorAddress, e.Action,
		e.Subject, e.Detail, e.Prev, e.Hash})
	return added, err
}

// OwnLog names this instance's own audit log among the archived ones, whose labels are never empty.
const OwnLog = ""

// Hash returns the hash of an event of this instance's log or of an archived one; "" if it is not
// there.
func (tx AuditLog) Hash(ctx context.Context, log string, seq int64) (string, error) {
	from := "audit_archive WHERE source = ?"
	if log == OwnLog {
		from = "audit_events WHERE '' = ?"
	}
	return selectValue[string](ctx, tx.conn, "look for an audit event", "SELECT hash FROM "+from+" AND seq = ?", log, seq)
}
