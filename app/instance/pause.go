package instance

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

// Switches hold the queue of an instance, or retire it.
type Switches struct {
	store *store.Store
	hub   *live.Hub
	now   func() time.Time
}

// NewSwitches returns the switches of the instance that a store belongs to.
func NewSwitches(st *store.Store, hub *live.Hub, now func() time.Time) *Switches {
	return &Switches{store: st, hub: hub, now: now}
}

// SwitchKeys returns the keys of the settings that hold the switches.
func SwitchKeys() []string { return []string{settingRetired, settingPause} }

// Pause says since when and by whom executions are held in the queue. The zero Pause holds nothing.
type Pause struct {
	Since time.Time `json:"since"`
	By    app.Actor `json:"by"`
}

// On reports whether executions are held.
func (p Pause) On() bool { return !p.Since.IsZero() }

// Paused returns the pause.
func (s *Switches) Paused(ctx context.Context) (p Pause, err error) {
	err = s.store.Read(ctx, func(tx *store.Tx) error {
		p, err = ReadPause(ctx, tx)
		return err
	})
	return p, err
}

// ReadPause returns the pause in a transaction.
func ReadPause(ctx context.Context, tx *store.Tx) (p Pause, err error) {
	set, _, err := tx.Settings.Get(ctx, settingPause)
	if err != nil {
		return Pause{}, err
	}
	return pauseIn(set)
}

// ReadHeld reports whether no execution may start, because the queue is paused or the instance
// retired. It is for the transaction that would take or start one.
func ReadHeld(ctx context.Context, tx *store.Tx) (held bool, r Retirement, err error) {
	set, err := tx.Settings.GetAll(ctx, settingPause, settingRetired)
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
		return Pause{}, fmt.Errorf("instance: setting %s: %w", settingPause, err)
	}
	return p, nil
}

// Pause holds the queue until ResumeExecutions, also after a restart. People only.
// Running executions go on.
func (s *Switches) Pause(ctx context.Context, by app.Actor) error {
	return s.setPause(ctx, by, Pause{Since: s.now(), By: by}, "executions.pause",
		"Paused: what is queued waits, what runs goes on.")
}

// Resume lets the queue go on. People only.
func (s *Switches) Resume(ctx context.Context, by app.Actor) error {
	return s.setPause(ctx, by, Pause{}, "executions.resume", "Resumed: the queue goes on.")
}

func (s *Switches) setPause(ctx context.Context, by app.Actor, to Pause, action, detail string) error {
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
		now, err := ReadPause(ctx, tx)
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
