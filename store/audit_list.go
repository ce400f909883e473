package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
)

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
	var rows []auditEventRow
	if err := tx.db.WithContext(ctx).Raw(sql, args...).Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("store: read audit: %w", err)
	}
	events := make([]app.Event, len(rows))
	for i, r := range rows {
		events[i] = r.event()
	}
	return events, nil
}

// bounds turns a range of times into sequence numbers, with the slack of clockSlack.
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

// query reads the events with sequence numbers in [from, below). It walks one index in the order of
// the list; the plus keeps the others out of the choice.
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

// ArchivedLog is an audit log that came with an import.
type ArchivedLog struct {
	Source      string // label of the instance it is from, or name of a branch (see Branch)
	Events      int64
	First, Last time.Time
}

// ArchivedLogs lists them by name.
func (tx AuditLog) ArchivedLogs(ctx context.Context) (list []ArchivedLog, err error) {
	type row struct {
		Source             string
		Events, Begin, End int64
	}
	// It steps from log to log, since they may be long; each is numbered from 1.
	err = each(ctx, tx.conn, func(r row) error {
		list = append(list, ArchivedLog{r.Source, r.Events, fromMillis(r.Begin), fromMillis(r.End)})
		return nil
	}, `WITH RECURSIVE logs(source) AS (
			SELECT min(source) FROM audit_archive
			UNION ALL SELECT (SELECT min(source) FROM audit_archive WHERE source > logs.source) FROM logs WHERE logs.source IS NOT NULL)
		SELECT a.source AS source, a.seq AS events, (SELECT at FROM audit_archive WHERE source = a.source AND seq = 1) AS "begin", a.at AS "end"
		FROM logs JOIN audit_archive a ON a.source = logs.source AND a.seq = (SELECT max(seq) FROM audit_archive WHERE source = logs.source)
		ORDER BY a.source`)
	return list, err
}

// Archived returns up to limit events of one of ArchivedLogs, those that follow a number, in order.
func (tx AuditLog) Archived(ctx context.Context, source string, after int64, limit int) (events []app.Event,
	err error) {
	err = each(ctx, tx.conn, func(r auditEventRow) error { events = append(events, r.event()); return nil },
		"SELECT * FROM audit_archive WHERE source = ? AND seq > ? ORDER BY seq LIMIT ?", source, after, limit)
	return events, err
}

// AuditMark is how far the chain of audit events has been verified: through this event, which had
// this hash.
type AuditMark struct {
	Seq  int64
	Hash string
}

// Verify walks the chain from behind the mark, the zero mark being its beginning, and returns the
// mark of its end. broken is the sequence number of the first event that is missing, out of place
// or not as it was written; 0 if all are. An event that was cut off the end is noticed too, since
// numbers are never given twice. What is before the mark is not looked at, but for the event of the
// mark itself.
func (tx AuditLog) Verify(ctx context.Context, mark AuditMark) (end AuditMark, broken int64, err error) {
	end = mark
	if mark.Seq > 0 {
		var rows []auditEventRow
		if err := tx.db.WithContext(ctx).Raw("SELECT * FROM audit_events WHERE seq = ?",
			mark.Seq).Scan(&rows).Error; err != nil {
			return mark, 0, fmt.Errorf("store: read audit: %w", err)
		}
		if len(rows) == 0 || rows[0].Hash != mark.Hash || rows[0].digest() != mark.Hash {
			return mark, mark.Seq, nil
		}
	}
	for {
		var rows []auditEventRow
		if err := tx.db.WithContext(ctx).Raw("SELECT * FROM audit_events WHERE seq > ? ORDER BY seq LIMIT 1000",
			end.Seq).Scan(&rows).Error; err != nil {
			return mark, 0, fmt.Errorf("store: read audit: %w", err)
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
	var given int64
	if err := tx.db.WithContext(ctx).Raw(
		"SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'audit_events'").Scan(&given).Error; err != nil {
		return end, 0, fmt.Errorf("store: read audit: %w", err)
	}
	if given != end.Seq {
		return end, end.Seq + 1, nil
	}
	return end, 0, nil
}
