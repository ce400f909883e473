package runner

import (
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/live"
)

// watchEvery is the interval of checks for changes by other processes during executions.
const watchEvery = 250 * time.Millisecond

// watchDecisions applies people's decisions on profiles and credentials to running executions.
// Those of this process apply at once, those of others (airlock admin) within watchEvery.
func (r *Runner) watchDecisions(news *live.Subscription) {
	defer news.Close()
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	const none = -1
	seen := int64(none) // version of the database whose decisions were obeyed
	for {
		select {
		case <-news.C():
			news.Topics()
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
				r.cfg.Log.Error("could not watch the database", "error", err)
			}
			continue
		}
		if version != seen && r.ApplyRevocations() {
			seen = version
		}
	}
}

// ApplyRevocations stops executions of revoked and deleted profiles, and restricts the others to
// their present grants. It reports whether it could look up all of them.
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
		if err := run.session.network.Restrict(); err != nil {
			r.cfg.Log.Error("could not look up what a running execution may reach", "execution", run.x.Handle, "error",
				err)
			complete = false
		}
	}
	return complete
}

// stopAll stops running executions. Pending ones are refused when they are bound.
func stopAll(runs []*Run, cause *Stop) {
	for _, r := range runs {
		r.Stop(cause)
	}
}
