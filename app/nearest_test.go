package app

import "testing"

func TestNearest(t *testing.T) {
	fields := []string{"profile_id", "script", "timeout", "inputs"}
	for word, want := range map[string]string{
		"scrpt":          "script",
		"Script":         "script",
		"profile-id":     "profile_id",
		"profileid":      "profile_id",
		"input":          "inputs",
		"time_out":       "timeout",
		"memory":         "",
		"":               "",
		"colour":         "",
		"x":              "",
		"completely_odd": "",
	} {
		if got := Nearest(word, fields); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}
