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

// maskedID hides a profile's id until a person reveals it.
const maskedID = "ark_••••••••"
