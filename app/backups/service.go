package backups

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/transfer"
	"github.com/computclaw/airlock/store"
)

// Config configures a Service.
type Config struct {
	Store    *store.Store
	Keyring  *secrets.Keyring
	Transfer *transfer.Service // writes the files
	Hub      *live.Hub         // nil: nobody is told
	Dir      string            // the data directory: scratch files go under it
	Instance string            // label of the instance; not secret
	Log      *slog.Logger
	Now      func() time.Time // nil: time.Now
}

// Service backs up an instance. It is safe for concurrent use.
type Service struct {
	cfg    Config
	backup sync.Mutex                  // one backup at a time in this process; the database knows of other processes
	late   func(context.Context) error // records how the last backup ended, if that failed; backup is held

	silence time.Duration // that a storage is given, see watched
}

// New returns a Service.
func New(cfg Config) *Service {
	if cfg.Hub == nil {
		cfg.Hub = &live.Hub{}
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{cfg: cfg, silence: silence}
}

func (s *Service) now() time.Time { return s.cfg.Now().UTC().Truncate(time.Millisecond) }

// event starts an audit event.
func (s *Service) event(by app.Actor, action, subject, detail string) app.Event {
	return app.NewEvent(s.now(), by, action, subject, detail)
}
