package store

import (
	"context"
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
	return selectAs(ctx, tx.conn, auditEventRow.event, "read audit", sql, args...)
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
