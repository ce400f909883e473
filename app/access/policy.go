package access

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// Policy returns one version of a profile's policy, also of a deleted profile (its ProfileID is empty then).
func (s *Service) Policy(ctx context.Context, handle string, version int) (app.Policy, error) {
	var policy app.Policy
	var p store.Profile
	err := s.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		if policy, err = tx.Policy(ctx, handle, version); err != nil {
			return err
		}
		if p, err = tx.ProfileByHandle(ctx, handle); app.CodeOf(err) == app.CodeNotFound {
			return nil
		}
		return err
	})
	if err != nil || p.Row == 0 {
		return policy, err
	}
	profile, err := s.opened(p)
	policy.ProfileID = profile.ID
	return policy, err
}

// Bound is what an execution of a profile is bound to now: the profile as far as store.Tx.ProfileToRun reads it and, if it has one, its
// newest policy, of the same moment.
func (s *Service) Bound(ctx context.Context, handle string) (app.Profile, app.Policy, error) {
	return s.bind(ctx, func(tx *store.Tx) (store.Profile, error) { return tx.ProfileToRun(ctx, handle) })
}

// BoundByID is Bound for a submission, which names the profile by its id.
func (s *Service) BoundByID(ctx context.Context, id string) (app.Profile, app.Policy, error) {
	if !app.IsProfileID(id) {
		return app.Profile{}, app.Policy{}, app.E(app.CodeNotFound, "there is no such profile", "Check the id: it begins with "+app.ProfilePrefix+" and is given when the profile is created.")
	}
	return s.bind(ctx, func(tx *store.Tx) (store.Profile, error) {
		return tx.ProfileToRunByLookup(ctx, s.cfg.Keyring.Lookup(secrets.Profiles, id))
	})
}

func (s *Service) bind(ctx context.Context, find func(tx *store.Tx) (store.Profile, error)) (app.Profile, app.Policy, error) {
	var policy app.Policy
	profile, err := s.read(ctx, func(tx *store.Tx) (store.Profile, error) {
		p, err := find(tx)
		if err == nil && p.Policy > 0 {
			policy, err = tx.Policy(ctx, p.Handle, p.Policy)
		}
		return p, err
	})
	policy.ProfileID = profile.ID
	return profile, policy, err
}

// firstPolicy makes version 1 from what stands on the profile's page.
func (s *Service) firstPolicy(ctx context.Context, tx *store.Tx, by app.Actor, p *store.Profile) error {
	ids := make([]string, len(p.Keys))
	for i, k := range p.Keys {
		ids[i] = k.CredentialID
	}
	credentials, err := tx.CredentialsByID(ctx, ids)
	if err != nil {
		return err
	}
	grants := make([]app.Grant, 0, len(p.Keys))
	for _, k := range p.Keys {
		c := credentials[k.CredentialID]
		hosts, err := narrow(k.Name, c, k.Hosts)
		if err != nil {
			return err
		}
		grants = append(grants, app.Grant{Key: k.Name, CredentialID: c.ID, Mode: c.Mode, Hosts: withoutReasons(hosts)})
	}
	slices.SortFunc(grants, func(a, b app.Grant) int { return strings.Compare(a.Key, b.Key) })
	return s.insertPolicy(ctx, tx, by, p, grants, allowedOf(p.Hosts), credentials)
}

// newHosts makes the next version of a locked profile's policy: the same keys, other hosts.
func (s *Service) newHosts(ctx context.Context, tx *store.Tx, by app.Actor, p *store.Profile, hosts []app.Host) error {
	current, err := tx.Policy(ctx, p.Handle, p.Policy)
	if err != nil {
		return err
	}
	if sameHosts(current.Hosts, withoutReasons(hosts)) {
		return nil
	}
	ids := make([]string, len(current.Keys))
	for i, g := range current.Keys {
		ids[i] = g.CredentialID
	}
	credentials, err := tx.CredentialsByID(ctx, ids)
	if err != nil {
		return err
	}
	return s.insertPolicy(ctx, tx, by, p, current.Keys, hosts, credentials)
}

// newPlacement makes the next version of a locked profile's policy: the same keys and hosts, with the profile's placement.
func (s *Service) newPlacement(ctx context.Context, tx *store.Tx, by app.Actor, p *store.Profile) error {
	next, err := tx.Policy(ctx, p.Handle, p.Policy)
	if err != nil {
		return err
	}
	p.Policy++
	next.Version, next.Placement, next.CreatedAt, next.CreatedBy = p.Policy, p.Placement, s.now(), by
	return tx.InsertPolicy(ctx, p.Handle, next)
}

func (s *Service) insertPolicy(ctx context.Context, tx *store.Tx, by app.Actor, p *store.Profile, grants []app.Grant, hosts []app.Host, credentials map[string]app.Credential) error {
	if err := checkReferences(hosts, grants, credentials); err != nil {
		return err
	}
	if err := s.checkReferredValues(ctx, tx, hosts, grants); err != nil {
		return err
	}
	p.Policy++
	return tx.InsertPolicy(ctx, p.Handle, app.Policy{Version: p.Policy, Keys: grants, Hosts: sortedHosts(withoutReasons(hosts)), Placement: p.Placement, CreatedAt: s.now(), CreatedBy: by})
}

