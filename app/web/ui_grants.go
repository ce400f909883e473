package web

import (
	"context"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views"
)

// granted is keyGrants for a page that lists no credentials.
func (s *Server) granted(ctx context.Context, p app.Profile) ([]views.KeyGrant, error) {
	credentials, err := s.cfg.Access.Credentials(ctx)
	if err != nil {
		return nil, err
	}
	return s.keyGrants(ctx, p, credentials)
}

// keyGrants says for each key of a profile where a sealed value may go: what its policy grants, or before the lock what it asks for, as far as
// the credential belongs there today.
func (s *Server) keyGrants(ctx context.Context, p app.Profile, credentials []app.Credential) ([]views.KeyGrant, error) {
	asked := map[string][]app.Host{}
	for _, k := range p.Keys {
		asked[k.Name] = k.Hosts
	}
	if p.Policy > 0 {
		policy, err := s.cfg.Access.Policy(ctx, p.Handle, p.Policy)
		if err != nil {
			return nil, err
		}
		for _, g := range policy.Keys {
			asked[g.Key] = g.Hosts
		}
	}
	byID := make(map[string]app.Credential, len(credentials))
	for _, c := range credentials {
		byID[c.ID] = c
	}
	grants := make([]views.KeyGrant, len(p.Keys))
	for i, k := range p.Keys {
		c := byID[k.CredentialID]
		grants[i] = views.KeyGrant{Key: k, Where: app.Within(asked[k.Name], c.Hosts), Places: c.Places, PlainHTTP: c.PlainHTTP}
	}
	return grants, nil
}
