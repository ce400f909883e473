package executions

import (
	"context"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/metrics"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/runner"
	"github.com/computclaw/airlock/app/scheduler"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/shares"
	"github.com/computclaw/airlock/store"
)

// Config is what a Service needs. All fields but Metrics must be set.
type Config struct {
	Store     *store.Store
	Access    *access.Service
	Keyring   *secrets.Keyring
	Hub       *live.Hub
	Metrics   *metrics.Metrics
	Log       *slog.Logger
	Now       func() time.Time // in UTC
	Scheduler *scheduler.Scheduler
	Runner    *runner.Runner
	Cache     *EndedCache
	Redaction redact.Options

	TimeoutDefault time.Duration
	TimeoutMax     time.Duration
}

// Service is what can be done with executions. It is safe for concurrent use.
type Service struct {
	cfg       Config
	redacting *shares.Turns // of submitted scripts, by profile

	ctx        context.Context // ends when Stop is called
	cancel     context.CancelFunc
	background sync.WaitGroup
}

// New returns a Service.
func New(cfg Config) *Service {
	ctx, cancel := context.WithCancel(context.Background())
	return &Service{
		cfg: cfg, ctx: ctx, cancel: cancel,
		// At least two at once, so that one profile leaves a turn to another.
		redacting: shares.NewTurns(max(2, runtime.GOMAXPROCS(0)), shares.New(maxScriptsWaiting), errTooManyScripts),
	}
}

// Stop ends what goes on in the background. Wait must follow.
func (s *Service) Stop() { s.cancel() }

// Wait returns when nothing goes on in the background.
func (s *Service) Wait() { s.background.Wait() }

// publish tells those who watch an execution or a list of them. Its profile didn't change.
func (s *Service) publish(x app.Execution) {
	s.cfg.Hub.Publish(live.Execution(x.Handle))
	s.cfg.Hub.Publish(live.Executions)
}
