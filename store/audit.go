package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
)

// maxAuditText bounds each text of an event, in bytes.
const maxAuditText = 2000

type auditEventRow struct {
	Seq          int64  `gorm:"primaryKey" json:"seq"`
	At           int64  `json:"at"`
	ActorKind    string `json:"actor_kind"`
	ActorName    string `json:"actor_name"`
	ActorAddress string `json:"actor_address"`
	Action       string `json:"action"`
	Subject      string `json:"subject"`
	Detail       string `json:"detail"`
	Prev         string `json:"prev"`
	Hash         string `json:"hash"`
}

func (auditEventRow) TableName() string { return "audit_events" }

// Audit appends an event to the chain, in the transaction of the change. It fills Seq, Prev and
// Hash.
func (tx *Tx) Audit(ctx context.Context, e app.Event) error {
	last, err := selectValue[auditEventRow](ctx, tx.conn, "audit", "SELECT * FROM audit_events ORDER BY seq DESC LIMIT 1")
	if err != nil {
		return err
	}
	row := auditEventRow{
		Seq:          last.Seq + 1,
		At:           toMillis(e.At),
		ActorKind:    string(e.Actor.Kind),
		ActorName:    auditText(e.Actor.Name),
		ActorAddress: auditText(e.Actor.Address),
		Action:       e.Action,
		Subject:      auditText(e.Subject),
		Detail:       auditText(e.Detail),
		Prev:         last.Hash,
	}
	row.Hash = row.digest()
	if err := insertRow(ctx, tx.conn, "audit log", row); err != nil {
		return err
	}
	tx.audited = true
	return nil
}

