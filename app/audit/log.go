// Package audit reads and verifies the audit log. Changes write their events in their own
// transaction: see store.Tx.Audit.
package audit

import (
	"context"
	"sync"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// Log is the audit log. It is safe for concurrent use.
type Log struct {
	store *store.Store
	now   func() time.Time

	mu    sync.Mutex
	state State
	mark  store.AuditMark // how far the chain was verified, so that a check reads only what follows
}

// New returns the audit log of a store.
func New(st *store.Store, now func() time.Time) *Log { return &Log{store: st, now: now} }

// Filter selects events. Zero fields don't filter.
type Filter = store.AuditFilter

// Note records an act that changes nothing in the store. People only. detail is one plain sentence
// without secrets.
func (s *Log) Note(ctx context.Context, by app.Actor, action, subject, detail string) error {
	if err := by.PeopleOnly(); err != nil {
		return err
	}
	return s.store.Write(ctx, func(tx *store.Tx) error {
		return tx.Audit(ctx, app.NewEvent(s.now(), by, action, subject, detail))
	})
}

// Latest lists the newest events first. limit is 1 to 1000; 0 means 50.
func (s *Log) Latest(ctx context.Context, limit int) ([]app.Event, error) {
	return s.List(ctx, Filter{Limit: limit})
}

// List lists the events that a filter selects, newest first. Its Limit is 1 to 1000; 0 means 50.
func (s *Log) List(ctx context.Context, f Filter) (events []app.Event, err error) {
	if f.Limit == 0 {
		f.Limit = 50
	}
	f.Limit = min(max(f.Limit, 1), 1000)
	err = s.store.Read(ctx, func(tx *store.Tx) error {
		events, err = tx.Events.List(ctx, f)
		return err
	})
	return events, err
}

// ArchivedLogs lists the audit logs that came with imports.
func (s *Log) ArchivedLogs(ctx context.Context) (logs []store.ArchivedLog, err error) {
	err = s.store.Read(ctx, func(tx *store.Tx) error {
		logs, err = tx.Events.ArchivedLogs(ctx)
		return err
	})
	return logs, err
}

// ArchivedEvents returns up to 1000 archived events after a sequence number, oldest first.
func (s *Log) ArchivedEvents(ctx context.Context, source string, after int64) (events []app.Event, err error) {
	err = s.store.Read(ctx, func(tx *store.Tx) error {
		events, err = tx.Events.ListArchived(ctx, source, after, 1000)
		return err
	})
	return events, err
}

// Verify walks the hash chain and returns the first broken sequence number, or 0.
func (s *Log) Verify(ctx context.Context) (broken int64, err error) {
	state, err := s.State(ctx, true)
	return state.Broken, err
}

// Has reports whether the chain has an event with this hash. If so, and the chain holds, no event
// up to it has changed.
func (s *Log) Has(ctx context.Context, seq int64, hash string) (ok bool, err error) {
	err = s.store.Read(ctx, func(tx *store.Tx) error {
		_, broken, err := tx.Events.Verify(ctx, store.AuditMark{Seq: seq, Hash: hash})
		ok = broken == 0
		return err
	})
	return ok, err
}

// State says how far the chain of events was verified.
type State struct {
	Broken  int64     // first sequence number that does not hold; 0 if all do
	Through int64     // newest event that was verified
	Hash    string    // of that event; a copy of it elsewhere proves that the chain was not rewritten
	Whole   time.Time // when the chain was last verified from its beginning
}

// State verifies events since the last call, or all if whole or the first time. A break stays known
// until a whole walk finds none.
func (s *Log) State(ctx context.Context, whole bool) (State, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	whole = whole || s.state.Whole.IsZero()
	if s.state.Broken > 0 && !whole {
		return s.state, nil
	}
	from := s.mark
	if whole {
		from = store.AuditMark{}
	}
	var end store.AuditMark
	var broken int64
	err := s.store.Read(ctx, func(tx *store.Tx) (err error) {
		end, broken, err = tx.Events.Verify(ctx, from)
		return err
	})
	if err != nil {
		return State{}, err
	}
	s.mark, s.state.Broken, s.state.Through, s.state.Hash = end, broken, end.Seq, end.Hash
	if whole {
		s.state.Whole = s.now()
	}
	return s.state, nil
}
