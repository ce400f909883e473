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

// Paused returns the switch that pauses the queue.
func (s *Switches) Paused(ctx context.Context) (paused Switch, err error) {
	err = s.store.Read(ctx, func(tx *store.Tx) error {
		paused, err = readSwitch(ctx, tx, settingPause)
		return err
	})
	return paused, err
}

// Retired returns the retirement.
func (s *Switches) Retired(ctx context.Context) (r Retirement, err error) {
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

// parseSwitch reads a setting. A missing one, or a pause without value, is off.
func parseSwitch(set store.Setting) (s Switch, err error) {
	if set.Key == "" || set.Key == settingPause && len(set.Value) == 0 {
		return s, nil
	}
	if err := json.Unmarshal(set.Value, &s); err != nil {
		return Switch{}, fmt.Errorf("instance: setting %s: %w", set.Key, err)
	}
	return s, nil
}
