package runner

import (
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/live"
)

// watchEvery is how often the database is checked for changes by other processes while something
// runs.
const watchEvery = 250 * time.Millisecond

// watchDecisions obeys what people decide about profiles and credentials while something runs under
// them: here at once, in another process (airlock admin) soon.
func (r *Runner) watchDecisions() {
	sub := r.cfg.Hub.Subscribe(live.Profiles, live.Credentials)
	defer sub.Close()
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	const none = -1
	seen := int64(none) // version of the database whose decisions were obeyed
	for {
		select {
		case <-sub.C():
			sub.Topics()
			if !r.ApplyRevocations() {
				seen = none
			}
			continue
		case <-ticker.C:
		case <-r.ctx.Done():
			return
		}
		if r.runs.count() == 0 {
			seen = none
			continue
		}
		version, err := r.cfg.Store.DataVersion(r.ctx)
		if err != nil {
			if r.ctx.Err() == nil {
				r.cfg.Log.Error("the database could not be watched", "error", err)
			}
			continue
		}
		if version != seen && r.ApplyRevocations() {
			seen = version
		}
	}
}

// ApplyRevocations stops what runs under profiles that were revoked or deleted, and restricts the
// rest to what their profiles and credentials still grant. It reports whether all of that could be
// looked up.
func (r *Runner) ApplyRevocations() bool {
	r.decisions.Add(1)
	complete := true
	for handle, runs := range r.runs.byProfile() {
		profile, err := r.cfg.Profiles.ByHandle(r.ctx, handle)
		switch {
		case app.CodeOf(err) == app.CodeNotFound:
			stopAll(runs, StopProfile(ProfileDeleted))
		case err != nil:
			complete = false
		case profile.Revoked:
			stopAll(runs, StopProfile(ProfileRevoked))
		default:
			complete = r.restrictAll(runs) && complete
		}
	}
	return complete
}

func (r *Runner) restrictAll(runs []*Run) bool {
	complete := true
	for _, run := range runs {
		if err := run.egress.restrict(); err != nil {
			r.cfg.Log.Error("what a running execution may reach could not be looked up", "execution", run.x.Handle, "error", err)
			complete = false
		}
	}
	return complete
}

// stopAll stops what runs now. What is pending is refused when it is bound.
func stopAll(runs []*Run, cause *Stop) {
	for _, r := range runs {
		r.Stop(cause)
	}
}
