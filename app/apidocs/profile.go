package apidocs

import (
	"fmt"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
)

// Bounds of a profile's part of the text, in bytes. GET /profiles/self has all.
const (
	maxDescription = 200
	maxKeyAbout    = 100
	maxKeyRows     = 600
	maxHostList    = 300
	maxSkillList   = 100
)

// profile is a reader's profile as the text shows it.
type profile struct {
	State       app.State
	Expires     string
	Advice      string
	Description string
	Keys        []key
	MoreKeys    int
	Hosts       []host
	MoreHosts   int
	Skills      []string
	MoreSkills  int
	Examples    []string
}

type key struct {
	Name        string
	Mode        app.Mode
	Hosts       string
	ValueExists bool
	Description string
}

type host struct {
	Host    string
	Allowed bool
}

func describe(p app.Profile, now time.Time) *profile {
	v := &profile{State: p.State(now), Description: quote(p.Description, maxDescription), Advice: advice(p, now),
		Examples: examples(p)}
	if !p.ExpiresAt.IsZero() {
		v.Expires = p.ExpiresAt.UTC().Format(time.RFC3339)
	}
	v.Keys, v.MoreKeys = keys(p)
	v.Hosts, v.MoreHosts = hosts(p)
	return v
}

// fit returns the first of a list that fit into bytes, and how many more there are.
func fit[T any](list []T, bytes int, size func(T) int) (shown []T, more int) {
	for n, item := range list {
		if bytes -= size(item); bytes < 0 {
			return list[:n], len(list) - n
		}
	}
	return list, 0
}

func keys(p app.Profile) (list []key, more int) {
	for _, k := range p.Keys {
		list = append(list, key{Name: k.Name, Mode: modeOf(k), ValueExists: k.ValueExists,
			Description: quote(k.Description, maxKeyAbout), Hosts: hostNames(k.EffectiveHosts())})
	}
	return fit(list, maxKeyRows, func(k key) int { return len(k.Name) + len(k.Hosts) + len(k.Description) + 30 })
}

// modeOf returns a key's mode: the credential's, else the requested one.
func modeOf(k app.Key) app.Mode {
	if k.CredentialMode != "" {
		return k.CredentialMode
	}
	return k.Mode
}

// hostNames lists the first few.
func hostNames(list []app.Host) string {
	var names []string
	for n, h := range list {
		if n == 3 {
			names = append(names, "…")
			break
		}
		names = append(names, "`"+h.Brief()+"`")
	}
	return strings.Join(names, ", ")
}

func hosts(p app.Profile) (list []host, more int) {
	for _, h := range p.Hosts {
		list = append(list, host{h.Brief(), h.Allowed})
	}
	return fit(list, maxHostList, func(h host) int { return len(h.Host) + 4 })
}

// advice is the next step.
func advice(p app.Profile, now time.Time) string {
	switch err := p.CanExecute(now); app.CodeOf(err) {
	case "":
		switch p.MayRun {
		case app.MayRunApprovedScripts:
			return "You can run scripts; a new one waits until a person approves it (`awaiting_approval`)."
		case app.MayRunApprovedSkills:
			return "You can run approved skills (`GET /skills`), no scripts of your own."
		}
		return "You can run scripts."
	case app.CodeProfileUnlocked:
		return "Scripts can't run yet: the person must fill in the values and lock it (steps 3 and 4 below)."
	case app.CodeProfileExpired:
		return "Scripts can't run: ask the person to extend it."
	case app.CodeMissingValue:
		return "Scripts can't run until the person has set the missing value."
	}
	return "It can't be used any more: ask the person for another."
}

// fixedName reports whether a host's name is literal, so examples can call it.
func fixedName(h app.Host) bool { return h.KeyReference() == "" && !strings.HasPrefix(h.Name, "*") }

// address is where a host's web server is, or "".
func address(h app.Host) string {
	name := h.Name
	if strings.Contains(name, ":") {
		name = "[" + name + "]"
	}
	switch {
	case h.Matches(h.Name, 443) && h.Protocol != app.ProtocolHTTP:
		return "https://" + name + "/"
	case h.Protocol == app.ProtocolHTTP && h.Matches(h.Name, 80),
		h.Protocol == "" && len(h.Ports) == 1 && h.Ports[0] == 80:
		return "http://" + name + "/"
	case h.Protocol == app.ProtocolHTTP:
		return fmt.Sprintf("http://%s:%d/", name, h.Ports[0])
	case h.Protocol == app.ProtocolHTTPS:
		return fmt.Sprintf("https://%s:%d/", name, h.Ports[0])
	}
	return ""
}
