package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// reconcile ends what a dead process left running or waiting. Its boxes are gone: they die with their host, and a
// backend's Check sweeps what did not. What is pending runs.
func (e *Engine) reconcile(ctx context.Context) error {
	cause := &stop{app.StatusError, interruptedByCrash}
	var ended int
	err := e.cfg.Store.Write(ctx, func(tx *store.Tx) error {
		list, err := tx.Unfinished(ctx, "")
		if err != nil {
			return err
		}
		for _, x := range list {
			if x.Status == app.StatusPending {
				continue
			}
			if err := tx.Finish(ctx, x.Handle, e.unstarted(cause)); err != nil {
				return err
			}
			ended++
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("engine: reconcile: %w", err)
	}
	if ended > 0 {
		e.cfg.Log.WarnContext(ctx, "executions of a process that ended unexpectedly were marked as interrupted", "count", ended)
	}
	return nil
}

// watchEvery is how often the database is looked at for changes by other processes while something runs.
const watchEvery = 250 * time.Millisecond

// watchLoop ends what runs under a profile that another process (airlock admin) revoked or deleted.
func (e *Engine) watchLoop() {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	seen := int64(-1)
	for {
		select {
		case <-ticker.C:
		case <-e.ctx.Done():
			return
		}
		profiles := e.liveProfiles()
		if len(profiles) == 0 {
			seen = -1
			continue
		}
		version, err := e.cfg.Store.DataVersion(e.ctx)
		if err != nil {
			if e.ctx.Err() == nil {
				e.cfg.Log.Error("the database could not be watched", "error", err)
			}
			continue
		}
		if version != seen && e.endRevoked(profiles) {
			seen = version
		}
	}
}

// liveProfiles lists the profiles under which something runs or waits.
func (e *Engine) liveProfiles() map[string]bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	profiles := make(map[string]bool, len(e.live))
	for _, r := range e.live {
		profiles[r.x.ProfileHandle] = true
	}
	return profiles
}

// endRevoked stops what runs under profiles that are revoked or gone. It reports whether it could tell.
func (e *Engine) endRevoked(profiles map[string]bool) bool {
	certain := true
	for handle := range profiles {
		profile, err := e.cfg.Access.ProfileByHandle(e.ctx, handle)
		switch code := app.CodeOf(err); {
		case code == app.CodeNotFound:
			e.stopProfile(handle, stopGone(profileDeleted))
		case err != nil:
			certain = false
		case profile.Revoked:
			e.stopProfile(handle, stopGone(profileRevoked))
		}
	}
	return certain
}

// stopProfile ends what runs now. What is pending is refused when it is dispatched.
func (e *Engine) stopProfile(handle string, cause *stop) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, r := range e.live {
		if r.x.ProfileHandle == handle {
			r.stop(cause)
		}
	}
}
