package instance

import (
	"context"
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
	var ended []string
	changed, err := s.turn(ctx, by, settingRetired, true, "instance.retire", "instance",
		func(tx *store.Tx) (detail string, err error) {
			ended, err = cancelPending(ctx, tx, s.now())
			return fmt.Sprintf("Retired: nothing is executed any more; %d waiting executions were cancelled.", len(ended)), err
		})
	if changed {
		s.hub.PublishExecutions(ended...)
	}
	return err
}

func cancelPending(ctx context.Context, tx *store.Tx, at time.Time) (ended []string, err error) {
	waiting, err := tx.Executions.ListUnfinished(ctx, "")
	if err != nil {
		return nil, err
	}
	clean, _ := redact.New(nil).Text(retiredText)
	for _, x := range waiting {
		if !x.Status.IsQueued() {
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
	_, err := s.turn(ctx, by, settingRetired, false, "instance.unretire", "instance",
		func(*store.Tx) (string, error) { return "Retirement undone: the instance executes again.", nil })
	return err
}
