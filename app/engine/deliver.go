package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/egress"
	"github.com/computclaw/airlock/app/egress/swap"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/store"
)

// grant is what one execution may have and reach, bound when it is dispatched.
type grant struct {
	policy   app.Policy
	settings map[string]string
	hosts    []app.Host // with {KEY} references resolved
	sealed   []access.Value
	plain    []access.Value
	secrets  []redact.Value
	injected []string
	values   []store.ExecutionValue
	hold     string // what Vault lent, to be released; "" if nothing
	all      []access.Value
	vault    bool // some values came from Vault, so the script as it is shown has to be looked through again
}

// bind reads the values of a profile and its newest policy as they are now. What it returns holds what Vault lent, also with an error. The newest version counts: a person who takes a host or a
// value away also means the executions that still wait in the queue.
func (e *Engine) bind(ctx context.Context, profile app.Profile, policy app.Policy) (grant, error) {
	values, err := e.cfg.Access.Resolve(ctx, profile.Handle, policy)
	if err != nil {
		return grant{}, fmt.Errorf("resolve the values: %w", err)
	}
	return e.granted(policy, values)
}

// granted is what a policy grants with these values.
func (e *Engine) granted(policy app.Policy, values []access.Value) (grant, error) {
	g := grant{policy: policy, settings: make(map[string]string, len(values)), all: values}
	for _, v := range values {
		g.hold, g.vault = v.Hold, g.vault || v.Elsewhere()
	}
	for _, v := range values {
		if err := g.add(v); err != nil {
			return g, err
		}
	}
	g.secrets = append(g.secrets, e.earlier(values)...)
	var err error
	g.hosts, err = access.ResolveHosts(policy, values)
	return g, err
}

// dispatch is what the store is told of an execution with this grant.
func (g *grant) dispatch(in *backend, warm bool, at time.Time) store.Dispatch {
	return store.Dispatch{
		Policy: g.policy.Version, Backend: in.name, Isolation: string(in.report.Tier), Warm: warm, Injected: g.injected, Values: g.values, At: at,
	}
}

// add gives the script what its mode says: the placeholder of a sealed value, never the value.
func (g *grant) add(v access.Value) error {
	switch v.Mode {
	case app.ModeSealed:
		g.settings[v.Key] = v.Placeholder
		g.sealed = append(g.sealed, v)
		g.secrets = append(g.secrets, redact.Value{Name: v.Key, Secret: v.Secret, Placeholder: v.Placeholder})
	case app.ModeInjected:
		g.settings[v.Key] = v.Secret.Reveal()
		g.injected = append(g.injected, v.Key)
		g.secrets = append(g.secrets, redact.Value{Name: v.Key, Secret: v.Secret})
	case app.ModePlain:
		g.settings[v.Key] = v.Secret.Reveal()
		g.plain = append(g.plain, v)
	default:
		return fmt.Errorf("engine: the key %s has the mode %q, which this program doesn't know", v.Key, v.Mode)
	}
	g.values = append(g.values, store.ExecutionValue{Key: v.Key, CredentialID: v.Credential, Version: v.Version, Mode: v.Mode})
	return nil
}

// way is the grant as egress needs it.
func (g *grant) way() egress.Grant {
	way := egress.Grant{Hosts: g.hosts, Sealed: swapped(g.sealed)}
	for _, v := range g.all {
		if v.Mode == app.ModeInjected {
			way.Given = append(way.Given, v.Secret)
		}
	}
	return way
}

func swapped(values []access.Value) []swap.Credential {
	list := make([]swap.Credential, len(values))
	for i, v := range values {
		list[i] = swap.Credential{Key: v.Key, Placeholder: v.Placeholder, Value: v.Secret, Hosts: v.Hosts, Places: v.Places, Headers: v.Headers, PlainHTTP: v.PlainHTTP}
	}
	return list
}
