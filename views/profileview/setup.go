package profileview

import (
	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/profiles"
	"github.com/computclaw/airlock/views/components"
)

// KeyForm is a person's decision on a key, without the value.
type KeyForm struct {
	Key     app.Key
	Link    string // name of the chosen credential, LinkNew, or "" for none yet
	NewName string
	Mode    app.Mode // of a new credential; "" if it has yet to be chosen
	Hosts   string   // that it belongs to, one per line
}

// linkChoices returns the credentials that a key can link.
func linkChoices(credentials []app.Credential) []components.Choice {
	list := components.Choices("", "Decide later")
	for _, c := range credentials {
		words := c.Name + " · " + string(c.Mode)
		if !c.HasValue() {
			words += " · no value yet"
		}
		list = append(list, components.Choice{Value: c.Name, Word: words})
	}
	return append(list, components.Choice{Value: LinkNew, Word: "Give a new value"})
}

// asksInjected reports whether no mode is preselected because the agent asks for injection. A
// person must choose that knowingly.
func (k KeyForm) asksInjected() bool {
	return k.Key.Mode == app.ModeInjected && k.Key.CredentialID == ""
}

// editRefused reports whether a field of editCard has a problem.
func (p ProfilePage) editRefused() bool {
	return p.Problems.Of("name")+p.Problems.Of("purpose")+p.Problems.Of("backend")+p.Problems.Of("image") != ""
}

func (k KeyForm) wishes() string {
	asked := k.Key
	if k.Link == LinkNew {
		asked.Hosts = nil
		if k.asksInjected() {
			asked.Mode = ""
		}
	}
	return profiles.Wishes(asked)
}

// hostsLabel distinguishes the agent's hosts from a person's.
func (k KeyForm) hostsLabel() string {
	if len(k.Key.Hosts) > 0 {
		return "Requested hosts"
	}
	return "Hosts"
}
