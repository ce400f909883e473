package apidocs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/computclaw/airlock/app"
)

// maxExamples bounds how many are written for one profile.
const maxExamples = 3

// examples are complete scripts for this profile's keys and allowed hosts. Each key of a web server
// gets a request, a PostgreSQL server a query, with installed libraries. Without a match the script
// shows what there is. A profile that runs no scripts gets none.
func examples(p app.Profile, packages []string) (list []string) {
	if p.MayRun == app.MayRunApprovedSkills {
		return nil
	}
	for _, k := range p.Keys {
		if url := goesTo(p, k); url != "" && len(list) < maxExamples-1 {
			list = append(list, request(k, url, packages))
		}
	}
	if h, ok := database(p); ok {
		list = append(list, query(p, h, packages))
	}
	if len(list) > 0 {
		return list
	}
	if url := firstAddress(p); url != "" {
		return []string{request(app.Key{}, url, packages)}
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

// database is the first PostgreSQL server that scripts may reach.
func database(p app.Profile) (app.Host, bool) {
	for _, h := range p.Hosts {
		if h.Allowed && !strings.HasPrefix(h.Name, "*") &&
			(h.Protocol == app.ProtocolPostgres || h.Protocol == "" && slices.Contains(h.Ports, 5432)) {
			return h.Host, true
		}
	}
	return app.Host{}, false
}

// request is a script that calls a web server, with or without the key.
func request(k app.Key, url string, packages []string) string {
	token, headers := "", ""
	if k.Name != "" {
		token = fmt.Sprintf("%s = settings.get(%q)", variable(k.Name), k.Name)
		if modeOf(k) == app.ModeSealed {
			token += "  # a placeholder; use it as if it were the value"
		}
		token += "\n"
		headers = fmt.Sprintf("headers={\"Authorization\": f\"Bearer {%s}\"}, ", variable(k.Name))
	}
	if installed(packages, "httpx") {
		return fmt.Sprintf("import httpx\n\n%sanswer = httpx.get(%q, %stimeout=20)\nset_result({\"status\": "+
			"answer.status_code})\n", token, url, headers)
	}
	return fmt.Sprintf("import urllib.request\n\n%srequest = urllib.request.Request(%q%s)\nwith "+
		"urllib.request.urlopen(request, timeout=20) as answer:\n    set_result({\"status\": answer.status})\n",
		token, url, strings.TrimSuffix(", "+headers, ", "))
}

// query is a script for a PostgreSQL server, using the profile's keys where possible.
func query(p app.Profile, h app.Host, packages []string) string {
	library := "psycopg"
	if !installed(packages, "psycopg") && installed(packages, "psycopg2") {
		library = "psycopg2"
	}
	place := fmt.Sprintf("%q", h.Name)
	if name := h.KeyReference(); name != "" {
		place = fmt.Sprintf("settings.get(%q)", name)
	}
	port := ""
	if !slices.Contains(h.Ports, 5432) {
		port = fmt.Sprintf(", port=%d", h.Ports[0])
	}
	return fmt.Sprintf(`import %s

with %s.connect(host=%s%s, user=%s, password=%s, dbname=%s, connect_timeout=20) as db, db.cursor() as cursor:
    cursor.execute("SELECT version()")
    set_result({"version": cursor.fetchone()[0]})
`, library, library, place, port,
		setting(p, "the user's name", "USER"), setting(p, "the password", "PASSWORD", "PASS", "SECRET"),
		setting(p, "the database's name", "DATABASE", "DBNAME", "DB_NAME"))
}

// setting returns how a script reads a key by words in its name. Without one it is a placeholder.
func setting(p app.Profile, what string, words ...string) string {
	for _, word := range words {
		for _, k := range p.Keys {
			if strings.Contains(strings.ToUpper(k.Name), word) {
				return fmt.Sprintf("settings.get(%q)", k.Name)
			}
		}
	}
	return fmt.Sprintf("%q", "… "+what)
}

func installed(packages []string, name string) bool {
	return slices.ContainsFunc(packages, func(p string) bool { return strings.HasPrefix(p, name+" ") })
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
	"answer request httpx urllib settings inputs llm set_result")
