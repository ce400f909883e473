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

// Settings of the switches.
const (
	settingPause   = "executions.pause"
	settingRetired = "instance.retired"
)

// Switches pause the queue of an instance, or retire it.
type Switches struct {
	store *store.Store
	hub   *live.Hub
	now   func() time.Time
}

// NewSwitches returns the switches of a store's instance.
func NewSwitches(st *store.Store, hub *live.Hub, now func() time.Time) *Switches {
	return &Switches{store: st, hub: hub, now: now}
}

// SwitchKeys returns the keys of the settings that hold the switches.
func SwitchKeys() []string { return []string{settingRetired, settingPause} }

// Switch says since when, and by whom, a switch is on. Zero is off.
type Switch struct {
	Since time.Time `json:"since"`
	By    app.Actor `json:"by"`
}

// On reports whether the switch is on.
func (s Switch) On() bool { return !s.Since.IsZero() }

// ReadPause returns the switch that pauses the queue.
func (s *Switches) ReadPause(ctx context.Context) (paused Switch, err error) {
	err = s.store.Read(ctx, func(tx *store.Tx) error {
		paused, err = readSwitch(ctx, tx, settingPause)
		return err
	})
	return paused, err
}

// ReadRetirement returns the retirement.
func (s *Switches) ReadRetirement(ctx context.Context) (r Retirement, err error) {
	err = s.store.Read(ctx, func(tx *store.Tx) error {
		r, err = ReadRetired(ctx, tx)
		return err
	})
	return r, err
}

// ReadRetired returns the retirement, in the transaction that takes or starts an execution.
func ReadRetired(ctx context.Context, tx *store.Tx) (Retirement, error) {
	retired, err := readSwitch(ctx, tx, settingRetired)
	return Retirement{retired}, err
}

// ReadHeld reports whether the queue is paused or the instance retired. Call it in the transaction
// that takes or starts an execution.
func ReadHeld(ctx context.Context, tx *store.Tx) (held bool, r Retirement, err error) {
	set, err := tx.Settings.GetAll(ctx, settingPause, settingRetired)
	if err != nil {
		return true, r, err
	}
	paused, err := parseSwitch(set[settingPause])
	if err != nil {
		return true, r, err
	}
	r.Switch, err = parseSwitch(set[settingRetired])
	return paused.On() || r.On() || err != nil, r, err
}

func readSwitch(ctx context.Context, tx *store.Tx, key string) (Switch, error) {
	set, _, err := tx.Settings.Get(ctx, key)
	if err != nil {
		return Switch{}, err
	}
	return parseSwitch(set)
}

// parseSwitch reads a setting. A missing one is off.
func parseSwitch(set store.Setting) (s Switch, err error) {
	if set.Key == "" {
		return s, nil
	}
	if err := json.Unmarshal(set.Value, &s); err != nil {
		return Switch{}, fmt.Errorf("instance: setting %s: %w", set.Key, err)
	}
	return s, nil
}

// turn sets a switch, unless it is so already. People only. also is done in the same transaction;
// it returns the detail of the audit event.
func (s *Switches) turn(ctx context.Context, by app.Actor, key string, on bool, action, subject string,
	also func(tx *store.Tx) (detail string, err error)) (changed bool, err error) {
	if err := by.PeopleOnly(); err != nil {
		return false, err
	}
	value, err := json.Marshal(Switch{Since: s.now(), By: by})
	if err != nil {
		return false, fmt.Errorf("instance: %s: %w", action, err)
	}
	err = s.store.Write(ctx, func(tx *store.Tx) error {
		now, err := readSwitch(ctx, tx, key)
		if err != nil || now.On() == on {
			return err
		}
		changed = true
		if on {
			err = tx.Settings.Set(ctx, s.now(), store.Setting{Key: key, Value: value})
		} else {
			err = tx.Settings.Delete(ctx, key)
		}
		if err != nil {
			return err
		}
		detail, err := also(tx)
		if err != nil {
			return err
		}
		return tx.Audit(ctx, app.NewEvent(s.now(), by, action, subject, detail))
	})
	return changed && err == nil, err
}
