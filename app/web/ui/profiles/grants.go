package profiles

import (
	"context"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/views/profileview"
)

// granted is keyGrants for a page that lists no credentials.
func (h Handlers) granted(ctx context.Context, p app.Profile) ([]profileview.KeyGrant, error) {
	credentials, err := h.Access.Credentials.List(ctx)
	if err != nil {
		return nil, err
	}
	return keyGrants(ctx, h.Access, p, credentials)
}

// Granted returns the sentences that stand on the page where a person locks a profile, for those
// who lock it elsewhere, and those for what was asked for and isn't allowed.
func Granted(
	ctx context.Context, desk *access.Parts, p app.Profile,
) (granted, requested []profileview.Sentence, err error) {
	credentials, err := desk.Credentials.List(ctx)
	if err != nil {
		return nil, nil, err
	}
	keys, err := keyGrants(ctx, desk, p, credentials)
	return profileview.Placed(profileview.Grants(keys, app.AllowedHosts(p.Hosts), p.ExpiresAt),
		p.Placement, p.MayRun), profileview.Requested(keys, p.Hosts), err
}

// keyGrants says for each key of a profile where a sealed value may go: what its policy grants, or
// before the lock what it asks for, as far as the credential belongs there today. Of plain keys it
// says which host they name.
func keyGrants(
	ctx context.Context, desk *access.Parts, p app.Profile, credentials []app.Credential,
) ([]profileview.KeyGrant, error) {
	asked := map[string][]app.Host{}
	for _, k := range p.Keys {
		asked[k.Name] = k.Hosts
	}
	if p.Policy > 0 {
		policy, err := desk.Binder.Policy(ctx, p.Handle, p.Policy)
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
	named, err := desk.Policies.NamedHosts(ctx, p)
	if err != nil {
		return nil, err
	}
	grants := make([]profileview.KeyGrant, len(p.Keys))
	for i, k := range p.Keys {
		c := byID[k.CredentialID]
		grants[i] = profileview.KeyGrant{
			Key: k, Where: app.Within(asked[k.Name], c.Hosts), Places: c.Places, Headers: c.Headers,
			PlainHTTP: c.PlainHTTP, Names: named[k.Name], Vault: c.Reference,
		}
	}
	return grants, nil
}