// withoutReasons leaves out why: two policies that grant the same have the same digest.
func withoutReasons(list []app.Host) []app.Host {
	list = slices.Clone(list)
	for i := range list {
		list[i].Reason = ""
	}
	return list
}

// checkReferences accepts {KEY} hosts of keys that the profile has and whose credential is plain: a secret must not become a host name.
func checkReferences(hosts []app.Host, grants []app.Grant, credentials map[string]app.Credential) error {
	for _, h := range hosts {
		key := h.KeyReference()
		if key == "" {
			continue
		}
		i := slices.IndexFunc(grants, func(g app.Grant) bool { return g.Key == key })
		if i < 0 {
			return app.Invalid("hosts", fmt.Sprintf("the host %s refers to a key that the profile does not have", h), "Use the name of one of the profile's keys, or write the host name itself.")
		}
		if credentials[grants[i].CredentialID].Mode != app.ModePlain {
			return app.Invalid("hosts", fmt.Sprintf("the host %s refers to a key whose credential is secret", h), "Make the credential plain if its value is only a host name, or write the host name itself.")
		}
	}
	return nil
}

// checkReferredValues refuses {KEY} hosts whose value is no host name: every execution would fail. A missing value may still be set.
func (s *Service) checkReferredValues(ctx context.Context, tx *store.Tx, hosts []app.Host, grants []app.Grant) error {
	for _, h := range hosts {
		key := h.KeyReference()
		i := slices.IndexFunc(grants, func(g app.Grant) bool { return key != "" && g.Key == key })
		if i < 0 {
			continue
		}
		id := grants[i].CredentialID
		opened, err := s.openValues(ctx, tx, []string{id})
		if err != nil {
			return err
		}
		if v, ok := opened[id]; ok {
			v.Key = key
			if _, err := referred(h, key, []Value{v}); err != nil {
				return err
			}
		}
	}
	return nil
}

// narrow returns the hosts at which a key may use its credential: what it asked for, as far as the credential belongs there.
// Without a request it is all of the credential's, and a credential without hosts sets no limit of its own.
func narrow(key string, c app.Credential, asked []app.Host) ([]app.Host, error) {
	both := app.Within(asked, c.Hosts)
	if len(both) == 0 && len(asked) > 0 {
		return nil, app.Invalid("credential", fmt.Sprintf("the key %s asks for hosts that the credential %s does not belong to", key, c.Name),
			"Choose another credential, or add the host to this one.")
	}
	return both, nil
}

// ResolveHosts returns the policy's hosts with every {KEY} replaced by that key's value, for one execution. Only plain values are used;
// a value that is not one host name or address is CodeInvalidField and a missing one CodeMissingValue. Whatever a value says, an entry never gets more
// ports or private ranges than it has.
func ResolveHosts(p app.Policy, values []Value) ([]app.Host, error) {
	hosts := make([]app.Host, 0, len(p.Hosts))
	for _, h := range p.Hosts {
		key := h.KeyReference()
		if key == "" {
			hosts = append(hosts, h)
			continue
		}
		name, err := referred(h, key, values)
		if err != nil {
			return nil, err
		}
		h.Name = name
		hosts = append(hosts, h)
	}
	return hosts, nil
}

// NamedHosts returns, by key, the host that each plain key of a profile names now. Keys whose value is missing, in Vault, or no host name are left out.
func (s *Service) NamedHosts(ctx context.Context, p app.Profile) (map[string]string, error) {
	var ids []string
	for _, k := range p.Keys {
		if k.CredentialMode == app.ModePlain {
			ids = append(ids, k.CredentialID)
		}
	}
	if len(ids) == 0 {
		return map[string]string{}, nil
	}
	named := map[string]string{}
	err := s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		opened, err := s.openValues(ctx, tx, ids)
		if err != nil {
			return err
		}
		for _, k := range p.Keys {
			v, ok := opened[k.CredentialID]
			if !ok {
				continue
			}
			v.Key = k.Name
			if name, err := referred(app.Host{Name: "{" + k.Name + "}"}, k.Name, []Value{v}); err == nil {
				named[k.Name] = name
			}
		}
		return nil
	})
	return named, err
}

func referred(h app.Host, key string, values []Value) (string, error) {
	i := slices.IndexFunc(values, func(v Value) bool { return v.Key == key })
	if i < 0 {
		return "", app.E(app.CodeMissingValue, fmt.Sprintf("the host %s needs a value for the key %s", h, key), "Ask the person to set it in Airlock, then submit again.")
	}
	if values[i].Mode != app.ModePlain {
		return "", app.Invalid("hosts", fmt.Sprintf("the host %s refers to the key %s, whose credential is secret now", h, key), "Ask the person to make the credential plain again, or to write the host name itself.")
	}
	name, err := app.CanonicalName(strings.TrimSpace(values[i].Secret.Reveal()))
	if err != nil {
		return "", app.Invalid("hosts", fmt.Sprintf("the value of the key %s is not a host name or address, and the host %s refers to it", key, h), "Ask the person to set it to a name such as db.example.com, without a port or scheme.")
	}
	return name, nil
}
