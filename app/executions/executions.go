package executions

import (
	"log/slog"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/approvals"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/files"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/metrics"
	"github.com/computclaw/airlock/app/profiles"
	"github.com/computclaw/airlock/app/runner"
	"github.com/computclaw/airlock/app/scheduler"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/skills"
	"github.com/computclaw/airlock/store"
)

// Config configures New. All fields but Metrics must be set.
type Config struct {
	Store     *store.Store
	Profiles  *profiles.Registry
	Binder    *profiles.Binder
	Resolver  *credentials.Resolver
	Keyring   *secrets.Keyring
	Hub       *live.Hub
	Metrics   *metrics.Metrics
	Log       *slog.Logger
	Now       func() time.Time // in UTC
	Scheduler *scheduler.Scheduler
	Runner    *runner.Runner
	Cache     *EndedCache
	Approvals *approvals.Service
	Skills    *skills.Service
	Files     *files.Files
	Timeouts  app.Timeouts
}

// Executions groups the parts for executions. They are safe for concurrent use.
type Executions struct {
	Submitter  *Submitter
	Controller *Controller
	Reader     *Reader
	Statistics *Statistics
}

// New returns the parts.
func New(cfg Config) Executions {
	reader := &Reader{cfg: cfg}
	return Executions{
		Submitter:  &Submitter{cfg: cfg, reader: reader},
		Controller: newController(cfg, reader),
		Reader:     reader,
		Statistics: &Statistics{cfg: cfg},
	}
}
