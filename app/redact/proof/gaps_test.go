package proof

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// gap is a class of cases of which some are known to get through. What is in none of them must not leak.
type gap struct {
	name  string // as docs/redaction.md has it
	holds func(a attempt) bool
}

// knownGaps is the list of docs/redaction.md.
func knownGaps() []gap {
	return []gap{
		// Base 85 has most signs of ordinary text among its digits, so a run of it goes on into what stands beside it, and the last group of
		// the encoded text is misread by one. Its end is looked for at the usual signs; where it isn't at one of them, the inner encoding ends wrong.
		{"another encoding in ascii85", func(a attempt) bool { return slices.Contains(a.Forms[min(1, len(a.Forms)):], "ascii85") }},
		// The equals sign at the end of one element and the line break at the beginning of the next are one soft line break.
		{"quoted-printable that is cut between two elements of a result", func(a attempt) bool {
			return a.Channel == "split" && len(a.Forms) > 1 && a.Forms[len(a.Forms)-1] == "quoted-printable"
		}},
	}
}

// gapOf returns the name of the known gap that a case is in, or "".
func gapOf(a attempt) string {
	for _, g := range knownGaps() {
		if g.holds(a) {
			return g.name
		}
	}
	return ""
}

// TestGapsAreDocumented: the table and the list in the documentation are the same.
func TestGapsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../docs/redaction.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, found := strings.Cut(string(text), "\n## Known gaps\n")
	if !found {
		t.Fatal("docs/redaction.md has no known gaps")
	}
	list, _, _ = strings.Cut(list, "\n## ")
	var want, got []string
	for _, g := range knownGaps() {
		want = append(want, g.name)
	}
	for line := range strings.Lines(list) {
		if name, ok := strings.CutPrefix(line, "- **"); ok {
			name, _, _ = strings.Cut(name, "**")
			got = append(got, name)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("documented are %q, want %q", got, want)
	}
}

func TestGapsAreNarrow(t *testing.T) {
	for _, a := range []attempt{
		{Channel: "stdout"},
		{Channel: "split"},
		{Channel: "stdout", Forms: []string{"ascii85"}},
		{Channel: "split", Forms: []string{"ascii85", "hex"}},
		{Channel: "value", Forms: []string{"decimal list"}},
		{Channel: "split", Forms: []string{"decimal list", "base64"}},
		{Channel: "split", Forms: []string{"decimal list"}},
	} {
		if name := gapOf(a); name != "" {
			t.Errorf("%s %v is in %q", a.Channel, a.Forms, name)
		}
	}
}
