package executions

import (
	"context"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

const (
	maxCached      = 512
	maxCachedBytes = 16 << 10 // of one, with its ledger; larger ones are rare
	ledgerRowBytes = 256      // besides what a script can make long
)

// EndedCache keeps ended executions, because agents ask for one several times. Reading one costs
// the store five times as much as checking that it exists. It is safe for concurrent use.
type EndedCache struct {
	keyring *secrets.Keyring
	cache   *lru.Cache[string, ended] // by execution id
}

// ended is an immutable, terminal execution.
type ended struct {
	row     int64
	x       app.Execution
	out     app.Output
	network []app.Connection

	leftNothing bool // it has no artifacts, as far as that was read
}

// NewEndedCache returns an empty cache.
func NewEndedCache(keyring *secrets.Keyring) *EndedCache {
	cache, err := lru.New[string, ended](maxCached)
	if err != nil {
		panic("executions: " + err.Error()) // only a size that isn't positive is an error
	}
	return &EndedCache{keyring: keyring, cache: cache}
}

// Add keeps a newly stored end without its ledger.
func (c *EndedCache) Add(end store.Ended) {
	if x, err := openID(c.keyring, end.Execution); err == nil { // else it is left to be read
		c.add(ended{row: end.Row, x: x, out: end.Output})
	}
}

func (c *EndedCache) add(e ended) {
	if e.bytes() <= maxCachedBytes {
		c.cache.Add(e.x.ID, e)
	}
}

func (e ended) bytes() int {
	n := len(e.out.Stdout) + len(e.out.Stderr) + len(e.out.Result) + len(e.x.Error) + 8*len(e.out.Turns)
	for _, c := range e.network {
		n += ledgerRowBytes + len(c.Host) + len(c.Rule) + len(c.Method) + len(c.Path)
	}
	return n
}

// ReadEnded returns the output and connections of a terminal execution.
func (s *Reader) ReadEnded(ctx context.Context, x app.Execution) (out app.Output, network []app.Connection, err error) {
	if e, ok := s.cfg.Cache.cache.Get(x.ID); ok {
		return e.out, e.network, nil
	}
	var row int64
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		row, out, network, err = tx.Executions.ReadEnded(ctx, x.Handle)
		return err
	})
	if err == nil {
		s.cfg.Cache.add(ended{row: row, x: x, out: out, network: network})
	}
	return out, network, err
}

// IsSmall reports whether an execution with output and ledger certainly takes little memory.
func (s *Reader) IsSmall(x app.Execution) bool {
	if x.Status.Terminal() || x.Status == app.StatusAwaitingLLM {
		return s.cfg.Cache.cache.Contains(x.ID)
	}
	run := s.cfg.Runner.Find(x.Handle)
	return run == nil || run.PrintedBytes() <= maxCachedBytes
}

// readCached returns an execution from the cache, once the store confirms its existence.
func (s *Reader) readCached(ctx context.Context, id string, lookup []byte) (x store.Execution, ok bool, err error) {
	e, ok := s.cfg.Cache.cache.Get(id)
	if !ok {
		return x, false, nil
	}
	standing, err := s.cfg.Store.ReadStanding(ctx, lookup)
	if err != nil || standing.Row != e.row {
		s.cfg.Cache.cache.Remove(id)
		return x, false, err
	}
	return store.Execution{Execution: e.x, ProfileGone: standing.ProfileGone}, true, nil
}
