package views

import (
	"slices"

	"github.com/computclaw/airlock/app"
)

// publicTerms are the terms of an entry for public addresses.
func publicTerms(h app.Host, sealed []app.Host) string {
	h.Private = false
	return h.Terms(sealed)
}

// askedAt is the line of the script that ran into a refusal.
func askedAt(h HostForm) string {
	if h.Line > 0 {
		return ExecutionURL(h.Execution) + "#line-" + itoa(h.Line)
	}
	return ExecutionURL(h.Execution) + "#network"
}

func askedWhere(h HostForm) string {
	if h.Line > 0 {
		return "Line " + itoa(h.Line) + " of execution " + Short(h.Execution)
	}
	return "Execution " + Short(h.Execution)
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

// unnamed reports whether a request refers to a key that can't name its host. It is not offered; what is allowed already stays to be taken away.
func (p ProfilePage) unnamed(h HostForm) bool { return !h.Allow && p.namesNothing(h) }

// namesNothing reports whether an entry refers to a key that can't name its host: the profile has none of that name, or it is locked with a secret one.
func (p ProfilePage) namesNothing(h HostForm) bool {
	key := h.Host.KeyReference()
	if key == "" {
		return false
	}
	i := slices.IndexFunc(p.Profile.Keys, func(k app.Key) bool { return k.Name == key })
	return i < 0 || p.Profile.Locked && p.Profile.Keys[i].CredentialMode != app.ModePlain
}

// strandedURL takes a host that helps a sealed key: the setup before the lock, the hosts after it. Both lead to a summary.
func strandedURL(p app.Profile) string {
	if p.Locked {
		return ProfileHostsURL(p.Handle)
	}
	return ProfileSetupURL(p.Handle)
}

func strandedStep(p app.Profile) string {
	if p.Locked {
		return "save"
	}
	return "review"
}
