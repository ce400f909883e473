package executions

import (
	"context"
	"fmt"

	"github.com/computclaw/airlock/app/runner"
	"github.com/computclaw/airlock/store"
)

// Reconcile ends executions that a dead process left running or waiting for an answer. Unclaimed
// ones stay. Boxes died with the process; a backend's Check removes remains.
func (c *Controller) Reconcile(ctx context.Context) error {
	var report []func() // the ends, once they are stored
	err := c.cfg.Store.Write(ctx, func(tx *store.Tx) error {
		list, err := tx.Executions.Unfinished(ctx, "")
		if err != nil {
			return err
		}
		for _, x := range list {
			if x.Status.Queued() {
				continue
			}
			f := runner.StopCrashed(!x.StartedAt.IsZero()).EndedElsewhere(c.cfg.Now())
			f.StartedAt = x.StartedAt
			if _, err := tx.Executions.Finish(ctx, x.Handle, f); err != nil {
				return err
			}
			report = append(report, func() { c.cfg.Runner.ReportEnd(x.Execution, f) })
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("executions: reconcile: %w", err)
	}
	for _, one := range report {
		one()
	}
	if n := len(report); n > 0 {
		c.cfg.Log.WarnContext(ctx, "marked executions of a dead process as interrupted", "count", n)
	}
	return nil
}
