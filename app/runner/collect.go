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

// maxTail bounds how much of an output's end is read for hints, in bytes.
const maxTail = 4 << 10

// sessionEnd says what is certain of a script's end.
type sessionEnd int

const (
	endLost     sessionEnd = iota // the box ended first, or was lost while its own end could matter
	endProtocol                   // the guest broke the protocol
	endReported                   // the guest reported the script's end
)

// ending holds everything known about an execution's end.
//
// The guest's claim (failed) only words an error. The kernel (exit), the wait status that PID 1 saw
// (exited) and Airlock itself decide whether there was one.
type ending struct {
	unsent    error         // why the script was certainly never sent; then only leaseLost counts besides
	sent      sent          // what ran
	stop      *Stop         // Airlock ended it
	end       sessionEnd    // of what was sent
	lost      error         // why the backend could not tell the box's end
	exit      plugins.Exit  // of the box
	exited    wire.Exited   // of the script; zero if the guest did not report it
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
		failed: s.outcome.Failed, exited: s.outcome.Exited,
	}
	if stopOf(r.ctx) != nil {
		box.Close() // nothing to wait for
	}
	var used plugins.Usage
	measured := s.err == nil && e.exited.Signal == 0 // a signal may be the kernel's, for a limit
	if measured {
		used, measured = box.Measure(r.ctx)
	}
	if measured {
		e.exit = plugins.Exit{Reason: plugins.ReasonExit, PeakMemory: used.PeakMemory, CPUTime: used.CPUTime}
		r.session.leave(r.done)
	} else {
		e.exit, e.lost = box.End()
	}
	r.script.dialogue.close()
	if e.failed != nil {
		e.said = r.script.output.Stderr.Tail(maxTail)
	}
	e.end = s.end(used, e.lost)
	if e.stop = r.endScript(); e.stop != nil {
		return e
	}
	if e.lost != nil {
		r.runner.cfg.Log.Warn("lost a sandbox", "execution", r.x.Handle, "error", e.lost)
	}
	if s.err != nil {
		r.runner.cfg.Log.Warn("a session broke", "execution", r.x.Handle, "error", s.err, "diagnostic",
			e.exit.Diagnostic)
	}
	return e
}

// end decides what is certain of the script's end. The loss of a box after the report counts only
// if the box's own end could tell of a limit.
func (s sent) end(used plugins.Usage, lost error) sessionEnd {
	exited := s.outcome.Exited
	switch {
	case errors.As(s.err, new(*guest.ProtocolError)):
		return endProtocol
	case s.err != nil:
		return endLost
	case lost != nil && (used.LimitHit || exited.Signal != 0 || s.outcome.ArtifactsCut):
		return endLost
	}
	return endReported
}
