package engine

import (
	"context"
	"fmt"
	"net/url"
	"strings"

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
	g.hosts, err = resolveHosts(policy.Hosts, values)
	return g, err
}

func (g *grant) add(v access.Value) error {
	if v.Mode == app.ModeSealed {
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

// resolveHosts replaces references such as {DB_HOST}:5432 by the values of plain keys, which may be names, addresses or URLs.
func resolveHosts(hosts []app.Host, values []access.Value) ([]app.Host, error) {
	resolved := make([]app.Host, 0, len(hosts))
	for _, h := range hosts {
		if key := h.KeyReference(); key != "" {
			name, err := nameOf(key, values)
			if err != nil {
				return nil, err
			}
			h.Name = name
		}
		resolved = append(resolved, h)
	}
	return resolved, nil
}

func nameOf(key string, values []access.Value) (string, error) {
	for _, v := range values {
		if v.Key != key || v.Mode != app.ModePlain {
			continue
		}
		text := strings.TrimSpace(v.Secret.Reveal())
		if u, err := url.Parse(text); err == nil && u.Host != "" {
			text = u.Hostname()
		}
		name, err := app.CanonicalName(text)
		if err != nil {
			return "", app.E(app.CodeForbidden, fmt.Sprintf("the host entry {%s} can't be used: the key's value is neither a host name nor a URL", key),
				"Ask the person to correct the value or the host entry.")
		}
		return name, nil
	}
	return "", app.E(app.CodeForbidden, fmt.Sprintf("the host entry {%s} can't be used: the profile has no plain key of that name", key),
		"Ask the person to correct the host entry.")
}
