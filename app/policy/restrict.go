package policy

import (
	"context"
	"slices"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// Restrict returns the part of a running execution's grant that still stands. Hosts are those of
// its profile's newest policy, some perhaps new, with {KEY} resolved by the execution's plain
// values. Sealed values keep what their credentials still allow. CodeNotFound if the profile is
// gone.
func (s *Versions) Restrict(
	ctx context.Context, handle string, plain, sealed []secrets.Resolved,
) ([]app.Host, []secrets.Resolved, error) {
	ids := make([]string, len(sealed))
	for i, v := range sealed {
		ids[i] = v.Credential
	}
	var newest app.Policy
	var found map[string]app.Credential
	err := s.store.Read(ctx, func(tx *store.Tx) error {
		p, err := tx.Profiles.ByHandle(ctx, handle)
		if err != nil {
			return err
		}
		if newest, err = tx.Policies.Version(ctx, handle, p.Policy); err != nil {
			return err
		}
		found, err = tx.Credentials.ByID(ctx, ids)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	var hosts []app.Host
	for _, h := range newest.Hosts {
		// What can't be resolved grants nothing.
		if resolved, err := ResolveHosts(app.Policy{Hosts: []app.Host{h}}, plain); err == nil {
			hosts = append(hosts, resolved...)
		}
	}
	var left []secrets.Resolved
	for _, v := range sealed {
		if c, ok := found[v.Credential]; ok && restrictValue(&v, c) {
			left = append(left, v)
		}
	}
	return hosts, left, nil
}

// restrictValue applies its credential's limits to v, and reports whether any host remains. A
// credential without hosts is no longer sealed: that widens later executions only.
func restrictValue(v *secrets.Resolved, c app.Credential) bool {
	v.Hosts = app.Within(v.Hosts, c.Hosts)
	v.Places = intersect(v.Places, c.Places)
	v.Headers = intersect(v.Headers, app.SealedHeaders(c.Headers))
	v.PlainHTTP = v.PlainHTTP && c.PlainHTTP
	return len(v.Hosts) > 0
}

// intersect returns the elements of list that are also in allowed.
func intersect[T comparable](list, allowed []T) []T {
	return slices.DeleteFunc(slices.Clone(list), func(x T) bool { return !slices.Contains(allowed, x) })
}
