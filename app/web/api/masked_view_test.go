package api

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app/redact"
)

// TestMaskedNamesOnlyKeysOfTheProfile: rules, foreign credentials and unchecked output have no key;
// forms of one key are one entry.
func TestMaskedNamesOnlyKeysOfTheProfile(t *testing.T) {
	t.Parallel()
	got := viewMasked(map[string]redact.Hits{
		"stdout": {{Name: "B", Count: 1}, {Name: "A", Encoding: "hex", Count: 2}, {Name: "A", Count: 3}},
		"prompt": {{Rule: "jwt", Count: 1}, {Name: "others", Rule: redact.RuleNotGiven, Count: 4}, {Count: 1}},
	})
	want := []maskedView{{"", "prompt", 6}, {"A", "stdout", 5}, {"B", "stdout", 1}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
