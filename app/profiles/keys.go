package profiles

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/policy"
	"github.com/computclaw/airlock/store"
)

// Keys changes the keys of profiles.
type Keys struct{ *editor }

// Add adds keys to an unlocked profile, or replaces requests of unlinked ones; all or none. A
// linked key that asks for something new is CodeConflict. Only Name, Description, Mode and Hosts of
// a key count.
func (s *Keys) Add(ctx context.Context, by app.Actor, handle string, keys []app.Key) (app.Profile, error) {
	asked, err := checkKeys(by, keys)
	if err != nil {
		return app.Profile{}, err
	}
	return s.change(ctx, by, handle, func(tx *store.Tx, p *store.Profile) (string, string, error) {
		if err := p.CanChangeKeys(s.now()); err != nil {
			return "", "", err
		}
		merged, names, err := mergeKeys(p.Keys, asked)
		if err != nil || len(names) == 0 {
			return "", "", err
		}
		return "profile.keys", "Asked for the keys " + strings.Join(names, ", ") + ".",
			tx.Profiles.SetKeys(ctx, p.Row, merged, s.now())
	})
}

// checkKeys returns canonical keys, without settings that only people may make.
func checkKeys(by app.Actor, keys []app.Key) ([]app.Key, error) {
	if len(keys) == 0 {
		return nil, app.Invalid("keys", "no keys were given",
			`Send at least one, such as {"keys":[{"name":"API_KEY","description":"why you need it"}]}.`)
	}
	if len(keys) > app.MaxKeys {
		return nil, tooManyKeys()
	}
	asked := make([]app.Key, 0, len(keys))
	for i, k := range keys {
		clean, err := checkKey(by, fmt.Sprintf("keys[%d]", i), k)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(asked, func(a app.Key) bool { return a.Name == k.Name }) {
			return nil, app.Invalid("name", fmt.Sprintf("the key %s is named twice", k.Name), "Name each key once.")
		}
		asked = append(asked, clean)
	}
	return asked, nil
}

func checkKey(by app.Actor, path string, k app.Key) (app.Key, error) {
	if err := app.CheckName(k.Name); err != nil {
		return app.Key{}, err
	}
	if err := app.CheckText("description", k.Description, app.MaxDescription); err != nil {
		return app.Key{}, err
	}
	if k.Mode != "" {
		if _, err := app.ParseMode(string(k.Mode)); err != nil {
			return app.Key{}, err
		}
	}
	list, err := app.CanonicalHosts(k.Hosts)
	if err == nil {
		err = checkAskable(by, path+".hosts", k.Hosts)
	}
	if err != nil {
		return app.Key{}, err
	}
	return app.Key{Name: k.Name, Description: k.Description, Mode: k.Mode, Hosts: proposedHosts(list)}, nil
}

// mergeKeys returns the keys after the change, and the changed names.
func mergeKeys(have, asked []app.Key) (merged []app.Key, names []string, err error) {
	merged = slices.Clone(have)
	for _, k := range asked {
		i := slices.IndexFunc(merged, func(m app.Key) bool { return m.Name == k.Name })
		switch {
		case i < 0:
			merged = append(merged, k)
		case sameRequest(merged[i], k):
			continue
		case merged[i].CredentialID != "":
			return nil, nil, app.E(app.CodeConflict, fmt.Sprintf("a person has already linked the key %s", k.Name),
				"Leave it as it is, or remove it first and ask for it anew.")
		default:
			merged[i] = k
		}
		names = append(names, k.Name)
	}
	if len(merged) > app.MaxKeys {
		return nil, nil, tooManyKeys()
	}
	hosts := 0
	for _, k := range merged {
		hosts += len(k.Hosts)
	}
	if hosts > app.MaxKeyHosts && len(names) > 0 {
		return nil, nil, app.Invalid("hosts",
			fmt.Sprintf("the keys of a profile name at most %d hosts together", app.MaxKeyHosts),
			"Name only the hosts that a key is for, or use several profiles.")
	}
	return merged, names, nil
}

func sameRequest(a, b app.Key) bool {
	return a.Description == b.Description && a.Mode == b.Mode && slices.EqualFunc(a.Hosts, b.Hosts, app.SameHost)
}

func tooManyKeys() error {
	return app.Invalid("keys", fmt.Sprintf("a profile has at most %d keys", app.MaxKeys),
		"Use fewer keys, or several profiles.")
}

// Remove removes a key. Unlocked only.
func (s *Keys) Remove(ctx context.Context, by app.Actor, handle, name string) (app.Profile, error) {
	return s.change(ctx, by, handle, func(tx *store.Tx, p *store.Profile) (string, string, error) {
		if err := p.CanChangeKeys(s.now()); err != nil {
			return "", "", err
		}
		i, err := indexKey(p, name)
		if err != nil {
			return "", "", err
		}
		left := slices.Delete(slices.Clone(p.Keys), i, i+1)
		return "profile.key_remove", "Removed the key " + name + ".", tx.Profiles.SetKeys(ctx, p.Row, left, s.now())
	})
}

// Link links a key of an unlocked profile to a credential, by name. "" unlinks it. People only. The
// credential must have one of the hosts that the key asks for.
func (s *Keys) Link(ctx context.Context, by app.Actor, handle, key, credential string) (app.Profile, error) {
	if err := by.PeopleOnly(); err != nil {
		return app.Profile{}, err
	}
	return s.change(ctx, by, handle, func(tx *store.Tx, p *store.Profile) (string, string, error) {
		if err := p.CanChangeKeys(s.now()); err != nil {
			return "", "", err
		}
		i, err := indexKey(p, key)
		if err != nil {
			return "", "", err
		}
		var c app.Credential
		detail := "Unlinked the key " + key + "."
		if credential != "" {
			if c, err = tx.Credentials.ByName(ctx, credential); err != nil {
				return "", "", err
			}
			if _, err := policy.KeyHosts(key, c, p.Keys[i].Hosts); err != nil {
				return "", "", err
			}
			detail = fmt.Sprintf("Linked the key %s to the credential %s.", key, c.Name)
		}
		if p.Keys[i].CredentialID == c.ID {
			return "", "", nil
		}
		keys := slices.Clone(p.Keys)
		keys[i].CredentialID = c.ID
		return "profile.link", detail, tx.Profiles.SetKeys(ctx, p.Row, keys, s.now())
	})
}

func indexKey(p *store.Profile, name string) (int, error) {
	i := slices.IndexFunc(p.Keys, func(k app.Key) bool { return k.Name == name })
	if i < 0 {
		return 0, app.E(app.CodeNotFound, fmt.Sprintf("the profile has no key %q", app.Clip(name, 40)),
			"GET /profiles/{id} lists its keys.")
	}
	return i, nil
}
