package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/guest"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/wire"
	"github.com/computclaw/airlock/store"
)

const (
	boxTries = 3 // places, or boxes, that may be tried for one sending of the script, and sendings
	boxRetry = 200 * time.Millisecond

	fullPause = time.Second // before it is tried again to store on a full disk
)

// job is everything that a script's start needs.
type job struct {
	grant  grant
	script []byte
	inputs []byte // nil if none
	seen   int64  // reviews before the grant was read
}

// prepare binds the execution: the profile as it is now, its newest policy, the current values, the script.
func (r *run) prepare() (job, error) {
	e := r.e
	seen := e.reviews.Load()
	if r.bound != nil {
		if r.bound.job.seen == seen {
			return r.bound.job, nil
		}
		r.unbind() // people have decided something since, perhaps before this execution was found to run; that its values count as used twice then is the lesser evil
	}
	profile, policy, err := e.cfg.Access.Bound(r.ctx, r.x.ProfileHandle)
	switch {
	case app.CodeOf(err) == app.CodeNotFound:
		return job{}, stopGone(profileDeleted)
	case err != nil:
		return job{}, err
	case profile.Revoked:
		return job{}, stopGone(profileRevoked)
	}
	if err := profile.CanExecute(e.now()); err != nil {
		return job{}, err
	}
	var g grant
	err = r.untilRoom(func() (err error) {
		g, err = e.bind(r.ctx, profile, policy)
		r.lent = g.hold
		return err
	})
	if err != nil {
		return job{}, err
	}
	j := job{grant: g, seen: seen}
	if j.script, j.inputs = r.script, r.inputs; j.script == nil {
		if j.script, j.inputs, err = e.given(r.ctx, r.x.Handle); err != nil {
			return j, err
		}
	}
	return j, r.recall()
}

// unbind ends the box that came with the claim, if it has not been used.
func (r *run) unbind() {
	if r.bound != nil {
		r.bound.box.close()
		r.bound = nil
	}
}

// equip makes what watches the script: the redactor with its secrets, the captures, the way out.
func (r *run) equip(j job) error {
	r.watch(j)
	if r.e.reviews.Load() == j.seen {
		return nil
	}
	return r.narrow() // a decision fell between reading the grant and being able to obey
}

func (r *run) watch(j job) {
	limit := r.e.cfg.Limits.Output
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secrets, r.grant, r.lines = j.grant.secrets, j.grant, 1+bytes.Count(j.script, []byte{'\n'})
	r.stdout = newCapture(r.redactor, limit, &r.turns, false, r.printed, func() { r.stop(stopFlood("stdout", limit)) })
	r.stderr = newCapture(r.redactor, limit, &r.turns, true, r.printed, func() { r.stop(stopFlood("stderr", limit)) })
	r.egress = r.e.cfg.Gateway.Session(j.grant.way(), r.connected)
}

// dispatch gets a box that is ready and records what the execution is bound to. Boxes that die before the script was sent are
// replaced, a few times.
func (r *run) dispatch(j job) (in *backend, err error) {
	g := j.grant
	defer r.unpark()
	if b := r.bound; b != nil && b.box.healthy() && context.Cause(r.ctx) == nil {
		r.bound, r.box = nil, b.box
		return b.in, nil
	}
	r.unbind()
	for try := range boxTries {
		if waited := pause(r.ctx, time.Duration(try)*boxRetry); waited != nil {
			return nil, waited
		}
		if in, err = r.e.place(g.policy.Placement); err != nil {
			continue
		}
		b, warm, opening := r.take(in, g.policy.Placement.Image)
		if opening != nil {
			err = opening
			continue
		}
		if err := r.record(j, in, warm); err != nil {
			b.close()
			return nil, err
		}
		if b.healthy() {
			r.box = b
			return in, nil
		}
		b.close()
		err = errors.New("engine: the sandbox ended before the script was sent")
	}
	return nil, fmt.Errorf("%w: %w", errNoBox, err)
}

// errNoBox says that there was no place for a box, or none got ready, or none lived until a script could be sent to it, however often that was tried.
var errNoBox = errors.New("engine: no sandbox got ready")

// deliver gets a box and runs the script in it. err means that the script was certainly never started; broken is how the session ended.
func (r *run) deliver(j job) (in *backend, outcome guest.Outcome, broken, err error) {
	for range boxTries {
		if in, err = r.dispatch(j); err != nil {
			return nil, guest.Outcome{}, nil, err
		}
		outcome, broken = r.send(r.box, j)
		if !errors.Is(broken, guest.ErrNotStarted) {
			return in, outcome, broken, nil
		}
		r.clock.pause()
		r.mu.Lock()
		r.started = time.Time{}
		r.mu.Unlock()
		r.box.close()
	}
	return nil, guest.Outcome{}, nil, broken
}

