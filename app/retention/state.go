package retention

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

const settingState = "retention.state"

type removed struct {
	Aged    int `json:"aged,omitempty"`    // for their age
	Surplus int `json:"surplus,omitempty"` // beyond the newest of their profile
}

func (r removed) total() int { return r.Aged + r.Surplus }

// sentence describes removals for the audit log. The policy may have changed since and not explain
// them.
func (r removed) sentence(p Policy) string {
	var parts []string
	if r.Aged > 0 {
		parts = append(parts, fmt.Sprintf("Removed %s for their age; %s are kept.", app.Count(r.Aged, "execution"),
			app.Count(p.Days, "day")))
	}
	if r.Surplus > 0 {
		parts = append(parts, fmt.Sprintf("Removed %s beyond the newest %d of their profile.",
			app.Count(r.Surplus, "execution"), p.Count))
	}
	return strings.Join(parts, " ")
}

type state struct {
	PassedAt   time.Time `json:"passed_at"`  // when the last pass was complete
	Last       removed   `json:"last"`       // by that pass
	Unreported removed   `json:"unreported"` // since then
	All        int64     `json:"all"`        // ever
}

// Status is how retention stands.
type Status struct {
	Policy   Policy
	PassedAt time.Time // when the last pass was complete; zero if none ever was
	Last     int       // executions that it removed
	All      int64     // executions that were ever removed
}

// Status tells how retention stands.
func (k *Keeper) Status(ctx context.Context) (Status, error) {
	var now state
	err := k.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		now, err = readState(ctx, tx)
		return err
	})
	return Status{Policy: k.cfg.Policy, PassedAt: now.PassedAt, Last: now.Last.total(), All: now.All}, err
}

func readState(ctx context.Context, tx *store.Tx) (s state, err error) {
	set, ok, err := tx.Settings.Get(ctx, settingState)
	if err != nil || !ok {
		return state{}, err
	}
	if err := json.Unmarshal(set.Value, &s); err != nil {
		return state{}, fmt.Errorf("setting %s: %w", settingState, err)
	}
	return s, nil
}

func writeState(ctx context.Context, tx *store.Tx, at time.Time, s state) error {
	value, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return tx.Settings.Set(ctx, at, store.Setting{Key: settingState, Value: value})
}

// note counts the removals of a batch, in its transaction.
func note(ctx context.Context, tx *store.Tx, at time.Time, gone removed) error {
	s, err := readState(ctx, tx)
	if err != nil {
		return err
	}
	s.Unreported.Aged += gone.Aged
	s.Unreported.Surplus += gone.Surplus
	s.All += int64(gone.total())
	return writeState(ctx, tx, at, s)
}
