package runner

import (
	"context"
	"errors"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress"
	"github.com/computclaw/airlock/app/redact"
)

// What tests outside of the package need.
const (
	MaxError       = maxError
	MaxPlacesTried = maxPlacesTried
	MaxMasked      = maxMasked
)

func (r *Runner) Decisions() int64 { return r.decisions.Load() }

func (r *Runner) AddDecision() { r.decisions.Add(1) }

func (r *Run) RequestDenied() { r.requests.requestDenied() }

// RequestAfterStop stops an execution after a denial, then requests the host.
func (r *Runner) RequestAfterStop(x app.Execution, host string) {
	run := newRun(r, Claim{Execution: x})
	session := r.cfg.Gateway.Session(egress.Grant{}, nil)
	run.session.network.(*liveNetwork).session = session
	defer session.Close()
	session.RecordRefused(host)
	run.Stop(StopProfile(ProfileRevoked))
	run.RequestDenied()
}

// DialAfterDecision prepares an execution as Execute does, calls decide after reading its grant,
// and dials.
func (r *Runner) DialAfterDecision(ctx context.Context, x app.Execution, decide func(), host string, port int) error {
	run := r.Begin(Claim{Execution: x, Source: &Source{}})
	defer run.cancel(nil)
	defer r.runs.remove(run)
	defer func() {
		run.notifier.stop()
		run.notifier.wait()
	}()
	b, err := run.bind()
	if err != nil {
		return err
	}
	for _, one := range run.hooks {
		if one == Hook(run.session.network) {
			decide()
		}
		if err := one.Before(ctx, b); err != nil {
			return err
		}
	}
	defer run.session.network.After(nil)
	conn, err := run.session.network.Dial(ctx, host, port)
	if err == nil {
		return errors.Join(errors.New("it was dialled"), conn.Close())
	}
	return err
}

func (r *Runner) CountRedactors() int { return len(r.redactors.inUse) }

func (r *Runner) CutEnds() { r.lanes.cut(0) }

func Digest(data []byte) string { return digest(data) }

// LiveRedactor returns the live view's redactor for a script that may reach hosts.
func (r *Runner) LiveRedactor(hosts []app.Host) (text func(string) (redact.Clean, redact.Hits), reach func()) {
	red := newRedaction(r, "x")
	red.setHosts(hosts)
	return func(text string) (redact.Clean, redact.Hits) { return red.redactor().Text(text) }, red.noteReached
}
