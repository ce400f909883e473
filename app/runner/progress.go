package runner

import (
	"cmp"
	"context"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
)

// Progress is how far an execution is that runs here.
type Progress struct {
	Phase   app.Phase
	Started time.Time     // zero until the script was sent
	Ran     time.Duration // on the run clock
}

// Progress returns how far the execution is.
func (r *Run) Progress() Progress {
	ran, over := r.script.clock.measure()
	p := Progress{Phase: app.PhaseRunning, Started: r.script.started.get(), Ran: ran}
	switch {
	case over:
		p.Phase = app.PhaseFinishing
	case p.Started.IsZero():
		p.Phase = app.PhaseStarting
	case r.Asks():
		p.Phase = app.PhaseAwaitingLLM
	}
	return p
}

// idleFactor bounds the cost of redacting live output for the agent. The next pass waits ten times
// as long as the last one took.
const idleFactor = 10

// outputSoFar is a running script's output for its agent. Safe for concurrent use.
type outputSoFar struct {
	turn *semaphore.Weighted // of one; guards what follows

	of   soFarKey
	out  app.Output
	next time.Time // when it may be made anew for new output
}

// soFarKey changes with new output or values to redact.
type soFarKey struct {
	printed int64
	red     *redact.Redactor
}

// OutputSoFar returns the output as if the script were stopped now. It uses the final pass, which
// also finds values in pieces. It returns nothing while that can't be redacted.
func (r *Run) OutputSoFar(ctx context.Context) (app.Output, error) {
	if r.script.started.get().IsZero() {
		return app.Output{}, nil
	}
	s := &r.script.soFar
	if err := s.turn.Acquire(ctx, 1); err != nil {
		return app.Output{}, context.Cause(ctx)
	}
	defer s.turn.Release(1)
	checked := r.session.redaction.redactor()
	key := soFarKey{r.script.output.CountPrinted(), checked.red}
	switch {
	case checked.err != nil:
		return app.Output{}, nil
	case key == s.of, key.red == s.of.red && time.Now().Before(s.next):
		return s.out, nil
	}
	first, second := r.script.output.Whole(true)
	var clean redact.Cleaned
	var broken error
	var took time.Duration
	err := r.runner.lanes.inTurn(ctx, r.x.ProfileHandle, int64(len(first.Raw)+len(second.Raw)), func() {
		began := time.Now()
		clean, broken = checked.Execution(redact.Execution{
			Stdout: first, Stderr: second, Turns: r.script.output.Turns(),
		})
		took = time.Since(began)
	})
	if err = cmp.Or(err, broken); err != nil {
		return app.Output{}, err
	}
	keptOut, keptErr, _ := r.script.output.Keep(clean.Stdout, clean.Stderr)
	s.of, s.out = key, app.Output{Stdout: keptOut.String(), Stderr: keptErr.String()}
	s.next = time.Now().Add(idleFactor * took)
	return s.out, nil
}
