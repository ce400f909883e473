package instance

import (
	"context"
	"encoding/json"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/store"
)

// Pause holds the queue until Resume, also after a restart. People only. Running executions go on.
func (s *Switches) Pause(ctx context.Context, by app.Actor) error {
	return s.setPause(ctx, by, Switch{Since: s.now(), By: by}, "executions.pause",
		"Paused: queued executions wait, running ones go on.")
}

// Resume lets the queue go on. People only.
func (s *Switches) Resume(ctx context.Context, by app.Actor) error {
	return s.setPause(ctx, by, Switch{}, "executions.resume", "Resumed: the queue goes on.")
}

func (s *Switches) setPause(ctx context.Context, by app.Actor, to Switch, action, detail string) error {
	if err := by.PeopleOnly(); err != nil {
		return err
	}
	value := []byte{}
	if to.On() {
		var err error
		if value, err = json.Marshal(to); err != nil {
			return err
		}
	}
	changed := false
	err := s.store.Write(ctx, func(tx *store.Tx) error {
		now, err := readSwitch(ctx, tx, settingPause)
		if err != nil || now.On() == to.On() {
			return err
		}
		changed = true
		if err := tx.Settings.Set(ctx, s.now(), store.Setting{Key: settingPause, Value: value}); err != nil {
			return err
		}
		return tx.Audit(ctx, app.NewEvent(s.now(), by, action, "executions", detail))
	})
	if err == nil && changed {
		s.hub.Publish(live.Pause)
		s.hub.PublishExecutions()
	}
	return err
}
