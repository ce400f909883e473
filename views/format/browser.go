package format

import (
	"strings"

	"github.com/computclaw/airlock/app"
)

// Browser names a User-Agent's browser and system. Unknown headers are returned, cut off.
func Browser(agent string) string {
	name := firstOf(agent, [][2]string{
		{"Edg/", "Edge"}, {"OPR/", "Opera"}, {"Firefox/", "Firefox"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"},
		{"curl/", "curl"},
	})
	system := firstOf(agent, [][2]string{
		{"Android", "Android"}, {"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Windows", "Windows"}, {"Mac OS X", "macOS"},
		{"CrOS", "ChromeOS"}, {"Linux", "Linux"},
	})
	if name == "" {
		return app.Clip(agent, 40)
	}
	return strings.TrimSuffix(name+" on "+system, " on ")
}

// firstOf returns the name of the first fragment that text contains.
func firstOf(text string, names [][2]string) string {
	for _, n := range names {
		if strings.Contains(text, n[0]) {
			return n[1]
		}
	}
	return ""
}
