package profileview

import (
	"strings"

	"github.com/computclaw/airlock/app"
)

// Handover returns the text for a locked profile's agent.
func Handover(base, id string, keys []app.Key, hosts []app.Host) string {
	var b strings.Builder
	b.WriteString("Use Airlock at " + base + " to run Python. Read " + base + "/skill.md first.\n")
	b.WriteString("Your profile_id is " + id + " (a token: don't print or share it).")
	if len(keys) > 0 {
		b.WriteString("\nKeys your scripts get with settings.get(name): " + strings.Join(keyNames(keys), ", ") + ".")
	}
	if len(hosts) > 0 {
		b.WriteString("\nHosts your scripts can reach: " + app.BriefHosts(hosts) + ".")
	}
	return b.String()
}

func keyNames(keys []app.Key) []string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.Name
	}
	return names
}

const restoreTime = app.RestoreTime

// maskedID hides a profile's id until a person reveals it.
const maskedID = "ark_••••••••"

// CurlSnippet runs a script from a shell.
func CurlSnippet(base, id string) string {
	return "export AIRLOCK_PROFILE=" + id + "\n" +
		"curl -s '" + base + "/execute?wait=50' \\\n" +
		"  -H \"Authorization: Bearer $AIRLOCK_PROFILE\" \\\n" +
		"  -H 'Content-Type: application/json' \\\n" +
		"  -d '{\"script\": \"set_result(1 + 1)\"}'"
}

// PythonSnippet runs a script from Python's standard library.
func PythonSnippet(base, id string) string {
	return "import json, os, urllib.request\n\n" +
		"os.environ.setdefault(\"AIRLOCK_PROFILE\", \"" + id + "\")\n" +
		"request = urllib.request.Request(\n" +
		"    \"" + base + "/execute?wait=50\",\n" +
		"    data=json.dumps({\"script\": \"set_result(1 + 1)\"}).encode(),\n" +
		"    headers={\"Authorization\": \"Bearer \" + os.environ[\"AIRLOCK_PROFILE\"], \"Content-Type\": " +
		"\"application/json\"},\n" +
		")\n" +
		"print(json.load(urllib.request.urlopen(request)))"
}
