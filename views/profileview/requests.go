package profileview

import (
	"slices"
	"strconv"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/paths"
)

// askedAt returns the script line that was refused.
func askedAt(h HostForm) string {
	if h.Line > 0 {
		return paths.ExecutionURL(h.Execution) + "#line-" + strconv.Itoa(h.Line)
	}
	return paths.ExecutionURL(h.Execution) + "#network"
}

func askedWhere(h HostForm) string {
	if h.Line > 0 {
		return "Line " + strconv.Itoa(h.Line) + " of execution " + format.ShortHandle(h.Execution)
	}
	return "Execution " + format.ShortHandle(h.Execution)
}

// allowedForms returns the decided hosts.
func (p ProfilePage) allowedForms() []HostForm {
	var all []HostForm
	for _, h := range p.Hosts {
		if !h.Asked {
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
