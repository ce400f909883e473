package views

import (
	"time"

	"github.com/computclaw/airlock/app"
)

const restoreTime = app.RestoreTime

// Clock is a time of day, in UTC.
func Clock(at time.Time) string { return at.UTC().Format("15:04 UTC") }

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
		"    headers={\"Authorization\": \"Bearer \" + os.environ[\"AIRLOCK_PROFILE\"], \"Content-Type\": \"application/json\"},\n" +
		")\n" +
		"print(json.load(urllib.request.urlopen(request)))"
}