// pause waits, or returns ctx's cause.
func pause(ctx context.Context, d time.Duration) error {
	if d == 0 {
		return context.Cause(ctx)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// record stores what the execution is bound to, before the script is sent.
func (r *run) record(j job, in *backend, warm bool) error {
	d := j.grant.dispatch(in, warm, r.e.now())
	if j.grant.vault {
		clean, _ := r.redactor().Text(string(j.script))
		d.Script = &clean
	}
	err := r.untilRoom(func() error {
		return r.e.cfg.Store.Write(r.ctx, func(tx *store.Tx) error { return tx.Dispatch(r.ctx, r.x.Handle, d) })
	})
	if err != nil {
		return fmt.Errorf("engine: record the start: %w", err)
	}
	return nil
}

// untilRoom repeats what is stored before the script is sent for as long as the disk is full, or another process keeps the database: what was claimed in the moment in which that began waits,
// as the queue does.
func (r *run) untilRoom(write func() error) error {
	for {
		err := write()
		if !temporary(err) {
			return err
		}
		if waited := pause(r.ctx, fullPause); waited != nil {
			return waited
		}
	}
}

// temporary reports whether a write failed for want of room or since another process kept the database: it changed nothing, and may well succeed when it is tried again.
func temporary(err error) bool {
	code := app.CodeOf(err)
	return code == app.CodeStorageFull || code == app.CodeStorageBusy
}

// levelOf is how loud the log tells of something that failed and is tried again.
func levelOf(err error) slog.Level {
	if temporary(err) {
		return slog.LevelWarn
	}
	return slog.LevelError
}

// send runs the script in the box. It returns when the script has ended, the box broke, or the execution was stopped.
func (r *run) send(b *box, j job) (guest.Outcome, error) {
	r.mu.Lock()
	r.started = r.e.now()
	r.mu.Unlock()
	r.clock.resume()
	limits := r.e.cfg.Limits
	return b.session.Run(r.ctx, guest.Job{
		Script: string(j.script), Settings: j.grant.settings, Inputs: j.inputs, Hosts: wireHosts(j.grant.hosts),
		// One byte beyond the hard cap: the guest throws away what follows, and the engine knows that there was too much.
		MaxOutput: limits.Output*floodFactor + 1, MaxResult: limits.Result, Questions: app.MaxLLMCalls,
	}, guest.Handler{
		Stdout: func(p []byte) { _, _ = r.stdout.Write(p) },
		Stderr: func(p []byte) { _, _ = r.stderr.Write(p) },
		LLM: func(ctx context.Context, q wire.LLMRequest) (wire.LLMReply, error) {
			return r.ask(ctx, q.Prompt, q.Model)
		},
		Dial:  r.dial,
		Asked: r.askedFor,
	})
}

// dial connects the box to the outside. Port 0 tells of a name that the box's resolver doesn't know.
func (r *run) dial(ctx context.Context, host string, port int) (guest.Conn, error) {
	if port == 0 {
		r.egress.Refused(host)
		return nil, errNoSuchName
	}
	conn, err := r.egress.Dial(ctx, host, port)
	if err != nil {
		return nil, err
	}
	return conn, nil
}

// errNoSuchName ends a connection that was only announced to be recorded. Nobody reads it.
var errNoSuchName = errors.New("no such name for this profile")

func wireHosts(hosts []app.Host) []wire.Host {
	list := make([]wire.Host, len(hosts))
	for i, h := range hosts {
		list[i] = wire.Host{Name: h.Name, Ports: h.Ports}
	}
	return list
}

// words is what an agent may read of an error: its own words if it was made for agents, else that Airlock is at fault.
func words(err error) string {
	var told *app.Error
	if errors.As(err, &told) {
		return told.Message + ". " + told.Hint
	}
	if errors.Is(err, plugins.ErrCut) {
		return "the script was not run: the machine or container engine that its sandbox runs on can't be reached now. Submit it again in a minute, or ask the operator to look at Airlock's sandbox page"
	}
	if errors.Is(err, errNoBox) || errors.Is(err, guest.ErrNotStarted) {
		return "the script was not run: no sandbox for it got ready, or stayed so until it was sent, though that was tried several times. Submit it again; if it ends the same way, ask the operator, who finds the reason in Airlock's log"
	}
	return "Airlock could not run the script; the operator finds the reason in its log. It was not started, so it is safe to submit it again"
}

// checkResult says why what the script returned can't be kept.
func (r *run) checkResult(data json.RawMessage) error {
	if data == nil {
		return nil
	}
	if limit := r.e.cfg.Limits.Result; int64(len(data)) > limit {
		return fmt.Errorf("it is larger than %s; return less, or ask the operator to raise AIRLOCK_LIMIT_RESULT", size(limit))
	}
	if redact.CheckJSON(data) != nil {
		return errors.New("it is not valid JSON")
	}
	return nil
}
