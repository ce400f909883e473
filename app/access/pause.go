package access

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/store"
)

const settingPause = "executions.pause"

// Pause says since when and by whom executions are held in the queue. The zero Pause holds nothing.
type Pause struct {
	Since time.Time `json:"since"`
	By    app.Actor `json:"by"`
}

// On reports whether executions are held.
func (p Pause) On() bool { return !p.Since.IsZero() }

// Paused tells how the switch stands.
func (s *Service) Paused(ctx context.Context) (p Pause, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		p, err = ReadPause(ctx, tx)
		return err
	})
	return p, err
}

// ReadPause tells how the switch stands in a transaction.
func ReadPause(ctx context.Context, tx *store.Tx) (p Pause, err error) {
	set, _, err := tx.Setting(ctx, settingPause)
	if err != nil {
		return Pause{}, err
	}
	return pauseIn(set)
}

// ReadHeld tells in a transaction, the one that would take or start an execution, whether none may start: people hold the queue, or the instance is retired, and then since when.
func ReadHeld(ctx context.Context, tx *store.Tx) (held bool, r Retirement, err error) {
	set, err := tx.Settings(ctx, settingPause, settingRetired)
	if err != nil {
		return true, r, err
	}
	p, err := pauseIn(set[settingPause])
	if err != nil {
		return true, r, err
	}
	r, err = retirementIn(set[settingRetired])
	return p.On() || r.On() || err != nil, r, err
}

// pauseIn reads the setting as it was stored; one without a value, or none, pauses nothing.
func pauseIn(set store.Setting) (p Pause, err error) {
	if len(set.Value) == 0 {
		return Pause{}, nil
	}
	if err := json.Unmarshal(set.Value, &p); err != nil {
		return Pause{}, fmt.Errorf("access: setting %s: %w", settingPause, err)
	}
	return p, nil
}

// PauseExecutions holds what is queued, also after a restart, until ResumeExecutions; what runs goes on. Pausing what is paused changes nothing. People only.
func (s *Service) PauseExecutions(ctx context.Context, by app.Actor) error {
	return s.setPause(ctx, by, Pause{Since: s.now(), By: by}, "executions.pause", "Paused: what is queued waits, what runs goes on.")
}

// ResumeExecutions lets the queue go on. People only.
func (s *Service) ResumeExecutions(ctx context.Context, by app.Actor) error {
	return s.setPause(ctx, by, Pause{}, "executions.resume", "Resumed: the queue goes on.")
}

func (s *Service) setPause(ctx context.Context, by app.Actor, to Pause, action, detail string) error {
	if err := peopleOnly(by); err != nil {
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
	err := s.cfg.Store.Write(ctx, func(tx *store.Tx) error {
		now, err := ReadPause(ctx, tx)
		if err != nil || now.On() == to.On() {
			return err
		}
		changed = true
		if err := tx.SetSettings(ctx, s.now(), store.Setting{Key: settingPause, Value: value}); err != nil {
			return err
		}
		return tx.Audit(ctx, s.event(by, action, "executions", detail))
	})
	if err == nil && changed {
		s.cfg.Hub.Publish(live.Pause)
		s.cfg.Hub.Publish(live.Executions)
	}
	return err
}
