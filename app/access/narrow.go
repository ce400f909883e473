package access

import (
	"context"
	"slices"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// Narrow returns what is left of a running execution's grant: the hosts of its profile's newest policy, with {KEY} references resolved by the plain values
// that it was given, and those of its sealed values that still belong anywhere, with hosts, places, headers and plain HTTP as far as they are granted
// now. A host may be one that the execution never had. CodeNotFound if the profile is gone.
func (s *Service) Narrow(ctx context.Context, handle string, plain, sealed []Value) ([]app.Host, []Value, error) {
	ids := make([]string, len(sealed))
	for i, v := range sealed {
		ids[i] = v.Credential
	}
	var policy app.Policy
	var credentials map[string]app.Credential
	err := s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		p, err := tx.ProfileByHandle(ctx, handle)
		if err != nil {
			return err
		}
		if policy, err = tx.Policy(ctx, handle, p.Policy); err != nil {
			return err
		}
		credentials, err = tx.CredentialsByID(ctx, ids)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	var hosts []app.Host
	for _, h := range policy.Hosts {
		if resolved, err := ResolveHosts(app.Policy{Hosts: []app.Host{h}}, plain); err == nil { // what can't be resolved grants nothing
			hosts = append(hosts, resolved...)
		}
	}
	var left []Value
	for _, v := range sealed {
		if c, ok := credentials[v.Credential]; ok && narrowValue(&v, c) {
			left = append(left, v)
		}
	}
	return hosts, left, nil
}

// narrowValue takes from v what its credential doesn't allow any more and reports whether it still belongs anywhere. A credential that has no hosts now is
// not sealed any more: that widens later executions, and is nothing to this one.
func narrowValue(v *Value, c app.Credential) bool {
	v.Hosts = app.Within(v.Hosts, c.Hosts)
	v.Places = slices.DeleteFunc(slices.Clone(v.Places), func(p app.Place) bool { return !slices.Contains(c.Places, p) })
	headers := app.SealedHeaders(c.Headers)
	v.Headers = slices.DeleteFunc(slices.Clone(v.Headers), func(h string) bool { return !slices.Contains(headers, h) })
	v.PlainHTTP = v.PlainHTTP && c.PlainHTTP
	return len(v.Hosts) > 0
}
