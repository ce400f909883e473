package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/store"
)

// reconcile ends what a dead process left running or waiting. Its boxes are gone: they die with their host, and a
// backend's Check sweeps what did not. What is pending runs.
func (e *Engine) reconcile(ctx context.Context) error {
	var ended []func() // what is said of each, once it is stored
	err := e.cfg.Store.Write(ctx, func(tx *store.Tx) error {
		ended = nil
		list, err := tx.Unfinished(ctx, "")
		if err != nil {
			return err
		}
		for _, x := range list {
			if x.Status == app.StatusPending {
				continue
			}
			f := e.crashed(x.StartedAt)
			if _, err := tx.Finish(ctx, x.Handle, f); err != nil {
				return err
			}
			ended = append(ended, func() {
				e.counted(f)
				e.logEnd(x.Execution, f)
			})
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("engine: reconcile: %w", err)
	}
	for _, say := range ended {
		say()
	}
	if len(ended) > 0 {
		e.cfg.Log.WarnContext(ctx, "executions of a process that ended unexpectedly were marked as interrupted", "count", len(ended))
	}
	return nil
}

// crashed is the end of an execution that a dead process had claimed. Its start is recorded before its script is sent, so that it is known whether it can have done anything.
func (e *Engine) crashed(started time.Time) store.Finish {
	cause := &stop{app.StatusError, interruptedByCrash}
	if started.IsZero() {
		cause.message = interruptedUnstarted
	}
	f := e.unstarted(cause)
	f.StartedAt = started
	return f
}

// watchEvery is how often the database is looked at for changes by other processes while something runs.
const watchEvery = 250 * time.Millisecond

// watchLoop obeys what people decide about profiles and credentials while something runs under them: here at once, in another process
// (airlock admin) soon.
func (e *Engine) watchLoop() {
	sub := e.cfg.Hub.Subscribe(live.Profiles, live.Credentials)
	defer sub.Close()
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	seen := int64(-1) // version of the database that was reviewed
	for {
		select {
		case <-sub.C():
			sub.Topics()
			if !e.review() {
				seen = -1
			}
			continue
		case <-ticker.C:
		case <-e.ctx.Done():
			return
		}
		if len(e.liveProfiles()) == 0 {
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
		if version != seen && e.review() {
			seen = version
		}
	}
}

// liveProfiles returns what runs or waits, by profile.
func (e *Engine) liveProfiles() map[string][]*run {
	e.mu.Lock()
	defer e.mu.Unlock()
	profiles := make(map[string][]*run, len(e.live))
	for _, r := range e.live {
		profiles[r.x.ProfileHandle] = append(profiles[r.x.ProfileHandle], r)
	}
	return profiles
}
