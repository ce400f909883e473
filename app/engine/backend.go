package engine

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/computclaw/airlock/plugins"
)

const (
	checkWithin  = time.Minute
	checkFirst   = 5 * time.Second // after a check found nothing ready, doubled up to checkLast
	checkLast    = 5 * time.Minute
	failuresLast = 3 // openings in a row; then the backend is checked again
)

// backend is the sandbox in use, with its boxes.
type backend struct {
	sandbox plugins.Sandbox
	spec    plugins.Spec // of every box, without ID
	report  plugins.Report
	pool    *pool
	failed  atomic.Int32 // openings in a row
}

// choose checks the configured sandboxes in order and takes the first that is ready.
func (e *Engine) choose(ctx context.Context) bool {
	var reasons []string
	for _, s := range e.cfg.Sandboxes {
		report, err := check(ctx, s)
		reason := refusal(report, err)
		e.mu.Lock()
		e.report = report
		e.mu.Unlock()
		if reason == "" {
			return e.use(s, report)
		}
		e.cfg.Log.WarnContext(ctx, "sandbox backend is not ready", "backend", s.Name, "reason", reason)
		reasons = append(reasons, s.Name+": "+reason)
	}
	if len(reasons) == 0 {
		reasons = []string{"no sandbox backend is configured; set AIRLOCK_SANDBOX"}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.closed {
		e.reason = strings.Join(reasons, "; ")
	}
	return false
}

func check(ctx context.Context, s Sandbox) (plugins.Report, error) {
	ctx, cancel := context.WithTimeout(ctx, checkWithin)
	defer cancel()
	return s.Backend.Check(ctx, s.Config)
}

// refusal is why a backend with this report can't be used, or "".
func refusal(report plugins.Report, err error) string {
	switch {
	case err != nil:
		return fmt.Sprintf("its check failed: %v", err)
	case !report.Ready && report.Reason == "":
		return "it is not ready and doesn't say why"
	case !report.Ready:
		return report.Reason
	case report.Tier != plugins.TierFull && report.Tier != plugins.TierRestricted:
		return "its isolation is too weak to run scripts"
	}
	return ""
}

func (e *Engine) use(s Sandbox, report plugins.Report) bool {
	if report.Name == "" {
		report.Name = s.Name
	}
	l := e.cfg.Limits
	b := &backend{sandbox: s.Backend, report: report, spec: plugins.Spec{Runtime: e.cfg.Runtime,
		Limits: plugins.Limits{Memory: l.Memory, CPU: l.CPU, Pids: l.Pids, Tmp: l.Tmp, Files: l.Files}}}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return true
	}
	b.pool = newPool(max(e.cfg.Pool, 0), runtime.NumCPU(), b.open, func(err error) { e.openFailed(b, err) })
	e.backend, e.reason = b, ""
	e.cfg.Log.Info("sandbox backend is ready", "backend", report.Name, "version", report.Version, "tier", report.Tier)
	e.wakeUp()
	return true
}

// chooseLater tries again until a backend is ready.
func (e *Engine) chooseLater() {
	for wait := checkFirst; ; wait = min(2*wait, checkLast) {
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-e.ctx.Done():
			timer.Stop()
			return
		}
		if e.choose(e.ctx) {
			return
		}
	}
}

// open opens one box.
func (b *backend) open(ctx context.Context) (*box, error) {
	opened, err := openBox(ctx, b.sandbox, b.spec)
	if err == nil {
		b.failed.Store(0)
	}
	return opened, err
}

// openFailed puts a backend whose boxes don't open any more back to its check.
func (e *Engine) openFailed(b *backend, err error) {
	e.cfg.Log.Warn("a sandbox could not be opened", "backend", b.report.Name, "error", err)
	if b.failed.Add(1) != failuresLast {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.backend != b || e.closed {
		return
	}
	e.backend = nil
	e.reason = fmt.Sprintf("%s: sandboxes could not be opened any more; it is being checked again", b.report.Name)
	e.loops.Go(b.pool.close)
	e.loops.Go(func() {
		if !e.choose(e.ctx) {
			e.chooseLater()
		}
	})
}

// sandbox returns the backend in use, or nil and the reason why there is none.
func (e *Engine) sandbox() (*backend, string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.backend, e.reason
}
