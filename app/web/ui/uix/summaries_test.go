package uix

import (
	"strings"
	"testing"

	"github.com/computclaw/airlock/views/components"
)

func TestFirstStatement(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		"\n# note\nimport os\nfrom a import b\n\nrows = fetch()\nprint(rows)": "rows = fetch()",
		"import os\n": "import os", "": "", "# only a note": "# only a note",
	} {
		if got := firstStatement(script); got != want {
			t.Errorf("%q: %q, want %q", script, got, want)
		}
	}
}

func TestMatchIn(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 100)
	for _, c := range []struct {
		text, words string
		want        components.Summary
	}{
		{"a total b\nTotal: 7, more", "totals total", components.Summary{Before: "a ", Text: "total", After: " b"}},
		{"7\nthe \"Total\"", "total", components.Summary{Before: `the "`, Text: "Total", After: `"`}},
		{"x=quokka", `"quokka"`, components.Summary{Before: "x=", Text: "quokka"}},
	} {
		c.want.Match = true
		if got, found := matchIn(c.text, c.words); !found || got != c.want {
			t.Errorf("%q in %q: %+v, %v", c.words, c.text, got, found)
		}
	}
	for _, words := range []string{"", "+ ?", "totals", "İ"} {
		if got, found := matchIn("a total", words); found {
			t.Errorf("%q is found: %+v", words, got)
		}
	}
	if got, found := matchIn(long+" word "+long, "word"); !found || len(got.Before) > aroundMatch || len(got.After) > aroundMatch {
		t.Errorf("%+v", got)
	}
}
