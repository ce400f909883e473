package transfer

import (
	"context"
	"log/slog"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/files"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/transfer/archive"
	"github.com/computclaw/airlock/store"
)

// Config configures a Service.
type Config struct {
	Store    *store.Store
	Keyring  *secrets.Keyring
	Files    *files.Files // where the files of skills are
	Hub      *live.Hub    // nil: nobody is told
	Dir      string       // the data directory: uploads, restore points and scratch files go under it
	Instance string       // label of the instance; not secret
	Program  string       // name and version
	Log      *slog.Logger
	Now      func() time.Time // nil: time.Now
	// FreeSpace returns the bytes that may still be written to dir's disk. nil asks the file
	// system.
	FreeSpace func(dir string) (int64, error)
	Cost      archive.Cost // of stretching passphrases of new files; zero: archive.DefaultCost, for tests less
}

// Service exports and imports an instance. It is safe for concurrent use.
type Service struct {
	cfg  Config
	jobs jobs
}

// New returns a Service.
func New(cfg Config) *Service {
	if cfg.Hub == nil {
		cfg.Hub = &live.Hub{}
	}
	if cfg.FreeSpace == nil {
		cfg.FreeSpace = freeSpace
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Cost == (archive.Cost{}) {
		cfg.Cost = archive.DefaultCost()
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

// audit records an event that goes with no other change.
func (s *Service) audit(ctx context.Context, e app.Event) error {
	return s.cfg.Store.Write(ctx, func(tx *store.Tx) error { return tx.Audit(ctx, e) })
}
