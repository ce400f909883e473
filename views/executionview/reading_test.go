package executionview

import (
	"strings"
	"testing"
)

// A key counts as read only where its script can have read it.
func TestReadKeysAreThoseThatTheScriptNames(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		`settings.get("A")`:                            "A / B AB",
		`x = settings["B"] + settings . get( 'A', "")`: "A B / AB",
		"print(1)":                              " / A B AB",
		"for k in settings: print(settings[k])": "A B AB / ",
		"settings.items()":                      "A B AB / ",
		`settings.get(name)`:                    "A B AB / ",
		"from airlock import settings, llm\n" + `settings.get("AB")`: "AB / A B",
		"import airlock as a\n" + `a.settings.get("A")`:              "A / B AB",
		"s = settings\ns.get(x)":                                     "A B AB / ",
		`my_settings.items(); settings.get("B")`:                     "B / A AB",
		"load(**settings)":                                           "A B AB / ",
	} {
		read, unread := readKeys(script, []string{"A", "B", "AB"})
		if got := strings.Join(read, " ") + " / " + strings.Join(unread, " "); got != want {
			t.Errorf("%q: %q, want %q", script, got, want)
		}
	}
}
