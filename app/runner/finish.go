package runner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/metrics"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/redact/jsontext"
	"github.com/computclaw/airlock/app/runner/hints"
	"github.com/computclaw/airlock/app/sleep"
	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/wire"
	"github.com/computclaw/airlock/store"
)

const (
	// maxError bounds the error text that is kept, in bytes.
	maxError = 64 << 10

	// maxMasked is the largest redacted result, as a multiple of the limit. Package transfer counts
	// on it.
	maxMasked = 2
)

// finish judges the end and redacts all output of the box as one text. The hooks must have been
// undone.
func (r *Run) finish(e ending) store.Finish {
	var f store.Finish
	if e.unsent != nil {
		v := r.judgeUnsent(e.unsent)
		f = r.finishWith(v, r.session.redaction.text("error", v.message))
	} else {
		f = r.finishSent(e)
	}
	r.notifier.stop()
	f.At, f.StartedAt, f.FirstOutput = r.runner.cfg.Now(), r.script.started.get(), r.script.output.FirstAt()
	f.LLMTime, f.Masked = r.script.dialogue.waitTime(), r.session.redaction.countHits()
	return f
}

func (r *Run) finishWith(v verdict, message redact.Clean) store.Finish {
	return store.Finish{Status: v.status, Error: message.Ends(maxError), ErrorLine: v.line}
}

// finishSent is the end of an execution whose script was sent.
func (r *Run) finishSent(e ending) store.Finish {
	rows := r.session.network.Ledger()
	anywhere := e.stop != nil || e.end != endReported || e.exited.Signal != 0 // output may end there
	stdout, stderr := r.script.output.Whole(anywhere)
	raw := redact.Execution{
		Stdout: stdout, Stderr: stderr, Turns: r.script.output.Turns(), Network: ledgerTexts(rows),
		Result: e.sent.outcome.Result,
	}
	var v verdict
	var clean redact.Cleaned
	var hash string
	var broken error
	size := int64(len(stdout.Raw) + len(stderr.Raw) + len(raw.Result))
	if e.failed != nil {
		size += int64(len(e.failed.Error) + len(e.failed.Traceback))
	}
	cut := r.runner.lanes.inTurn(r.runner.lanes.open, r.x.ProfileHandle, size, func() {
		e.failed = redactLong(r.session.redaction, e.failed)
		v = judge(e).withLostLease(e.leaseLost).withHints(hints.Denials(rows))
		raw.Error = v.message
		clean, broken = r.session.redaction.redactor().Execution(raw)
		if clean.Result != nil {
			hash = resultHash(*clean.Result)
		}
	})
	switch most := maxMasked * r.runner.cfg.Limits.Result; {
	case cut != nil:
		v, clean = r.discardUnchecked(e, raw)
	case broken != nil: // what could not be redacted doesn't go out
		r.runner.cfg.Log.Error("could not redact the output", "execution", r.x.Handle, "error", broken)
		v = failure("Airlock could not redact the output and discarded it; the operator finds the reason in the log")
		clean = redact.Cleaned{Error: r.session.redaction.text("error", v.message)}
	case clean.Result != nil && int64(clean.Result.Len()) > most:
		clean.Result = nil
		if v.status == app.StatusCompleted {
			v = failure("the result can't be kept: with its secrets masked it is larger than %s; return less of them",
				app.FormatSize(most))
			clean.Error = r.session.redaction.text("error", v.message)
		}
	}
	for channel, hits := range clean.Hits {
		r.session.redaction.count(channel, hits)
	}
	f := r.finishWith(v, clean.Error)
	f.Stdout, f.Stderr, f.Truncated = r.script.output.Keep(clean.Stdout, clean.Stderr)
	f.Turns, f.Result, f.Network = clean.Turns, clean.Result, redactedLedger(rows, clean.Network)
	f.RunTime, f.PeakMemory, f.CPUTime = e.runTime, e.exit.PeakMemory, e.exit.CPUTime
	f.Artifacts, f.Manifest = e.artifacts, r.manifest(e.sent)
	f.Manifest.LimitsMet = e.limitsMet()
	if f.Result != nil {
		f.Manifest.ResultHash = hash
	}
	return f
}

// redactLong redacts texts of a failure longer than maxError, which may have been cut to fit a
// message. The others are redacted with the rest of the message.
func redactLong(by *redaction, failed *wire.Failed) *wire.Failed {
	if failed == nil {
		return nil
	}
	long := *failed
	for _, text := range []*string{&long.Error, &long.Traceback} {
		if len(*text) > maxError {
			*text = by.cutText("error", *text).String()
		}
	}
	return &long
}

// limitsMet returns reached limits that did not end the script. Only the kernel's counters tell:
// the script may have caught the error.
func (e ending) limitsMet() []app.LimitMet {
	var met []app.LimitMet
	if e.exit.PidsHit && e.exit.Reason != plugins.ReasonPids {
		met = append(met, app.LimitMetPids)
	}
	if e.exited.TmpFull {
		met = append(met, app.LimitMetTmp)
	}
	if e.exited.ShmFull {
		met = append(met, app.LimitMetShm)
	}
	return met
}

