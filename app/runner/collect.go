package runner

import (
	"errors"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/guest"
	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/wire"
	"github.com/computclaw/airlock/store"
)

// ending holds everything known about an execution's end.
//
// The guest's claim (failed) only words an error. The kernel (exit), the wait status that PID 1 saw
// (exited) and Airlock itself decide whether there was one.
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
	notes     []string      // what is different in boxes of the backend
	leaseLost bool          // Vault took back what it had lent
	runTime   time.Duration // without waiting for answers
	limits    app.Limits
	artifacts []store.StoredArtifact
}

// collect gathers the end after the script ended, the box broke, or a Stop.
func (r *Run) collect(s sent) ending {
	box := r.session.box
	e := ending{
		sent: s, runTime: r.script.clock.stop(), limits: r.runner.cfg.Limits, notes: r.session.backend.Notes(),
		failed: s.outcome.Failed,
	}
	if stopOf(r.ctx) != nil {
		box.Close() // nothing to wait for
	}
	var used plugins.Usage
	certain := s.broken == nil && s.outcome.Exited.Signal == 0 // a signal may be the kernel's, for a limit
	if certain {
		used, certain = box.Measure(r.ctx)
	}
	if certain {
		e.exit = plugins.Exit{Reason: plugins.ReasonExit, PeakMemory: used.PeakMemory, CPUTime: used.CPUTime}
		r.session.leave(r.done)
	} else {
		e.uncertain = used.LimitHit || s.outcome.Exited.Signal != 0 || s.outcome.ArtifactsCut
		e.exit, e.lost = box.End()
	}
	r.script.dialogue.close()
	if e.failed != nil {
		_, e.said = r.script.output.tails()
	}
	var protocol *guest.ProtocolError
	switch {
	case s.broken == nil:
		e.exited = &s.outcome.Exited
	case errors.As(s.broken, &protocol):
		e.broken = s.broken
	}
	if e.stop = r.endScript(); e.stop != nil {
		return e
	}
	if e.lost != nil {
		r.runner.cfg.Log.Warn("lost a sandbox", "execution", r.x.Handle, "error", e.lost)
	}
	if s.broken != nil {
		r.runner.cfg.Log.Warn("a session broke", "execution", r.x.Handle, "error", s.broken, "diagnostic",
			e.exit.Diagnostic)
	}
	return e
}
