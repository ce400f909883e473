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

	// largePasses bounds how many larger texts are checked at once, on any machine. One of 2,000,000
	// numbers takes 60 MiB.
	largePasses = 2

	// endsAtStop is how long ends may wait for their turn once Airlock stops.
	endsAtStop = 10 * time.Second
)

var errEndsCut = errors.New("runner: stopped before the text was checked")

// lanes bounds concurrent checks of texts, outside of run slots.
//
// Profiles take turns, so that one with many large texts doesn't delay the others. Small texts have
// places of their own. A turn is a final pass or one file, whatever its duration.
type lanes struct {
	small, large *shares.Turns

	open  context.Context // ends endsAtStop after cut was called
	close context.CancelCauseFunc
}

// newLanes returns lanes for a number of run slots. Each has two places or more, since one profile
// may take half.
func newLanes(workers int) *lanes {
	unbounded := shares.New(math.MaxInt) // each waiter is an execution, or a request with a limit of its own
	l := &lanes{
		small: shares.NewTurns(max(workers, 2), unbounded, nil),
		large: shares.NewTurns(largePasses, unbounded, nil),
	}
	l.open, l.close = context.WithCancelCause(context.Background())
	return l
}

// cut refuses waiting texts after a while. Running turns go on.
func (l *lanes) cut(after time.Duration) {
	time.AfterFunc(after, func() { l.close(errEndsCut) })
}

// inTurn checks a text of size bytes once it is the profile's turn. It returns the cause of ctx if
// that ends first.
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

// InTurn checks a text that was submitted, of size bytes, once it is the profile's turn.
func (r *Runner) InTurn(ctx context.Context, profile string, size int, check func()) error {
	return r.submitted.inTurn(ctx, profile, int64(size), check)
}