// manifest returns what defines the run of a sent script.
func (r *Run) manifest(s sent) app.Manifest {
	ready := r.session.box.Session.Ready()
	policy := s.binding.policy
	return app.Manifest{
		Script: digest(s.binding.source.Script), Skill: r.x.SkillDigest,
		Inputs: digest(s.binding.source.Inputs),
		Files:  filesDigest(s.binding.source.Files), LLM: r.script.dialogue.digest(),
		Runner: ready.Runner, Python: ready.Python, Packages: ready.Packages,
		Runtime: r.session.backend.Identity(s.binding.place.Image), Policy: policy.Digest(), Limits: r.runner.cfg.Limits,
	}
}

// digest returns the sha256 of data in hex, or "" for none.
func digest(data []byte) string {
	if len(data) == 0 {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func filesDigest(list []store.InputFile) string {
	if len(list) == 0 {
		return ""
	}
	var lines []string
	for _, f := range list {
		lines = append(lines, f.SHA256+" "+f.Name+"\n") // names have no line breaks
	}
	slices.Sort(lines)
	return digest([]byte(strings.Join(lines, "")))
}

// resultHash returns the digest of a result with sorted keys; "" without one.
func resultHash(result redact.Clean) string {
	sorted, err := jsontext.Sort([]byte(result.String()))
	if err != nil {
		return ""
	}
	return digest([]byte(sorted))
}

// discardUnchecked returns an end whose output Airlock had no time to check before it stopped. It
// keeps only Airlock's own words.
func (r *Run) discardUnchecked(e ending, raw redact.Execution) (verdict, redact.Cleaned) {
	v := failure("Airlock was stopped before it could check what the script printed and returned, and discarded it; " +
		"submit it again if it is safe to run twice")
	if e.stop != nil {
		v = judge(e)
	}
	clean := redact.Cleaned{Error: r.session.redaction.text("error", v.message), Hits: map[string]redact.Hits{}}
	if len(raw.Network) > 0 {
		var text redact.Clean
		text, clean.Hits["network"] = standIn()
		clean.Network = slices.Repeat([]redact.Clean{text}, len(raw.Network))
	}
	if len(raw.Stdout.Raw) > 0 {
		clean.Stdout, clean.Hits["stdout"] = standIn()
	}
	if len(raw.Stderr.Raw) > 0 {
		clean.Stderr, clean.Hits["stderr"] = standIn()
	}
	return v, clean
}

const textsPerRow = 4

// ledgerTexts returns the texts that a script can choose, row by row.
func ledgerTexts(rows []app.Connection) []string {
	texts := make([]string, 0, textsPerRow*len(rows))
	for _, c := range rows {
		texts = append(texts, c.Host, c.Rule, c.Method, c.Path)
	}
	return texts
}

// redactedLedger joins rows and redacted texts. Rows without texts are left out.
func redactedLedger(rows []app.Connection, texts []redact.Clean) []store.Connection {
	list := make([]store.Connection, len(texts)/textsPerRow)
	for i := range list {
		t := texts[i*textsPerRow:]
		list[i] = store.Connection{Connection: rows[i], Host: t[0], Rule: t[1], Method: t[2], Path: t[3]}
	}
	return list
}

const (
	endRetry     = 100 * time.Millisecond // after a failed write of an end, doubled up to endRetryLast
	endRetryLast = 5 * time.Second
)

// storeEnd stores an execution's end and reports success. It tries until the Runner stops: every
// accepted execution must end.
func (r *Runner) storeEnd(handle string, f store.Finish) bool {
	ctx := context.WithoutCancel(r.ctx)
	for wait := endRetry; ; wait = min(2*wait, endRetryLast) {
		var end store.Ended
		err := r.cfg.Store.Write(ctx, func(tx *store.Tx) (err error) {
			end, err = tx.Executions.Finish(ctx, handle, f)
			return err
		})
		if err == nil {
			r.countEnd(f)
			if len(f.Network) == 0 {
				r.cfg.Ended(end)
			}
			return true
		}
		r.cfg.Log.Log(ctx, app.RetryLevel(err), "could not store the end of an execution",
			"execution", handle, "error", err)
		if app.CodeOf(err) == app.CodeConflict || sleep.For(r.ctx, wait) != nil {
			return false // it has an end already, or the next start gives it one
		}
	}
}

// ReportEnd logs and counts a stored end of an execution that this Runner does not run.
func (r *Runner) ReportEnd(x app.Execution, f store.Finish) {
	r.countEnd(f)
	r.logEnd(x, f)
}

func (r *Runner) countEnd(f store.Finish) {
	end := metrics.End{
		Status: string(f.Status), Started: !f.StartedAt.IsZero(), Run: f.RunTime, LLM: f.LLMTime,
		Verdicts: map[string]int{},
	}
	for _, hits := range f.Masked {
		end.Redactions += hits.Total()
	}
	for _, c := range f.Network {
		end.Verdicts[string(c.Verdict)]++
	}
	r.cfg.Metrics.CountEnded(end)
}

func (r *Runner) logEnd(x app.Execution, f store.Finish) {
	attrs := []any{
		"execution", x.Handle, "profile", x.ProfileHandle, "status", f.Status, "run_ms", f.RunTime.Milliseconds(),
	}
	if x.Trace != "" {
		attrs = append(attrs, "trace", x.Trace)
	}
	r.cfg.Log.Info("execution ended", attrs...)
}
