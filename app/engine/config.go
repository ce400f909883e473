package engine

import (
	"log/slog"
	"os"
	"runtime"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/egress"
	"github.com/computclaw/airlock/app/files"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/metrics"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/sandbox"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// Config is what an Engine needs. Zero numbers and durations mean their defaults.
type Config struct {
	Store   *store.Store
	Access  *access.Parts
	Keyring *secrets.Keyring
	Hub     *live.Hub
	Gateway *egress.Gateway
	Files   *files.Files
	Metrics *metrics.Metrics // nil: none
	Log     *slog.Logger     // nil: none. It gets handles, never ids or texts of scripts
	Now     func() time.Time // nil: time.Now

	CA []byte // PEM that scripts trust besides their runtime's own roots
	// Sandboxes are in order of preference. All that pass their proof are used; the first is the
	// default.
	Sandboxes []sandbox.BackendConfig
	Auto      bool // use only the strongest one that passes
	Limits    app.Limits
	Runtime   string // of the boxes; "" means the backend's default
	// Imports are modules that templates have loaded, sorted. nil means the usual ones.
	Imports []string

	Workers         int // executions that run at once; default 2 × cores
	Waiters         int // executions that wait for an answer at once; default as far as memory goes
	Queue           int // pending executions; default 1000
	QueuePerProfile int // of one profile; default a fifth of Queue
	Pool            int // boxes kept ready; default Workers as far as memory goes, negative: none

	Timeouts app.Timeouts // default app.DefaultTimeouts

	Patterns func(text string) []redact.Match        // finds what looks like a secret; nil: only known values are masked
	Ahead    func(text string) ([]redact.Match, int) // likewise, in output while it comes: see redact.Options
}

func (c Config) withDefaults() Config {
	setDefault(&c.Workers, 2*runtime.NumCPU())
	setDefault(&c.Waiters, sandbox.DefaultWaiters(os.DirFS("/")))
	setDefault(&c.Queue, 1000)
	setDefault(&c.QueuePerProfile, max(c.Queue/5, 1))
	setDefault(&c.Pool, sandbox.DefaultPool(c.Workers, os.DirFS("/")))
	setDefault(&c.Timeouts, app.DefaultTimeouts())
	setDefault(&c.Limits, app.DefaultLimits())
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Hub == nil {
		c.Hub = &live.Hub{}
	}
	return c
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
