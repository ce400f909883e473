package executions

import (
	"context"
	"fmt"
	"sync"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/runner"
	"github.com/computclaw/airlock/store"
)

// Controller stops executions, answers their questions, and ends those of dead processes.
type Controller struct {
	cfg    Config
	reader *Reader

	ctx        context.Context // ends when Stop is called
	cancel     context.CancelFunc
	background sync.WaitGroup
}

func newController(cfg Config, reader *Reader) *Controller {
	ctx, cancel := context.WithCancel(context.Background())
	return &Controller{cfg: cfg, reader: reader, ctx: ctx, cancel: cancel}
}

// Stop ends the work in the background. Wait must follow.
func (c *Controller) Stop() { c.cancel() }

// Wait returns when no work is left in the background.
func (c *Controller) Wait() { c.background.Wait() }

// Respond answers the open question of an execution, and returns the execution. Errors:
// CodeNotFound, CodeNotWaiting, CodeRequestMismatch, CodeProfileRevoked, CodeTooLarge,
// CodeStorageBusy, CodeStorageFull.
func (c *Controller) Respond(ctx context.Context, id string, a runner.Answer) (app.Execution, error) {
	x, err := c.reader.ByID(ctx, id)
	if err != nil {
		return app.Execution{}, err
	}
	switch {
	case len(a.Text) > app.MaxResponse:
		return app.Execution{}, tooLarge("response", len(a.Text), app.MaxResponse, "Shorten the answer.")
	case len(a.Failure) > app.MaxFailure:
		return app.Execution{}, tooLarge("error", len(a.Failure), app.MaxFailure, "Shorten the error.")
	}
	run := c.cfg.Runner.Find(x.Handle)
	if run == nil {
		return app.Execution{}, runner.NotWaiting(x.Status)
	}
	if err := run.Reply(ctx, a); err != nil {
		return app.Execution{}, err
	}
	c.cfg.Hub.PublishExecutions(x.Handle)
	return c.reader.ByID(ctx, id)
}

// Reconcile ends executions that a dead process left running or waiting for an answer. Unclaimed
// ones stay. Boxes died with the process; a backend's Check removes remains.
func (c *Controller) Reconcile(ctx context.Context) error {
	var report []func() // the ends, once they are stored
	err := c.cfg.Store.Write(ctx, func(tx *store.Tx) error {
		list, err := tx.Executions.ListUnfinished(ctx, "")
		if err != nil {
			return err
		}
		for _, x := range list {
			if x.Status.IsQueued() {
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
