package access

import (
	"context"
	"sync"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// AuditFilter selects events. Zero fields don't filter.
type AuditFilter = store.AuditFilter

// Audit lists events, newest first, before a sequence number (0: from the newest). limit is 1 to 1000; 0 means 50.
func (s *Service) Audit(ctx context.Context, before int64, limit int) ([]app.Event, error) {
	return s.AuditLog(ctx, AuditFilter{Before: before, Limit: limit})
}

// AuditLog lists the events that a filter selects, newest first. Its Limit is 1 to 1000; 0 means 50.
func (s *Service) AuditLog(ctx context.Context, f AuditFilter) (events []app.Event, err error) {
	if f.Limit == 0 {
		f.Limit = 50
	}
	f.Limit = min(max(f.Limit, 1), 1000)
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		events, err = tx.AuditEvents(ctx, f)
		return err
	})
	return events, err
}

// ArchivedLogs lists the audit logs that came with imports.
func (s *Service) ArchivedLogs(ctx context.Context) (logs []store.ArchivedLog, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		logs, err = tx.ArchivedLogs(ctx)
		return err
	})
	return logs, err
}

// ArchivedEvents returns up to 1000 events of one of ArchivedLogs, oldest first, those that follow a number.
func (s *Service) ArchivedEvents(ctx context.Context, source string, after int64) (events []app.Event, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		events, err = tx.ArchivedEvents(ctx, source, after, 1000)
		return err
	})
	return events, err
}

// VerifyAudit walks the whole hash chain and returns the first broken sequence number, or 0.
func (s *Service) VerifyAudit(ctx context.Context) (broken int64, err error) {
	state, err := s.AuditState(ctx, true)
	return state.Broken, err
}

// AuditHas reports whether an event is in the chain with a hash that was noted before. If it is and the chain holds, nothing up to that event was changed since.
func (s *Service) AuditHas(ctx context.Context, seq int64, hash string) (ok bool, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		_, broken, err := tx.VerifyAudit(ctx, store.AuditMark{Seq: seq, Hash: hash})
		ok = broken == 0
		return err
	})
	return ok, err
}

// AuditState is what is known about the chain of events.
type AuditState struct {
	Broken  int64     // first sequence number at which it does not hold; 0 if it holds
	Through int64     // newest event that was verified
	Hash    string    // of that event: who has noted it elsewhere finds out if the chain was written anew
	Whole   time.Time // when it was last walked from its beginning
}

// audited remembers how far the chain was verified, so that a look at it costs what was added since.
type audited struct {
	mu    sync.Mutex
	state AuditState
	mark  store.AuditMark
}

// AuditState verifies the chain: what was added since it was last asked for, or, the first time and if whole is true, everything. A break, once found, stays found until
// a whole walk finds none.
func (s *Service) AuditState(ctx context.Context, whole bool) (AuditState, error) {
	a := &s.audited
	a.mu.Lock()
	defer a.mu.Unlock()
	whole = whole || a.state.Whole.IsZero()
	if a.state.Broken > 0 && !whole {
		return a.state, nil
	}
	from := a.mark
	if whole {
		from = store.AuditMark{}
	}
	var end store.AuditMark
	var broken int64
	err := s.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		end, broken, err = tx.VerifyAudit(ctx, from)
		return err
	})
	if err != nil {
		return AuditState{}, err
	}
	a.mark, a.state.Broken, a.state.Through, a.state.Hash = end, broken, end.Seq, end.Hash
	if whole {
		a.state.Whole = s.now()
	}
	return a.state, nil
}
