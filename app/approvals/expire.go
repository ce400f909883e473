package approvals

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/sleep"
	"github.com/computclaw/airlock/store"
)

// expireEvery is how often waiting executions are checked for expiry.
const expireEvery = 10 * time.Second

// ExpireLoop ends executions that waited longer than wait for an approval, until ctx ends.
func (s *Service) ExpireLoop(ctx context.Context, wait time.Duration, log *slog.Logger) {
	for {
		if err := s.Expire(ctx, wait); err != nil && ctx.Err() == nil {
			log.Log(ctx, app.RetryLevel(err), "could not end executions that waited too long for an approval", "error", err)
		}
		if sleep.For(ctx, min(expireEvery, wait)) != nil {
			return
		}
	}
}

// Expire ends the executions that have waited longer than wait.
func (s *Service) Expire(ctx context.Context, wait time.Duration) error {
	before := s.now().Add(-wait)
	due, err := s.overdue(ctx, before)
	if err != nil || len(due) == 0 {
		return err
	}
	var e Effect
	err = s.store.Write(ctx, func(tx *store.Tx) error {
		e = Effect{}
		due, err := tx.Approvals.Overdue(ctx, before)
		if err != nil {
			return err
		}
		return s.end(ctx, tx, &e, due, app.StatusTimeout, fmt.Sprintf(
			"nobody approved the script within %s, so it did not run; "+
				"ask the person to look into the Inbox of Airlock, then submit it again", app.FormatDuration(wait)))
	})
	if err == nil {
		s.Announce(e)
	}
	return err
}

func (s *Service) overdue(ctx context.Context, before time.Time) (due []store.Execution, err error) {
	err = s.store.Read(ctx, func(tx *store.Tx) (err error) {
		due, err = tx.Approvals.Overdue(ctx, before)
		return err
	})
	return due, err
}
