package engine

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress"
	"github.com/computclaw/airlock/app/guest"
	"github.com/computclaw/airlock/app/metrics"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/store"
)

// maxError bounds the error text that is kept, in bytes.
const maxError = 64 << 10

// maxMasked is how many times the limit of the result a result may have when it is masked and written anew. Package transfer counts on it.
const maxMasked = 2

// finishRetry is the first wait after a failed write of an execution's end, doubled up to finishLast.
const (
	finishRetry = 100 * time.Millisecond
	finishLast  = 5 * time.Second
)

// execute takes a claimed execution to its end, and returns when nothing of its box is left.
func (e *Engine) execute(r *run) {
	defer r.cancel(nil)
	defer r.clearing.Wait()
	f := r.drive()
	r.nudges.Wait()                // one that is under way may write what was learnt so far behind the end
	r.e.cfg.Access.Release(r.lent) // a second time, unless the script was never sent
	r.leaveSlot()
	stored := e.finish(r.x.Handle, f)
	if !f.StartedAt.IsZero() {
		e.cfg.Metrics.Started(f.StartedAt.Sub(r.x.CreatedAt))
	}
	r.status = f.Status
	e.forget(r)
	close(r.done)
	e.publish(r.x)
	if !stored { // that was said, and its end is another one
		return
	}
	e.logEnd(r.x, f)
}

// logEnd is the line of an end in the log.
func (e *Engine) logEnd(x app.Execution, f store.Finish) {
	attrs := []any{"execution", x.Handle, "profile", x.ProfileHandle, "status", f.Status, "run_ms", f.RunTime.Milliseconds()}
	if x.Trace != "" {
		attrs = append(attrs, "trace", x.Trace)
	}
	e.cfg.Log.Info("execution ended", attrs...)
}

// drive runs the script and returns what is to be kept. When it returns nothing of the script is left, and of its box only what clearing waits for.
func (r *run) drive() store.Finish {
	defer r.unbind()
	job, err := r.prepare()
	if err != nil {
		return r.neverSent(err)
	}
	if err := r.equip(job); err != nil {
		r.egress.Close()
		return r.neverSent(err)
	}
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
		Python: box.session.Ready().Python, Packages: box.session.Ready().Packages, Runtime: in.identity(job.grant.policy.Placement.Image),
		Policy: job.grant.policy.Digest(), Limits: r.e.cfg.Limits,
	}
	if f.Result != nil {
		f.Manifest.ResultHash = digest([]byte(f.Result.String()))
	}
	return f
}

// conclude judges and redacts everything that came out of the box, as one.
func (r *run) conclude(end ending, outcome guest.Outcome) store.Finish {
	lost := r.e.cfg.Access.Release(r.lent)
	r.learn()
	end.result = r.checkResult(outcome.Result)
	r.petition()
	rows := r.located(r.egress.Ledger())
	v := withHints(withLost(judge(end), lost), hints(rows))
	broken := end.stop != nil || end.exited == nil || end.exited.Signal != 0 // what it printed may end anywhere
	x := redact.Execution{Stdout: r.stdout.whole(broken), Stderr: r.stderr.whole(broken), Turns: r.turns.list(), Error: v.message, Network: textsOf(rows), Said: r.said()}
	if end.result == nil {
		x.Result = outcome.Result
	}
	clean, err := r.lookThrough(x)
	if err != nil { // checked above; without a look at everything nothing goes out
		r.e.cfg.Log.Error("the output could not be redacted", "execution", r.x.Handle, "error", err)
		v = failure("Airlock could not redact the output, so it was thrown away; the operator finds the reason in its log")
		clean = redact.Cleaned{Error: r.clean("error", v.message)}
	}
	if limit := maxMasked * r.e.cfg.Limits.Result; clean.Result != nil && int64(clean.Result.Len()) > limit {
		clean.Result = nil
		if v.status == app.StatusCompleted {
			v = failure("the result can't be kept: with its secrets masked it is larger than %s; return less of them", size(limit))
			clean.Error = r.clean("error", v.message)
		}
	}
	f := store.Finish{Result: clean.Result, Network: ledger(rows, clean.Network)}
	var cutOut, cutErr bool
	f.Stdout, cutOut = r.stdout.keep(clean.Stdout)
	f.Stderr, cutErr = r.stderr.keep(clean.Stderr)
	f.Truncated = cutOut || cutErr
	f.Turns = clean.Turns
	r.count(clean.Hits)
	r.wrap(&f, v, clean.Error)
	return f
}

