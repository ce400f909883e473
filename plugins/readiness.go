package plugins

import (
	"context"
	"fmt"
	"sync"
)

// Readiness keeps the result of a backend's last successful Check, a *H. The zero value is not
// ready. Safe for concurrent use.
type Readiness[H any] struct {
	checking sync.Mutex // one Check at a time

	mu   sync.Mutex
	host *H
}

// Check runs prove, which fills in the report, and keeps the host it returns. Errors of prove
// become the report's reason. If ctx cuts the check short, the previous result stays in use.
func (r *Readiness[H]) Check(ctx context.Context, cfg Config, report Report,
	prove func(*Report) (*H, error)) (Report, error) {
	r.checking.Lock()
	defer r.checking.Unlock()
	host, err := r.prove(cfg, &report, prove)
	if err != nil {
		report.Tier, report.Reason = TierNone, err.Error()
		if ctx.Err() == nil {
			r.set(nil)
		}
		return report, ctx.Err()
	}
	report.Ready = true
	r.set(host)
	return report, nil
}

func (r *Readiness[H]) prove(cfg Config, report *Report, prove func(*Report) (*H, error)) (*H, error) {
	if !IsLabel(cfg.Instance) {
		return nil, fmt.Errorf("instance %q: letters, digits and dashes only", cfg.Instance)
	}
	return prove(report)
}

func (r *Readiness[H]) set(host *H) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.host = host
}

// Host returns what the last successful Check found out.
func (r *Readiness[H]) Host(backend string) (*H, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.host == nil {
		return nil, fmt.Errorf("%s: not checked, or not ready", backend)
	}
	return r.host, nil
}
