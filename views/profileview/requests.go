package profileview

import (
	"slices"

	"github.com/computclaw/airlock/app"
)

// allowedForms returns the decided hosts.
func (p ProfilePage) allowedForms() []HostForm {
	var all []HostForm
	for _, h := range p.Hosts {
		if h.Allowed {
			all = append(all, h)
		}
	}
	return all
}

// unnamed reports whether a request's key can't name its host. The page doesn't offer it; an
// allowed one stays for removal.
func (p ProfilePage) unnamed(h HostForm) bool { return !h.Allow && p.namesNothing(h) }

// namesNothing reports whether an entry's key can't name its host. The key is missing, or secret in
// a locked profile.
func (p ProfilePage) namesNothing(h HostForm) bool {
	key := h.Host.KeyReference()
	if key == "" {
		return false
	}
	i := slices.IndexFunc(p.Profile.Keys, func(k app.Key) bool { return k.Name == key })
	return i < 0 || p.Profile.Locked && p.Profile.Keys[i].CredentialMode != app.ModePlain
}