// lookThrough redacts everything that came out. It takes processor time and memory, so no more are at it than there are run slots: executions that waited for
// an answer have none, and may end all at once.
func (r *run) lookThrough(x redact.Execution) (redact.Cleaned, error) {
	r.e.looks <- struct{}{}
	defer func() { <-r.e.looks }()
	return r.redactor().Execution(x)
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
	r.wrap(&f, v, r.clean("error", v.message))
	return f
}

// wrap fills in what every end has.
func (r *run) wrap(f *store.Finish, v verdict, message redact.Clean) {
	f.Status, f.Error, f.ErrorLine, f.At = v.status, message.Ends(maxError), v.line, r.e.now()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hush()
	f.StartedAt, f.FirstOutput, f.LLMTime, f.Masked = r.started, r.first, r.llmTime, maps.Clone(r.masked) // a question may still be under way
}

// finish stores the end and reports whether it is there now. What was accepted must end, so it is tried until the engine itself ends.
func (e *Engine) finish(handle string, f store.Finish) bool {
	ctx := context.WithoutCancel(e.ctx)
	for wait := finishRetry; ; wait = min(2*wait, finishLast) {
		var end store.Ended
		err := e.cfg.Store.Write(ctx, func(tx *store.Tx) (err error) {
			end, err = tx.Finish(ctx, handle, f)
			return err
		})
		if err == nil {
			e.counted(f)
			if len(f.Network) == 0 {
				e.keep(end)
			}
			return true
		}
		e.cfg.Log.Log(ctx, levelOf(err), "the end of an execution could not be stored", "execution", handle, "error", err)
		if app.CodeOf(err) == app.CodeConflict || pause(e.ctx, wait) != nil {
			return false // it has an end already, or the next start gives it one
		}
	}
}

// counted tells the metrics of an end that was stored.
func (e *Engine) counted(f store.Finish) {
	end := metrics.End{Status: string(f.Status), Started: !f.StartedAt.IsZero(), Run: f.RunTime, LLM: f.LLMTime, Verdicts: map[string]int{}}
	for _, hits := range f.Masked {
		end.Redactions += hits.Total()
	}
	for _, c := range f.Network {
		end.Verdicts[string(c.Verdict)]++
	}
	e.cfg.Metrics.Ended(end)
}

// ledgerTexts is how many texts of a ledger row a script can choose.
const ledgerTexts = 4

// textsOf returns these texts, row by row.
func textsOf(rows []app.Connection) []string {
	texts := make([]string, 0, ledgerTexts*len(rows))
	for _, c := range rows {
		texts = append(texts, c.Host, c.Rule, c.Method, c.Path)
	}
	return texts
}

// ledger puts the redacted texts beside their rows; rows without them are left out.
func ledger(rows []app.Connection, texts []redact.Clean) []store.Connection {
	list := make([]store.Connection, len(texts)/ledgerTexts)
	for i := range list {
		t := texts[i*ledgerTexts:]
		list[i] = store.Connection{Connection: rows[i], Host: t[0], Rule: t[1], Method: t[2], Path: t[3]}
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
		told := egress.Explain(c)
		if told == nil {
			continue
		}
		hint := strings.TrimSpace(told.Message + ". " + told.Hint)
		if !slices.Contains(list, hint) { // a ledger has a row per request; what to do is the same for all of a place
			list = append(list, hint)
		}
	}
	return list
}
