package engine

import (
	"errors"
	"time"

	"github.com/computclaw/airlock/app/guest"
	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/wire"
)

// ending gathers what is known about the box's end.
func (r *run) ending(outcome guest.Outcome, broken error) ending {
	end := ending{limits: r.e.cfg.Limits, failed: r.account(outcome.Failed)}
	if stopOf(r.ctx) != nil {
		r.box.close() // nothing to wait for
	}
	if used, ok := r.usedAtItsEnd(outcome, broken); ok {
		end.exit = plugins.Exit{Reason: plugins.ReasonExit, PeakMemory: used.PeakMemory, CPUTime: used.CPUTime}
		r.clear()
	} else {
		end.exit, end.lost = r.box.end()
	}
	r.turn <- struct{}{} // no question is open any more, and none will be
	var protocol *guest.ProtocolError
	switch {
	case broken == nil:
		end.exited = &outcome.Exited
	case errors.As(broken, &protocol):
		end.broken = broken
	}
	if end.stop = stopOf(r.ctx); end.stop == nil && end.lost != nil {
		r.e.cfg.Log.Warn("a sandbox was lost", "execution", r.x.Handle, "error", end.lost)
	}
	if end.stop == nil && broken != nil {
		r.e.cfg.Log.Warn("a session broke", "execution", r.x.Handle, "error", broken, "diagnostic", end.exit.Diagnostic)
	}
	return end
}

// usedAtItsEnd returns what a script has used that came to its end by itself, if that is certain before its box is gone. A signal may be the kernel's word for a limit, so
// of such an end the box's own tells the reason.
func (r *run) usedAtItsEnd(outcome guest.Outcome, broken error) (used plugins.Usage, ok bool) {
	if broken != nil || outcome.Exited.Signal != 0 {
		return used, false
	}
	return r.box.measure(r.ctx)
}

// clear sees the box to its end behind the execution's.
func (r *run) clear() {
	gone := make(chan struct{})
	r.gone = gone
	r.clearing.Go(func() {
		defer close(gone)
		if r.e.slots.spare() {
			r.linger()
		}
		exit, err := r.box.end()
		if err != nil || exit.Reason != plugins.ReasonExit {
			r.e.cfg.Log.Warn("a sandbox came to another end than its script", "execution", r.x.Handle, "reason", exit.Reason, "diagnostic", exit.Diagnostic, "error", err)
		}
	})
}

// To take a box down keeps both of two processors busy for some milliseconds, in which whoever waits for the script's end would have to wait too: so where nobody wants the
// box's place it stays until the end is told. Nothing of the script is alive in it.
const (
	lingerMost = 50 * time.Millisecond // however long the end takes to be stored
	toldWithin = 3 * time.Millisecond  // from the end being stored until its agent has it
)

// linger returns once the end of the execution has been told, or should have been.
func (r *run) linger() {
	most := time.NewTimer(lingerMost)
	defer most.Stop()
	select {
	case <-r.done:
	case <-most.C:
		return
	}
	_ = pause(r.e.ctx, toldWithin)
}

// leaveSlot gives the run slot to somebody else as soon as the box is gone. What came out of it has been looked through by then: both take processor time and memory.
func (r *run) leaveSlot() {
	if r.gone == nil {
		r.releaseSlot()
		return
	}
	r.clearing.Go(func() {
		<-r.gone
		r.releaseSlot()
	})
}

// account redacts what the guest says about a failure. Texts beyond maxError may have been cut to fit into a message.
func (r *run) account(failed *wire.Failed) *wire.Failed {
	if failed == nil {
		return nil
	}
	clean := func(text string) string {
		if len(text) <= maxError {
			return text // redacted with the rest of the message
		}
		return r.cleanCut("error", text).String()
	}
	return &wire.Failed{Error: clean(failed.Error), Traceback: clean(failed.Traceback), Line: failed.Line}
}
