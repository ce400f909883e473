package profileview

import (
	"slices"
	"strconv"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/paths"
)

// askedAt is the line of the script that ran into a refusal.
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

// allowedForms are the hosts that were decided on, without those that an agent asks for.
func (p ProfilePage) allowedForms() []HostForm {
	var all []HostForm
	for _, h := range p.Hosts {
		if !h.Asked {
			all = append(all, h)
		}
	}
	return all
}

// unnamed reports whether a request refers to a key that can't name its host. The page does not
// offer it; an allowed one stays, to be taken away.
func (p ProfilePage) unnamed(h HostForm) bool { return !h.Allow && p.namesNothing(h) }

// namesNothing reports whether an entry refers to a key that can't name its host: a missing key, or
// a secret one of a locked profile.
func (p ProfilePage) namesNothing(h HostForm) bool {
	key := h.Host.KeyReference()
	if key == "" {
		return false
	}
	i := slices.IndexFunc(p.Profile.Keys, func(k app.Key) bool { return k.Name == key })
	return i < 0 || p.Profile.Locked && p.Profile.Keys[i].CredentialMode != app.ModePlain
}
