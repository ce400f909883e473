package runner

import (
	"context"
	"fmt"

	"github.com/computclaw/airlock/app"
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
		err := retryWhileFull(ctx, func() error {
			values, err := h.runner.cfg.Resolver.Resolve(ctx, h.x.ProfileHandle, b.policy)
			if err != nil {
				return fmt.Errorf("resolve the values: %w", err)
			}
			h.grant, err = newGrant(b.policy, values)
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
