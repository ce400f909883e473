package runner

import (
	"context"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/secrets"
)

// secretsHook resolves and redacts an execution's values, and releases Vault leases.
type secretsHook struct {
	runner    *Runner
	x         app.Execution
	redaction *redaction
	grant     grant
}

// Before resolves the values, unless that was done with the claim.
func (h *secretsHook) Before(ctx context.Context, b *Binding) error {
	if !b.resolved {
		err := retryWhileFull(ctx, func() (err error) {
			h.grant, err = h.runner.resolve(ctx, h.x.ProfileHandle, b.policy)
			return err
		})
		if err != nil {
			return err
		}
		b.grant, b.resolved = h.grant, true
	}
	h.grant = b.grant
	h.redaction.setOwn(h.grant)
	h.redaction.setHosts(h.grant.hosts)
	return nil
}

// After releases what Vault lent.
func (h *secretsHook) After(e *ending) {
	e.leaseLost = h.runner.cfg.Vault.Release(h.grant.lease)
}

// earlierValues returns Vault values that other executions got for these. The script doesn't hold
// them.
func (r *Runner) earlierValues(values []secrets.Resolved) []redact.Value {
	var list []redact.Value
	for _, known := range r.cfg.Resolver.Earlier(values) {
		list = append(list, redact.Value{Name: known.Key, Secret: known.Secret, Unheld: true})
	}
	return list
}
