package runner

import (
	"context"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/metrics"
	"github.com/computclaw/airlock/app/pause"
	"github.com/computclaw/airlock/store"
)

const (
	endRetry     = 100 * time.Millisecond // after a failed write of an end, doubled up to endRetryLast
	endRetryLast = 5 * time.Second
)

// storeEnd stores the end of an execution and reports whether it did. Whatever was accepted must end, so it tries
// until the Runner stops.
func (r *Runner) storeEnd(handle string, f store.Finish) bool {
	ctx := context.WithoutCancel(r.ctx)
	for wait := endRetry; ; wait = min(2*wait, endRetryLast) {
		var end store.Ended
		err := r.cfg.Store.Write(ctx, func(tx *store.Tx) (err error) {
			end, err = tx.Finish(ctx, handle, f)
			return err
		})
		if err == nil {
			r.countEnd(f)
			if len(f.Network) == 0 {
				r.cfg.Ended(end)
			}
			return true
		}
		r.cfg.Log.Log(ctx, app.RetryLevel(err), "the end of an execution could not be stored",
			"execution", handle, "error", err)
		if app.CodeOf(err) == app.CodeConflict || pause.For(r.ctx, wait) != nil {
			return false // it has an end already, or the next start gives it one
		}
	}
}

// ReportUnstarted logs and counts the stored end of an execution that never ran here.
func (r *Runner) ReportUnstarted(x app.Execution, f store.Finish) {
	r.countEnd(f)
	r.logEnd(x, f)
}

func (r *Runner) countEnd(f store.Finish) {
	end := metrics.End{
		Status: string(f.Status), Started: !f.StartedAt.IsZero(), Run: f.RunTime, LLM: f.LLMTime, Verdicts: map[string]int{},
	}
	for _, hits := range f.Masked {
		end.Redactions += hits.Total()
	}
	for _, c := range f.Network {
		end.Verdicts[string(c.Verdict)]++
	}
	r.cfg.Metrics.Ended(end)
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
