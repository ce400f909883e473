package skill

import (
	"fmt"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
)

// profile is a reader's profile as the text shows it.
type profile struct {
	State       app.State
	Expires     string
	Advice      string
	Description string
	Keys        []key
	Hosts       []host
	Example     string
}

type key struct {
	Name        string
	Mode        app.Mode
	ValueExists bool
	Description string
}

type host struct {
	Host    string
	Allowed bool
}

func describe(p app.Profile, now time.Time) *profile {
	v := &profile{State: p.State(now), Description: p.Description, Advice: advice(p, now), Example: example(p)}
	if !p.ExpiresAt.IsZero() {
		v.Expires = p.ExpiresAt.UTC().Format(time.RFC3339)
	}
	for _, k := range p.Keys {
		mode := k.CredentialMode
		if mode == "" {
			mode = k.Mode
		}
		v.Keys = append(v.Keys, key{k.Name, mode, k.ValueExists, k.Description})
	}
	for _, h := range p.Hosts {
		v.Hosts = append(v.Hosts, host{h.Host.String(), h.Allowed})
	}
	return v
}

// advice is the next step.
func advice(p app.Profile, now time.Time) string {
	switch err := p.CanExecute(now); app.CodeOf(err) {
	case "":
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

// example is a script that uses this profile's own keys and first allowed host.
func example(p app.Profile) string {
	var b strings.Builder
	url := ""
	for _, h := range p.Hosts {
		if h.Allowed && h.KeyReference() == "" && !strings.HasPrefix(h.Name, "*") && h.Matches(h.Name, 443) {
			url = "https://" + h.Name + "/"
			break
		}
	}
	if url != "" {
		b.WriteString("import urllib.request\n\n")
	}
	token := ""
	for _, k := range p.Keys {
		fmt.Fprintf(&b, "%s = settings.get(%q)\n", strings.ToLower(k.Name), k.Name)
		if token == "" && k.CredentialMode != app.ModePlain {
			token = strings.ToLower(k.Name)
		}
	}
	switch {
	case url != "" && token != "":
		fmt.Fprintf(&b, "request = urllib.request.Request(%q, headers={\"Authorization\": \"Bearer \" + %s})\n", url, token)
		b.WriteString("with urllib.request.urlopen(request, timeout=20) as answer:\n    set_result({\"status\": answer.status})\n")
	case url != "":
		fmt.Fprintf(&b, "with urllib.request.urlopen(%q, timeout=20) as answer:\n    set_result({\"status\": answer.status})\n", url)
	default:
		b.WriteString("set_result({\"keys\": settings.keys()})\n")
	}
	return b.String()
}
