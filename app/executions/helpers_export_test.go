package executions

import (
	"context"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/runner"
	"github.com/computclaw/airlock/store"
)

// What tests outside of the package need.
const (
	MaxCachedBytes = maxCachedBytes
)

// Seal returns the row of a submission.
func (s *Submitter) Seal(sub Submission, profile string) store.NewExecution {
	in := &insertion{submission: sub, profile: app.Profile{Handle: profile}}
	s.seal(in, shown{})
	return in.row
}

// End stops an execution and waits for its end.
func (c *Controller) End(ctx context.Context, handle string, cause *runner.Stop) error {
	return c.end(ctx, handle, cause)
}

// AuditCancel audits a cancellation.
func (c *Controller) AuditCancel(ctx context.Context, event app.Event) { c.auditCancel(ctx, event) }

// Cached is what is cached of an execution.
type Cached struct {
	Row     int64
	X       app.Execution
	Out     app.Output
	Network []app.Connection
}

// Cached returns what is cached of an execution.
func (s *Reader) Cached(id string) (c Cached, ok bool) {
	e, ok := s.cfg.Cache.cache.Peek(id)
	return Cached{e.row, e.x, e.out, e.network}, ok
}

// CachedCount returns how many executions are cached.
func (s *Reader) CachedCount() int { return s.cfg.Cache.cache.Len() }

// PurgeCache empties the cache.
func (s *Reader) PurgeCache() { s.cfg.Cache.cache.Purge() }

// BytesWith estimates the memory of an execution with a ledger.
func BytesWith(network []app.Connection) int { return ended{network: network}.bytes() }
