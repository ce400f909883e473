package runner

import (
	"context"
	"fmt"
	"slices"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress"
	"github.com/computclaw/airlock/app/policy"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
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

// grant is what one execution may have and reach.
type grant struct {
	settings map[string]string
	hosts    []app.Host // with {KEY} references resolved
	values   []secrets.Resolved
	injected []string // keys
	recorded []store.ExecutionValue
	lease    string // to be released; "" if Vault lent nothing
	vault    bool   // some values came from Vault, so the script as it is shown must be redacted again
}

// newGrant returns what a policy grants with these values. Release its lease, also after an error.
func newGrant(bound app.Policy, values []secrets.Resolved) (grant, error) {
	g := grant{settings: make(map[string]string, len(values)), values: values}
	for _, v := range values {
		g.lease, g.vault = v.Hold, g.vault || v.Elsewhere()
	}
	for _, v := range values {
		if err := g.add(v); err != nil {
			return g, err
		}
	}
	var err error
	g.hosts, err = policy.ResolveHosts(bound, values)
	return g, err
}

// add gives the script what the value's mode allows. It gives the placeholder of a sealed value,
// never the value.
func (g *grant) add(v secrets.Resolved) error {
	switch v.Mode {
	case app.ModeSealed:
		g.settings[v.Key] = v.Placeholder
	case app.ModeInjected:
		g.settings[v.Key] = v.Secret.Reveal()
		g.injected = append(g.injected, v.Key)
	case app.ModePlain:
		g.settings[v.Key] = v.Secret.Reveal()
	default:
		return fmt.Errorf("runner: the key %s has the mode %q, which this program doesn't know", v.Key, v.Mode)
	}
	g.recorded = append(g.recorded, store.ExecutionValue{
		Key: v.Key, CredentialID: v.Credential, Version: v.Version, Mode: v.Mode,
	})
	return nil
}

// forEgress returns the grant as egress needs it.
func (g *grant) forEgress() egress.Grant {
	e := egress.Grant{Hosts: g.hosts, Sealed: g.inMode(app.ModeSealed)}
	for _, v := range g.inMode(app.ModeInjected) {
		e.Given = append(e.Given, v.Secret)
	}
	return e
}

// inMode returns the values in one of the modes.
func (g *grant) inMode(modes ...app.Mode) (list []secrets.Resolved) {
	for _, v := range g.values {
		if slices.Contains(modes, v.Mode) {
			list = append(list, v)
		}
	}
	return list
}
