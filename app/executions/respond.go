package executions

import (
	"context"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/runner"
)

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
