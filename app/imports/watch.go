package imports

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/computclaw/airlock/app/sleep"
	"github.com/computclaw/airlock/store"
)

// What is looked at, and how often.
const (
	every   = 10 * time.Minute
	scripts = 1000
	top     = 8 << 10 // characters of each
)

// Watch knows the modules that templates are to have. Its methods may be called concurrently.
type Watch struct {
	store *store.Store
	log   *slog.Logger
	now   atomic.Pointer[[]string]
}

// New returns a Watch that knows of none.
func New(st *store.Store, log *slog.Logger) *Watch { return &Watch{store: st, log: log} }

// Modules returns what many of the last scripts import, sorted.
func (w *Watch) Modules() []string {
	if list := w.now.Load(); list != nil {
		return *list
	}
	return nil
}

// Run looks at the last scripts again and again until ctx ends.
func (w *Watch) Run(ctx context.Context) {
	for {
		var list []string
		err := w.store.Read(ctx, func(tx *store.Tx) (err error) {
			list, err = tx.Executions.LastScripts(ctx, scripts, top)
			return err
		})
		if err == nil {
			modules := Common(list)
			w.now.Store(&modules)
		} else if ctx.Err() == nil {
			w.log.Warn("could not find out what scripts import", "error", err)
		}
		if sleep.For(ctx, every) != nil {
			return
		}
	}
}
