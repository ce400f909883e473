package engine

import (
	"context"
	"fmt"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/store"
)

// grant is what one execution may have and reach, bound when it is dispatched.
type grant struct {
	policy   app.Policy
	settings map[string]string
	hosts    []app.Host // with {KEY} references resolved
	secrets  []redact.Value
	injected []string
	values   []store.ExecutionValue
}

// bind reads the profile's policy and its values as they are now. The newest version counts: a person who takes a host or a
// value away also means the executions that still wait in the queue.
func (e *Engine) bind(ctx context.Context, profile app.Profile) (grant, error) {
	policy, err := e.cfg.Access.Policy(ctx, profile.Handle, profile.Policy)
	if err != nil {
		return grant{}, fmt.Errorf("read the policy: %w", err)
	}
	values, err := e.cfg.Access.Resolve(ctx, policy)
	if err != nil {
		return grant{}, fmt.Errorf("resolve the values: %w", err)
	}
	g := grant{policy: policy, settings: make(map[string]string, len(values))}
	for _, v := range values {
		if err := g.add(v); err != nil {
			return grant{}, err
		}
	}
	g.hosts, err = access.ResolveHosts(policy, values)
	return g, err
}

func (g *grant) add(v access.Value) error {
	if v.Mode == app.ModeSealed { // Resolve refuses them too; a second lock on this door costs nothing
		return errSealed(v.Key)
	}
	g.settings[v.Key] = v.Secret.Reveal()
	if v.Mode != app.ModePlain {
		g.injected = append(g.injected, v.Key)
		g.secrets = append(g.secrets, redact.Value{Name: v.Key, Secret: v.Secret})
	}
	g.values = append(g.values, store.ExecutionValue{Key: v.Key, CredentialID: v.Credential, Version: v.Version, Mode: v.Mode})
	return nil
}

// errSealed refuses what can't be kept: until egress puts sealed values into requests, the only other way to
// use one would be to hand it to the script, which is what its owner has ruled out.
func errSealed(key string) error {
	return app.E(app.CodeForbidden, fmt.Sprintf("the credential behind the key %s is sealed, and this version of Airlock can't put sealed values into requests yet", key),
		"Ask the person to change the credential's mode to injected, or to remove the key from a new profile.")
}
