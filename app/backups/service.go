package backups

import (
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
	backup sync.Mutex // one backup at a time: only the server makes any
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
	return &Service{cfg: cfg}
}

func (s *Service) now() time.Time { return s.cfg.Now().UTC().Truncate(time.Millisecond) }

// event starts an audit event.
func (s *Service) event(by app.Actor, action, subject, detail string) app.Event {
	return app.NewEvent(s.now(), by, action, subject, detail)
}
