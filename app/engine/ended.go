package engine

import (
	"context"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// What is kept of executions that have ended: agents ask for one several times, and reading it costs the store five times as much as making sure that it still stands.
const (
	maxKept      = 512
	maxKeptBytes = 16 << 10 // of one, with its ledger; larger ones are rare
	rowBytes     = 256      // of a row of the ledger, besides what a script can make long
)

// kept is a terminal execution, of which nothing changes any more. Nobody writes to what it holds.
type kept struct {
	row     int64
	x       app.Execution
	out     app.Output
	network []app.Connection
}

// bytes is about how much memory it takes.
func (k kept) bytes() int {
	n := len(k.out.Stdout) + len(k.out.Stderr) + len(k.out.Result) + len(k.x.Error) + 8*len(k.out.Turns)
	for _, c := range k.network {
		n += rowBytes + len(c.Host) + len(c.Rule) + len(c.Method) + len(c.Path)
	}
	return n
}

// newKept returns a cache by execution id.
func newKept() *lru.Cache[string, kept] {
	cache, err := lru.New[string, kept](maxKept)
	if err != nil {
		panic("engine: " + err.Error()) // only a size that isn't positive is an error
	}
	return cache
}

// keep keeps what was just stored, which must have no ledger, since whoever waits for it asks next. What can't be opened or is large is left to be read.
func (e *Engine) keep(end store.Ended) {
	x, err := e.opened(end.Execution)
	if k := (kept{end.Row, x, end.Output, nil}); err == nil && k.bytes() <= maxKeptBytes {
		e.kept.Add(x.ID, k)
	}
}

// Ended returns what a terminal execution printed, returned and connected to.
func (e *Engine) Ended(ctx context.Context, x app.Execution) (out app.Output, network []app.Connection, err error) {
	if k, ok := e.kept.Get(x.ID); ok {
		return k.out, k.network, nil
	}
	var row int64
	err = e.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		row, out, network, err = tx.Ended(ctx, x.Handle)
		return err
	})
	if k := (kept{row, x, out, network}); err == nil && k.bytes() <= maxKeptBytes {
		e.kept.Add(x.ID, k)
	}
	return out, network, err
}

// Little reports whether an execution, with its output and ledger, takes no more memory for sure than a few times maxKeptBytes: it is kept, or has no output yet.
func (e *Engine) Little(x app.Execution) bool {
	return e.kept.Contains(x.ID) || !x.Status.Terminal() && x.Status != app.StatusAwaitingLLM
}

// known returns an execution that has ended from what is kept, once the store says that it still stands. ok is false if it isn't kept.
func (e *Engine) known(ctx context.Context, id string, lookup []byte) (x store.Execution, ok bool, err error) {
	k, ok := e.kept.Get(id)
	if !ok {
		return x, false, nil
	}
	s, err := e.cfg.Store.Standing(ctx, lookup)
	if err != nil || s.Row != k.row {
		e.kept.Remove(id)
		return x, false, err
	}
	return store.Execution{Execution: k.x, ProfileGone: s.ProfileGone}, true, nil
}
