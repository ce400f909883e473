package policy

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/store"
)

// Versions makes versions of profiles' policies. A version never changes.
type Versions struct {
	store  *store.Store
	now    func() time.Time
	values *credentials.Values
}

// NewVersions returns the versions of the policies in a store.
func NewVersions(st *store.Store, now func() time.Time, values *credentials.Values) *Versions {
	return &Versions{store: st, now: now, values: values}
}

// First makes version 1 from the profile as its page shows it.
func (s *Versions) First(ctx context.Context, tx *store.Tx, by app.Actor, p *store.Profile) error {
	ids := make([]string, len(p.Keys))
	for i, k := range p.Keys {
		ids[i] = k.CredentialID
	}
	found, err := tx.Credentials.ByID(ctx, ids)
	if err != nil {
		return err
	}
	grants := make([]app.Grant, 0, len(p.Keys))
	for _, k := range p.Keys {
		c := found[k.CredentialID]
		hosts, err := KeyHosts(k.Name, c, k.Hosts)
		if err != nil {
			return err
		}
		grants = append(grants, app.Grant{Key: k.Name, CredentialID: c.ID, Mode: c.Mode,
			Hosts: app.WithoutReasons(hosts)})
	}
	slices.SortFunc(grants, func(a, b app.Grant) int { return strings.Compare(a.Key, b.Key) })
	return s.insert(ctx, tx, by, p, grants, app.AllowedHosts(p.Hosts), found)
}

// WithHosts makes a locked profile's next policy version, with other hosts.
func (s *Versions) WithHosts(
	ctx context.Context, tx *store.Tx, by app.Actor, p *store.Profile, hosts []app.Host,
) error {
	current, err := tx.Policies.Version(ctx, p.Handle, p.Policy)
	if err != nil {
		return err
	}
	if app.SameHosts(current.Hosts, app.WithoutReasons(hosts)) {
		return nil
	}
	ids := make([]string, len(current.Keys))
	for i, g := range current.Keys {
		ids[i] = g.CredentialID
	}
	found, err := tx.Credentials.ByID(ctx, ids)
	if err != nil {
		return err
	}
	return s.insert(ctx, tx, by, p, current.Keys, hosts, found)
}

// WithPlacement makes a locked profile's next policy version, with the profile's placement.
func (s *Versions) WithPlacement(ctx context.Context, tx *store.Tx, by app.Actor, p *store.Profile) error {
	next, err := tx.Policies.Version(ctx, p.Handle, p.Policy)
	if err != nil {
		return err
	}
	p.Policy++
	next.Version, next.Placement, next.CreatedAt, next.CreatedBy = p.Policy, p.Placement, s.now(), by
	return tx.Policies.Insert(ctx, p.Handle, next)
}

func (s *Versions) insert(
	ctx context.Context, tx *store.Tx, by app.Actor, p *store.Profile,
	grants []app.Grant, hosts []app.Host, found map[string]app.Credential,
) error {
	if err := checkReferences(hosts, grants, found); err != nil {
		return err
	}
	if err := s.checkReferredValues(ctx, tx, hosts, grants); err != nil {
		return err
	}
	p.Policy++
	return tx.Policies.Insert(ctx, p.Handle, app.Policy{
		Version: p.Policy, Keys: grants, Hosts: app.SortedHosts(app.WithoutReasons(hosts)), Placement: p.Placement,
		CreatedAt: s.now(), CreatedBy: by,
	})
}

// KeyHosts returns the hosts at which a key may use its credential: the common ones. A key that
// asks for none gets all of the credential's. A credential without hosts sets no limit.
func KeyHosts(key string, c app.Credential, asked []app.Host) ([]app.Host, error) {
	both := app.Within(asked, c.Hosts)
	if len(both) == 0 && len(asked) > 0 {
		return nil, app.Invalid("credential",
			fmt.Sprintf("the key %s asks for hosts that the credential %s does not belong to", key, c.Name),
			"Choose another credential, or add the host to this one.")
	}
	return both, nil
}
