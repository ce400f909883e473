package instance

import (
	"context"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/store"
)

// Pause holds the queue until Resume, also after a restart. People only. Running executions go on.
func (s *Switches) Pause(ctx context.Context, by app.Actor) error {
	return s.setPause(ctx, by, true, "executions.pause", "Paused: queued executions wait, running ones go on.")
}

// Resume lets the queue go on. People only.
func (s *Switches) Resume(ctx context.Context, by app.Actor) error {
	return s.setPause(ctx, by, false, "executions.resume", "Resumed: the queue goes on.")
}

func (s *Switches) setPause(ctx context.Context, by app.Actor, on bool, action, detail string) error {
	changed, err := s.turn(ctx, by, settingPause, on, action, "executions",
		func(*store.Tx) (string, error) { return detail, nil })
	if changed {
		s.hub.Publish(live.Pause)
		s.hub.PublishExecutions()
	}
	return err
}
