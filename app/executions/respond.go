package executions

import (
	"context"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/runner"
)

// Respond answers an execution that waits for an answer, and returns it as it is then. Errors:
// CodeNotFound, CodeNotWaiting, CodeRequestMismatch, CodeProfileRevoked, CodeTooLarge,
// CodeStorageBusy, CodeStorageFull.
func (s *Service) Respond(ctx context.Context, id string, a runner.Answer) (app.Execution, error) {
	x, err := s.Execution(ctx, id)
	if err != nil {
		return app.Execution{}, err
	}
	switch {
	case len(a.Text) > app.MaxResponse:
		return app.Execution{}, tooLarge("response", app.MaxResponse, "Shorten the answer.")
	case len(a.Failure) > app.MaxFailure:
		return app.Execution{}, tooLarge("error", app.MaxFailure, "Shorten the error.")
	}
	run := s.cfg.Runner.Find(x.Handle)
	if run == nil {
		return app.Execution{}, runner.NotWaiting(x.Status)
	}
	if err := run.Reply(ctx, a); err != nil {
		return app.Execution{}, err
	}
	s.publish(x)
	return s.Execution(ctx, id)
}
