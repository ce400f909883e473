package engine

import (
	"fmt"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress"
)

// review obeys what people have decided about the profiles under which something runs: it stops what runs under those that are revoked or gone, and
// takes from the others what was taken from their hosts and credentials. It reports whether it could tell.
func (e *Engine) review() bool {
	e.reviews.Add(1)
	certain := true
	for handle, runs := range e.liveProfiles() {
		profile, err := e.cfg.Access.ProfileByHandle(e.ctx, handle)
		switch code := app.CodeOf(err); {
		case code == app.CodeNotFound:
			stopAll(runs, stopGone(profileDeleted))
		case err != nil:
			certain = false
		case profile.Revoked:
			stopAll(runs, stopGone(profileRevoked))
		default:
			for _, r := range runs {
				if err := r.narrow(); err != nil {
					e.cfg.Log.Error("what a running execution may reach could not be looked up", "execution", r.x.Handle, "error", err)
					certain = false
				}
			}
		}
	}
	return certain
}

// stopAll ends what runs now. What is pending is refused when it is dispatched.
func stopAll(runs []*run, cause *stop) {
	for _, r := range runs {
		r.stop(cause)
	}
}

// narrow takes from the running script's way out what its profile and credentials don't grant any more. What was added since it began
// is for later executions: the session never gets more than it has.
func (r *run) narrow() error {
	r.mu.Lock()
	way, g := r.egress, r.grant
	r.mu.Unlock()
	if way == nil {
		return nil // not bound yet, and then it looks itself: see equip
	}
	hosts, sealed, err := r.e.cfg.Access.Narrow(r.e.ctx, r.x.ProfileHandle, g.plain, g.sealed)
	if err != nil {
		return fmt.Errorf("engine: narrow: %w", err)
	}
	way.Narrow(egress.Grant{Hosts: hosts, Sealed: swapped(sealed)})
	return nil
}
