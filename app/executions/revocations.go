package executions

import (
	"context"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/runner"
	"github.com/computclaw/airlock/store"
)

// Start begins to end waiting executions of revoked or deleted profiles. Package runner ends
// running ones.
func (c *Controller) Start() {
	news := c.cfg.Hub.Subscribe(live.Profiles)
	c.background.Go(func() { c.watchProfiles(news) })
}

// watchProfiles acts on decisions: at once in this process, else on the hub's news.
func (c *Controller) watchProfiles(news *live.Subscription) {
	defer news.Close()
	retry := time.NewTimer(0) // what was decided while nothing ran
	for {
		select {
		case <-news.C():
			news.Topics()
		case <-retry.C:
		case <-c.ctx.Done():
			return
		}
		if err := c.endOrphans(c.ctx); err != nil && c.ctx.Err() == nil {
			c.cfg.Log.Log(c.ctx, app.RetryLevel(err), "could not end what waits under revoked profiles", "error", err)
			retry.Reset(retryEvery)
		}
	}
}

// endOrphans ends the executions that wait under revoked and deleted profiles.
func (c *Controller) endOrphans(ctx context.Context) error {
	var orphans []store.Orphan
	err := c.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		orphans, err = tx.Executions.Orphans(ctx)
		return err
	})
	if err != nil {
		return err
	}
	for _, x := range orphans {
		reason := runner.ProfileRevoked
		if x.ProfileDeleted {
			reason = runner.ProfileDeleted
		}
		// Binding refuses one that was claimed meanwhile.
		if _, err := c.endPending(ctx, x.Handle, runner.StopProfile(reason)); err != nil &&
			app.CodeOf(err) != app.CodeAlreadyEnded {
			return err
		}
	}
	return nil
}
