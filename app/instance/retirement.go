package instance

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/store"
)

// retiredText is the error of executions queued at retirement.
const retiredText = "the instance was retired before the script ran; " +
	"submit it to the instance that this one moved to"

// Retirement is the switch that ends executing on an instance.
type Retirement struct{ Switch }

// Err returns CodeInstanceRetired for an agent, or nil if not retired.
func (r Retirement) Err() error {
	if !r.On() {
		return nil
	}
	return app.E(app.CodeInstanceRetired,
		"this instance was retired and runs nothing any more; it moved to another address",
		"Ask the person who runs Airlock for the new address. A profile_id that you have works there as it is.")
}

// Retire cancels the queue and lets running executions end. People only. Pages and history stay. It
// is for the old host after a move, so no script runs twice.
func (s *Switches) Retire(ctx context.Context, by app.Actor) error {
	if err := by.PeopleOnly(); err != nil {
		return err
	}
	r := Switch{Since: s.now(), By: by}
	value, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("instance: retire: %w", err)
	}
	var ended []string
	err = s.store.Write(ctx, func(tx *store.Tx) error {
		if was, err := ReadRetired(ctx, tx); err != nil || was.On() {
			return err
		}
		if err := tx.Settings.Set(ctx, r.Since, store.Setting{Key: settingRetired, Value: value}); err != nil {
			return err
		}
		if ended, err = cancelPending(ctx, tx, r.Since); err != nil {
			return err
		}
		detail := fmt.Sprintf("Retired: nothing is executed any more; %d waiting executions were cancelled.",
			len(ended))
		return tx.Audit(ctx, app.NewEvent(s.now(), by, "instance.retire", "instance", detail))
	})
	if err != nil {
		return err
	}
	s.hub.PublishExecutions(ended...)
	return nil
}

func cancelPending(ctx context.Context, tx *store.Tx, at time.Time) (ended []string, err error) {
	waiting, err := tx.Executions.Unfinished(ctx, "")
	if err != nil {
		return nil, err
	}
	clean, _ := redact.New(nil).Text(retiredText)
	for _, x := range waiting {
		if !x.Status.Queued() {
			continue
		}
		if _, err := tx.Executions.Finish(ctx, x.Handle,
			store.Finish{Status: app.StatusCancelled, Error: clean, At: at}); err != nil {
			return nil, err
		}
		ended = append(ended, x.Handle)
	}
	return ended, nil
}

// Unretire undoes Retire, for a cancelled move. People only.
func (s *Switches) Unretire(ctx context.Context, by app.Actor) error {
	if err := by.PeopleOnly(); err != nil {
		return err
	}
	return s.store.Write(ctx, func(tx *store.Tx) error {
		if was, err := ReadRetired(ctx, tx); err != nil || !was.On() {
			return err
		}
		if err := tx.Settings.Delete(ctx, settingRetired); err != nil {
			return err
		}
		return tx.Audit(ctx, app.NewEvent(s.now(), by, "instance.unretire", "instance",
			"Retirement undone: the instance executes again."))
	})
}
