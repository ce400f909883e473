package runner

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/computclaw/airlock/app/shares"
)

const (
	// smallText bounds what goes through the lane of small texts, in bytes.
	smallText = 64 << 10

	// endsAtStop is how long the ends of executions may wait for their turn once Airlock stops.
	endsAtStop = 10 * time.Second
)

// errEndsCut says that Airlock stopped before it was a text's turn to be checked.
var errEndsCut = errors.New("runner: stopped before the text was checked")

// lanes bound how many texts out of boxes are checked at once, outside of run slots. Profiles take
// turns, so that one with many large texts doesn't delay the others; small texts have places of
// their own. A turn is a final pass or one file, whatever time that takes.
type lanes struct {
	small, large *shares.Turns

	open  context.Context // ends endsAtStop after cut was called
	close context.CancelCauseFunc
}

// newLanes returns lanes for as many scripts as run at once. Each has two places or more, since one
// profile may take half of them.
func newLanes(workers int) *lanes {
	unbounded := shares.New(math.MaxInt) // each waiter is an execution, or a request with a limit of its own
	l := &lanes{
		small: shares.NewTurns(max(workers, 2), unbounded, nil),
		large: shares.NewTurns(max(workers/2, 2), unbounded, nil),
	}
	l.open, l.close = context.WithCancelCause(context.Background())
	return l
}

// cut refuses all who still wait after a while. What has its turn goes on.
func (l *lanes) cut(after time.Duration) {
	time.AfterFunc(after, func() { l.close(errEndsCut) })
}

// inTurn checks a text of so many bytes once it is the profile's turn. It returns the cause of ctx
// if that ended first.
func (l *lanes) inTurn(ctx context.Context, profile string, size int64, check func()) error {
	lane := l.large
	if size < smallText {
		lane = l.small
	}
	if err := lane.Take(ctx, profile); err != nil {
		return err
	}
	defer lane.Give(profile)
	if ctx.Err() != nil { // a free place is given without waiting
		return context.Cause(ctx)
	}
	check()
	return nil
}
