package executions

import (
	"context"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/live"
)

// Await returns x, which was just read, when it is terminal or waits for an answer, or as it is when
// the time is over. An answer makes the status running, so an agent that has just answered doesn't
// get the same question again.
func (s *Reader) Await(ctx context.Context, x app.Execution, atMost time.Duration) (app.Execution, error) {
	nudges := s.cfg.Hub.Subscribe(live.Execution(x.Handle))
	defer nudges.Close()
	limit := time.NewTimer(atMost)
	defer limit.Stop()
	for {
		if !s.busy(x.Handle) {
			now, err := s.ByID(ctx, x.ID)
			if err != nil || hasNews(now) {
				return now, err
			}
		}
		select {
		case <-nudges.C():
		case <-limit.C:
			return s.ByID(ctx, x.ID)
		case <-ctx.Done():
			return app.Execution{}, context.Cause(ctx)
		}
	}
}

// busy reports whether an execution runs here and asks nothing: then the store has no news of it.
func (s *Reader) busy(handle string) bool {
	run := s.cfg.Runner.Find(handle)
	return run != nil && !run.Asks()
}

// hasNews reports whether an agent has something to do about the execution.
func hasNews(x app.Execution) bool { return x.Status.Terminal() || x.Status == app.StatusAwaitingLLM }
