package engine

import (
	"context"
	"errors"
	"maps"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress"
	"github.com/computclaw/airlock/app/guest"
	"github.com/computclaw/airlock/plugins/wire"
	"github.com/computclaw/airlock/store"
)

// maxError bounds the error text that is kept, in bytes.
const maxError = 64 << 10

// finishRetry is the first wait after a failed write of an execution's end, doubled up to finishLast.
const (
	finishRetry = 100 * time.Millisecond
	finishLast  = 5 * time.Second
)

// execute takes a claimed execution to its end.
func (e *Engine) execute(r *run) {
	defer r.cancel(nil)
	f := r.drive()
	r.releaseSlot()
	e.finish(r.x.Handle, f)
	r.status = f.Status
	e.forget(r)
	close(r.done)
	e.publish(r.x)
	e.cfg.Log.Info("execution ended", "execution", r.x.Handle, "profile", r.x.ProfileHandle, "status", f.Status, "run", f.RunTime)
}

// drive runs the script and returns what is to be kept. When it returns nothing of the box is left.
func (r *run) drive() store.Finish {
	job, err := r.prepare()
	if err != nil {
		return r.neverSent(err)
	}
	r.equip(job.grant)
	cut := context.AfterFunc(r.ctx, r.egress.Close) // at once, whatever else takes time
	defer cut()
	defer r.egress.Close()
	in, outcome, broken, err := r.deliver(job)
	if err != nil {
		return r.neverSent(err)
	}
	box := r.box
	used := r.clock.stop()
	end := r.ending(outcome, broken)
	r.egress.Close()
	f := r.conclude(end, outcome)
	f.RunTime, f.PeakMemory, f.CPUTime = used, end.exit.PeakMemory, end.exit.CPUTime
	f.Manifest = app.Manifest{
		Script: digest(job.script), Inputs: digest(job.inputs), LLM: r.answers.hex(), Runner: box.session.Ready().Runner,
		Python: box.session.Ready().Python, Packages: box.session.Ready().Packages, Runtime: in.report.Runtime,
		Policy: job.grant.policy.Digest(), Limits: r.e.cfg.Limits,
	}
	if f.Result != nil {
		f.Manifest.ResultHash = digest([]byte(f.Result.String()))
	}
	return f
}

// ending gathers what is known about the box's end, after it is gone.
func (r *run) ending(outcome guest.Outcome, broken error) ending {
	end := ending{limits: r.e.cfg.Limits, failed: r.account(outcome.Failed)}
	if stopOf(r.ctx) != nil {
		r.box.close() // nothing to wait for
	}
	end.exit, end.lost = r.box.end()
	r.turn <- struct{}{} // no question is open any more, and none will be
	var protocol *guest.ProtocolError
	switch {
	case broken == nil:
		end.exited = &outcome.Exited
	case errors.As(broken, &protocol):
		end.broken = broken
	}
	if end.stop = stopOf(r.ctx); end.stop == nil && end.lost != nil {
		r.e.cfg.Log.Warn("a sandbox was lost", "execution", r.x.Handle, "error", end.lost)
	}
	if end.stop == nil && broken != nil {
		r.e.cfg.Log.Warn("a session broke", "execution", r.x.Handle, "error", broken, "diagnostic", end.exit.Diagnostic)
	}
	return end
}

// account redacts what the guest says about a failure. Texts beyond maxError may have been cut to fit into a message.
func (r *run) account(failed *wire.Failed) *wire.Failed {
	if failed == nil {
		return nil
	}
	clean := func(text string) string {
		if len(text) <= maxError {
			return text // redacted with the rest of the message
		}
		return r.cleanCut("error", text).String()
	}
	return &wire.Failed{Error: clean(failed.Error), Traceback: clean(failed.Traceback), Line: failed.Line}
}

// conclude redacts everything that came out of the box and judges.
func (r *run) conclude(end ending, outcome guest.Outcome) store.Finish {
	var f store.Finish
	f.Result, end.result = r.result(outcome.Result)
	v := judge(end)
	var cutOut, cutErr bool
	var hitsOut, hitsErr int
	broken := end.stop != nil || end.exited == nil || end.exited.Signal != 0 // what it printed may end anywhere
	f.Stdout, cutOut, hitsOut = r.stdout.finish(r.red, broken)
	f.Stderr, cutErr, hitsErr = r.stderr.finish(r.red, broken)
	f.Truncated = cutOut || cutErr
	ledger := r.egress.Ledger()
	f.Network = r.ledger(ledger)
	v = withHints(v, hints(ledger))
	r.wrap(&f, v)
	f.Masked["stdout"] += hitsOut
	f.Masked["stderr"] += hitsErr
	return f
}

// neverSent is the end of an execution whose script was not sent.
func (r *run) neverSent(err error) store.Finish {
	v := verdict{status: app.StatusError, message: words(err)}
	s := stopOf(r.ctx)
	if s == nil {
		s = stopIn(err)
	}
	if s != nil {
		v = verdict{status: s.status, message: s.message}
	} else {
		r.e.cfg.Log.Warn("an execution could not be started", "execution", r.x.Handle, "error", err)
	}
	var f store.Finish
	r.wrap(&f, v)
	return f
}

// wrap fills in what every end has.
func (r *run) wrap(f *store.Finish, v verdict) {
	f.Status, f.Error, f.ErrorLine, f.At = v.status, r.clean("error", v.message).Ends(maxError), v.line, r.e.now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.nudging != nil {
		r.nudging.Stop()
	}
	f.StartedAt, f.FirstOutput, f.LLMTime, f.Masked = r.started, r.first, r.llmTime, maps.Clone(r.masked) // a question may still be under way
}

// finish stores the end. What was accepted must end, so it is tried until the engine itself ends.
func (e *Engine) finish(handle string, f store.Finish) {
	ctx := context.WithoutCancel(e.ctx)
	for wait := finishRetry; ; wait = min(2*wait, finishLast) {
		err := e.cfg.Store.Write(ctx, func(tx *store.Tx) error { return tx.Finish(ctx, handle, f) })
		if err == nil {
			return
		}
		e.cfg.Log.Error("the end of an execution could not be stored", "execution", handle, "error", err)
		if app.CodeOf(err) == app.CodeConflict || pause(e.ctx, wait) != nil {
			return // it has an end already, or the next start gives it one
		}
	}
}

// ledger redacts the texts that a script can choose.
func (r *run) ledger(rows []app.Connection) []store.Connection {
	list := make([]store.Connection, len(rows))
	for i, c := range rows {
		list[i] = store.Connection{Connection: c, Host: r.clean("network", c.Host), Rule: r.clean("network", c.Rule)}
	}
	return list
}

// hints says what to do about each place that was refused.
func hints(ledger []app.Connection) []string {
	var list []string
	for _, c := range ledger {
		if c.Rule == egress.RuleCancelled || c.Rule == egress.RuleClosed {
			continue
		}
		if told := egress.Explain(c); told != nil {
			list = append(list, strings.TrimSpace(told.Message+". "+told.Hint))
		}
	}
	return list
}
