package policy

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// checkReferences accepts {KEY} hosts of the profile's keys with plain credentials. A secret must
// not become a host name.
func checkReferences(hosts []app.Host, grants []app.Grant, found map[string]app.Credential) error {
	for _, h := range hosts {
		key := h.KeyReference()
		if key == "" {
			continue
		}
		i := slices.IndexFunc(grants, func(g app.Grant) bool { return g.Key == key })
		if i < 0 {
			return app.Invalid("hosts", fmt.Sprintf("the host %s refers to a key that the profile does not have", h),
				"Use the name of one of the profile's keys, or write the host name itself.")
		}
		if found[grants[i].CredentialID].Mode != app.ModePlain {
			return app.Invalid("hosts", fmt.Sprintf("the host %s refers to a key whose credential is secret", h),
				"Make the credential plain if its value is only a host name, or write the host name itself.")
		}
	}
	return nil
}

// checkReferredValues refuses {KEY} hosts whose value is no host name. Every execution would fail.
// A missing value may still be set.
func (s *Versions) checkReferredValues(ctx context.Context, tx *store.Tx, hosts []app.Host, grants []app.Grant) error {
	for _, h := range hosts {
		key := h.KeyReference()
		i := slices.IndexFunc(grants, func(g app.Grant) bool { return key != "" && g.Key == key })
		if i < 0 {
			continue
		}
		id := grants[i].CredentialID
		opened, err := s.values.Open(ctx, tx, []string{id})
		if err != nil {
			return err
		}
		if v, ok := opened[id]; ok {
			v.Key = key
			if h.Name, err = referredHost(h, key, []secrets.Resolved{v}); err == nil {
				err = h.CheckGrantable()
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// ResolveHosts returns the policy's hosts with every {KEY} replaced by its plain value.
// CodeInvalidField: the value is no host name or address. CodeMissingValue: there is none. An entry
// keeps its own ports.
func ResolveHosts(p app.Policy, values []secrets.Resolved) ([]app.Host, error) {
	hosts := make([]app.Host, 0, len(p.Hosts))
	for _, h := range p.Hosts {
		key := h.KeyReference()
		if key == "" {
			hosts = append(hosts, h)
			continue
		}
		name, err := referredHost(h, key, values)
		if err != nil {
			return nil, err
		}
		h.Name = name
		hosts = append(hosts, h)
	}
	return hosts, nil
}

// NamedHosts returns the host that each plain key names now, by key. It leaves out keys whose value
// is missing, in Vault, or no host name.
func (s *Versions) NamedHosts(ctx context.Context, p app.Profile) (map[string]string, error) {
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
	err := s.store.Read(ctx, func(tx *store.Tx) error {
		opened, err := s.values.Open(ctx, tx, ids)
		if err != nil {
			return err
		}
		for _, k := range p.Keys {
			v := opened[k.CredentialID]
			if name := HostNamed(v.Mode, v.Secret); name != "" {
				named[k.Name] = name
			}
		}
		return nil
	})
	return named, err
}

// referredHost returns the host name that a key's value is.
func referredHost(h app.Host, key string, values []secrets.Resolved) (string, error) {
	i := slices.IndexFunc(values, func(v secrets.Resolved) bool { return v.Key == key })
	if i < 0 {
		return "", app.E(app.CodeMissingValue, fmt.Sprintf("the host %s needs a value for the key %s", h, key),
			"Ask the person to set it in Airlock, then submit again.")
	}
	if values[i].Mode != app.ModePlain {
		return "", app.Invalid("hosts",
			fmt.Sprintf("the host %s refers to the key %s, whose credential is secret now", h, key),
			"Ask the person to make the credential plain again, or to write the host name itself.")
	}
	name := HostNamed(values[i].Mode, values[i].Secret)
	if name == "" {
		return "", app.Invalid("hosts",
			fmt.Sprintf("the value of the key %s is not a host name or address, and the host %s refers to it", key, h),
			"Ask the person to set it to a name such as db.example.com, without a port or scheme.")
	}
	return name, nil
}

// HostNamed returns the host that a value names. It is "" unless its mode is plain and it is a host
// name or address.
func HostNamed(mode app.Mode, value app.Secret) string {
	name, err := app.CanonicalName(strings.TrimSpace(value.Reveal()))
	if mode != app.ModePlain || err != nil {
		return ""
	}
	return name
}
