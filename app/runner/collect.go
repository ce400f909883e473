package runner

import (
	"errors"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/guest"
	"github.com/computclaw/airlock/app/sleep"
	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/wire"
	"github.com/computclaw/airlock/store"
)

// Removing a box keeps two processors busy for some milliseconds, which would delay the answer to
// the agent. So a box whose slot nobody wants stays until the end was delivered. Nothing of the
// script is alive in it.
const (
	lingerMost    = 50 * time.Millisecond // however long the end takes to be stored
	deliverWithin = 3 * time.Millisecond  // from the end being stored until its agent has it
)

// ending is everything known about how an execution ended.
//
// The guest's claim (failed) only words an error. Whether there was one is decided by the kernel
// (exit), the wait status that PID 1 saw (exited), and Airlock itself.
type ending struct {
	unsent    error         // why the script was certainly never sent; then only leaseLost counts besides
	sent      sent          // what ran
	stop      *Stop         // Airlock ended it
	lost      error         // the backend lost the box
	broken    error         // the guest broke the protocol
	exit      plugins.Exit  // of the box
	exited    *wire.Exited  // of the script; nil if the box ended first
	uncertain bool          // how the script ended, without the box's own end
	failed    *wire.Failed  // the script's own account
	said      string        // the end of what was printed to stderr, not redacted
	leaseLost bool          // Vault took back what it had lent
	runTime   time.Duration // without waiting for answers
	limits    app.Limits
	artifacts []store.StoredArtifact
}

// collect gathers what is known once the script has ended, the box broke, or the execution was
// stopped.
func (r *Run) collect(s sent) ending {
	e := ending{sent: s, runTime: r.clock.stop(), limits: r.runner.cfg.Limits, failed: s.outcome.Failed}
	if stopOf(r.ctx) != nil {
		r.box.Close() // nothing to wait for
	}
	if used, ok := r.measure(s); ok {
		e.exit = plugins.Exit{Reason: plugins.ReasonExit, PeakMemory: used.PeakMemory, CPUTime: used.CPUTime}
		r.removal.start(r.removeBox)
	} else {
		e.uncertain = used.LimitHit || s.outcome.Exited.Signal != 0 || s.outcome.ArtifactsCut
		e.exit, e.lost = r.box.End()
	}
	r.dialogue.close()
	if tails := r.output.tails(); e.failed != nil && len(tails) == 2 {
		e.said = tails[1]
	}
	var protocol *guest.ProtocolError
	switch {
	case s.broken == nil:
		e.exited = &s.outcome.Exited
	case errors.As(s.broken, &protocol):
		e.broken = s.broken
	}
	if e.stop = r.endScript(); e.stop == nil && e.lost != nil {
		r.runner.cfg.Log.Warn("lost a sandbox", "execution", r.x.Handle, "error", e.lost)
	}
	if e.stop == nil && s.broken != nil {
		r.runner.cfg.Log.Warn("a session broke", "execution", r.x.Handle, "error", s.broken, "diagnostic",
			e.exit.Diagnostic)
	}
	return e
}

// measure returns what a script has used that ended by itself, if that is certain before its box is
// gone. A signal may be the kernel's, for a limit; then the box's own end tells the reason.
func (r *Run) measure(s sent) (used plugins.Usage, ok bool) {
	if s.broken != nil || s.outcome.Exited.Signal != 0 {
		return used, false
	}
	return r.box.Measure(r.ctx)
}

// removeBox waits for the end of a box whose execution has ended before.
func (r *Run) removeBox() {
	if r.slot.OthersFree() {
		r.linger()
	}
	exit, err := r.box.End()
	if err != nil || exit.Reason != plugins.ReasonExit {
		r.runner.cfg.Log.Warn("a sandbox ended differently from its script", "execution", r.x.Handle,
			"reason", exit.Reason, "diagnostic", exit.Diagnostic, "error", err)
	}
}

// linger returns once the end of the execution has been delivered, or should have been.
func (r *Run) linger() {
	most := time.NewTimer(lingerMost)
	defer most.Stop()
	select {
	case <-r.done:
	case <-most.C:
		return
	}
	_ = sleep.For(r.runner.ctx, deliverWithin)
}

// redactLong redacts the texts of a failure that are longer than maxError, since they may have been
// cut to fit a message.
func (r *Run) redactLong(failed *wire.Failed) *wire.Failed {
	if failed == nil {
		return nil
	}
	clean := func(text string) string {
		if len(text) <= maxError {
			return text // redacted with the rest of the message
		}
		return r.redaction.cutText("error", text).String()
	}
	return &wire.Failed{Error: clean(failed.Error), Traceback: clean(failed.Traceback), Line: failed.Line}
}
