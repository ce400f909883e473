package executions

import (
	"context"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// rejectionAge is how long a host's refusal is told of, unless it accepts the key again before.
const rejectionAge = 7 * 24 * time.Hour

// Rejections lists the keys whose sealed value hosts refused with 401 or 403, newest first.
func (s *Statistics) Rejections(ctx context.Context) (list []store.Rejection, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		list, err = tx.Executions.Rejections(ctx, s.cfg.Now().Add(-rejectionAge))
		return err
	})
	return list, err
}

// Unanswered lists the questions that no agent has answered for app.UnansweredFor, oldest first.
func (s *Statistics) Unanswered(ctx context.Context) (list []store.Unanswered, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		list, err = tx.Questions.Unanswered(ctx, s.cfg.Now().Add(-app.UnansweredFor))
		return err
	})
	return list, err
}
