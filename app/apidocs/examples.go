package apidocs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/computclaw/airlock/app"
)

// maxExamples bounds how many are written for one profile.
const maxExamples = 2

// examples are complete scripts for this profile: a request for each key of an allowed web server.
// Without a match the script shows what there is. A profile that runs no scripts gets none.
func examples(p app.Profile) (list []string) {
	if p.MayRun == app.MayRunApprovedSkills {
		return nil
	}
	for _, k := range p.Keys {
		if url := goesTo(p, k); url != "" && len(list) < maxExamples {
			list = append(list, request(k, url))
		}
	}
	if len(list) > 0 {
		return list
	}
	if url := firstAddress(p); url != "" {
		return []string{request(app.Key{}, url)}
	}
	var b strings.Builder
	for _, k := range p.Keys[:min(len(p.Keys), 8)] {
		fmt.Fprintf(&b, "%s = settings.get(%q)\n", variable(k.Name), k.Name)
	}
	return []string{b.String() + "set_result({\"keys\": settings.keys()})\n"}
}

// goesTo returns the reachable web server of a key's value, or "". An injected key without hosts
// has none: it may sign or decrypt.
func goesTo(p app.Profile, k app.Key) string {
	mode := modeOf(k)
	if mode == app.ModePlain || (mode == "" && len(k.Hosts) == 0) {
		return ""
	}
	for _, mine := range k.EffectiveHosts() {
		for _, allowed := range p.Hosts {
			both, ok := allowed.Overlap(mine)
			if ok && allowed.Allowed && fixedName(both) && address(both) != "" {
				return address(both)
			}
		}
	}
	return ""
}

// firstAddress returns the first web server that scripts may reach, or "".
func firstAddress(p app.Profile) string {
	for _, h := range p.Hosts {
		if h.Allowed && fixedName(h.Host) && address(h.Host) != "" {
			return address(h.Host)
		}
	}
	return ""
}

// request is a script that calls a web server, with or without the key.
func request(k app.Key, url string) string {
	token, headers := "", ""
	if k.Name != "" {
		token = fmt.Sprintf("%s = settings.get(%q)", variable(k.Name), k.Name)
		if modeOf(k) == app.ModeSealed {
			token += "  # a placeholder; use it as if it were the value"
		}
		token += "\n"
		headers = fmt.Sprintf(", headers={\"Authorization\": f\"Bearer {%s}\"}", variable(k.Name))
	}
	return fmt.Sprintf("import urllib.request\n\n%srequest = urllib.request.Request(%q%s)\nwith "+
		"urllib.request.urlopen(request, timeout=20) as answer:\n    set_result({\"status\": answer.status})\n",
		token, url, headers)
}

// variable makes a key's name a Python name that hides no word in use.
func variable(name string) string {
	name = strings.ToLower(strings.TrimLeft(name, "_"))
	if name == "" || slices.Contains(taken, name) {
		return name + "_value"
	}
	return name
}

// taken are Python's own words, and those the examples use.
var taken = strings.Fields("false none true and as assert async await break class continue def del elif else except " +
	"finally for from global if import in is lambda nonlocal not or pass raise return try while with " +
	"answer request urllib settings inputs llm set_result")