// digest returns the SHA-256 of the event's JSON, which differs for different events.
func (r auditEventRow) digest() string {
	text := toJSON([]any{r.Seq, r.At, r.ActorKind, r.ActorName, r.ActorAddress, r.Action, r.Subject, r.Detail, r.Prev})
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func (r auditEventRow) event() (app.Event, error) {
	return app.Event{
		Seq: r.Seq, At: fromMillis(r.At),
		Actor:  app.Actor{Kind: app.ActorKind(r.ActorKind), Name: r.ActorName, Address: r.ActorAddress},
		Action: r.Action, Subject: r.Subject, Detail: r.Detail, Prev: r.Prev, Hash: r.Hash,
	}, nil
}

// auditText clips text and replaces invalid UTF-8, as JSON would, before it is hashed.
func auditText(s string) string { return app.Clip(strings.ToValidUTF8(s, "\uFFFD"), maxAuditText) }

// AuditFilter selects events. Zero fields don't filter.
type AuditFilter struct {
	Kind     app.ActorKind // who acted
	Name     string        // of the actor, as it stands there
	Action   string        // such as profile.lock, or all of a kind: profile
	Subject  string        // handle or name of the thing acted on
	From, To time.Time     // in [From, To)
	Before   int64         // only sequence numbers below; 0: from the newest
	Limit    int
}

// List lists events, newest first.
func (tx AuditLog) List(ctx context.Context, f AuditFilter) ([]app.Event, error) {
	from, below, err := tx.bounds(ctx, f)
	if err != nil || from >= below {
		return nil, err
	}
	sql, args := f.query(from, below)
	return selectAs(ctx, tx.conn, auditEventRow.event, "read audit", sql, args...)
}

// bounds turns a time range into sequence numbers, with clockSlack.
func (tx AuditLog) bounds(ctx context.Context, f AuditFilter) (from, below int64, err error) {
	below = 1 << 62
	if f.Before > 0 {
		below = f.Before
	}
	if !f.From.IsZero() {
		ids, err := tx.ids(ctx, "SELECT seq FROM audit_events WHERE at >= ? ORDER BY at, seq LIMIT 1",
			toMillis(f.From.Add(-clockSlack)))
		if err != nil || len(ids) == 0 {
			return 0, 0, err
		}
		from = ids[0]
	}
	if !f.To.IsZero() {
		ids, err := tx.ids(ctx, "SELECT seq FROM audit_events WHERE at < ? ORDER BY at DESC, seq DESC LIMIT 1",
			toMillis(f.To.Add(clockSlack)))
		if err != nil || len(ids) == 0 {
			return 0, 0, err
		}
		below = min(below, ids[0]+1)
	}
	return from, below, nil
}

// query reads the events with sequence numbers in [from, below). It walks one index in list order;
// the plus rules other indexes out.
func (f AuditFilter) query(from, below int64) (string, []any) {
	where, args := "seq >= ? AND seq < ?", []any{from, below}
	and := func(clause string, more ...any) {
		where += " AND " + clause
		args = append(args, more...)
	}
	indexed := false // one condition chooses the index
	column := func(name string) string {
		if indexed {
			return "+" + name
		}
		indexed = true
		return name
	}
	if f.Subject != "" {
		and(column("subject")+" = ?", f.Subject)
	}
	if f.Action != "" && strings.Contains(f.Action, ".") {
		and(column("action")+" = ?", f.Action)
	} else if f.Action != "" {
		and("+action >= ? AND +action < ?", f.Action+".", f.Action+"/") // "/" follows "."
	}
	if f.Kind != "" {
		and(column("actor_kind")+" = ?", string(f.Kind))
	}
	if f.Name != "" {
		and("+actor_name = ?", f.Name)
	}
	if !f.From.IsZero() {
		and("+at >= ?", toMillis(f.From))
	}
	if !f.To.IsZero() {
		and("+at < ?", toMillis(f.To))
	}
	return "SELECT * FROM audit_events WHERE " + where + " ORDER BY seq DESC LIMIT ?", append(args, f.Limit)
}

// AuditMark is the last verified event of the audit chain, with its hash.
type AuditMark struct {
	Seq  int64
	Hash string
}

// Verify walks the chain from behind the mark and returns the mark of its end.
//
// The zero mark is the chain's beginning. broken is the first event that is missing, out of place
// or changed; 0 if none is. Events cut off the end are noticed too, since numbers are never reused.
// Before the mark only its own event is checked.
func (tx AuditLog) Verify(ctx context.Context, mark AuditMark) (end AuditMark, broken int64, err error) {
	const doing = "verify audit"
	end = mark
	if mark.Seq > 0 {
		row, err := selectValue[auditEventRow](ctx, tx.conn, doing, "SELECT * FROM audit_events WHERE seq = ?", mark.Seq)
		if err != nil {
			return mark, 0, err
		}
		if row.Hash != mark.Hash || row.digest() != mark.Hash {
			return mark, mark.Seq, nil
		}
	}
	for {
		rows, err := selectAll[auditEventRow](ctx, tx.conn, doing,
			"SELECT * FROM audit_events WHERE seq > ? ORDER BY seq LIMIT 1000", end.Seq)
		if err != nil {
			return mark, 0, err
		}
		for _, r := range rows {
			if r.Seq != end.Seq+1 || r.Prev != end.Hash || r.Hash != r.digest() {
				return end, end.Seq + 1, nil
			}
			end = AuditMark{r.Seq, r.Hash}
		}
		if len(rows) == 0 {
			break
		}
	}
	given, err := selectValue[int64](ctx, tx.conn, doing,
		"SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'audit_events'")
	if err != nil {
		return end, 0, err
	}
	if given != end.Seq {
		return end, end.Seq + 1, nil
	}
	return end, 0, nil
}

// ArchivedLog is an audit log that came with an import.
type ArchivedLog struct {
	Source      string // label of the instance it is from
	Events      int64
	First, Last time.Time
}

// ArchivedLogs lists them by name. Each is numbered from 1. It steps from log to log, since they
// may be long.
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

// ListArchived returns up to limit events of one of ArchivedLogs, in order, behind a number.
func (tx AuditLog) ListArchived(ctx context.Context, source string, after int64, limit int) ([]app.Event, error) {
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

// EachArchived visits the imported audit logs one by one, each from its beginning.
func (tx AuditLog) EachArchived(ctx context.Context, visit func(source string, e EventRow) error) error {
	return each(ctx, tx.conn, func(r auditArchiveRow) error {
		return visit(r.Source, EventRow{r.Seq, r.At, r.ActorKind, r.ActorName, r.ActorAddress, r.Action, r.Subject, r.Detail,
			r.Prev, r.Hash})
	}, "SELECT * FROM audit_archive ORDER BY source, seq")
}

// Archive keeps an event of another instance's audit log, unless it exists.
func (tx AuditLog) Archive(ctx context.Context, source string, e EventRow) (added bool, err error) {
	_, added, err = tx.load(ctx, auditArchiveRow{source, e.Seq, e.At, e.ActorKind, e.ActorName, e.ActorAddress, e.Action,
		e.Subject, e.Detail, e.Prev, e.Hash})
	return added, err
}

// OwnLog names this instance's own audit log. Labels of archived ones are never empty.
const OwnLog = ""

// Hash returns the hash of an event of OwnLog or an archived log. It is "" if the event is missing.
func (tx AuditLog) Hash(ctx context.Context, log string, seq int64) (string, error) {
	from := "audit_archive WHERE source = ?"
	if log == OwnLog {
		from = "audit_events WHERE '' = ?"
	}
	return selectValue[string](ctx, tx.conn, "look for an audit event", "SELECT hash FROM "+from+" AND seq = ?", log, seq)
}
