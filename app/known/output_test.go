package known

import (
	"testing"

	"github.com/computclaw/airlock/app/match"
)

func TestInOutput(t *testing.T) {
	t.Parallel()
	const key = "kP9s-Zx81qLmN4vT7w2"
	for name, c := range map[string]struct {
		value string
		held  bool
		text  string
		want  *OutputPattern // nil: none has the text
	}{
		"too short":                {"abc", true, "abc", nil},
		"a word":                   {"tiger7", true, "tiger7", pattern(match.Word, true, "")},
		"anywhere":                 {"20261128", true, "20261128", pattern(match.Weak, true, "")},
		"hard to guess":            {key, true, key, pattern(match.Strong, true, "")},
		"reversed":                 {key, true, Reverse(key), pattern(match.Strong, false, "reversed")},
		"nobody's parts":           {key, false, key, pattern(match.Strong, false, "")},
		"few characters":           {"abababababab", true, "abababababab", pattern(match.Weak, false, "")},
		"a cut end":                {key, true, key[1:], nil},
		"a swallowed beginning":    {"ab12cd34ef56ab78cd90ef", true, "2cd34ef56ab78cd90ef", nil},
		"a field":                  {"postgres://u:Tr0ub4dor-9x@h/db", true, "Tr0ub4dor-9x", pattern(match.Strong, true, "")},
		"nobody's field":           {"postgres://u:Tr0ub4dor-9x@h/db", false, "Tr0ub4dor-9x", pattern(match.Strong, false, "")},
		"nobody's guessable one":   {"postgres://u:tiger7@h/db", false, "tiger7", nil},
		"in other letters":         {"pässwörd-Sehr-9x-geheim", true, "PÄSSWÖRD-SEHR-9X-GEHEIM", pattern(match.Strong, false, "letter case")},
		"in another character set": {"pässwörd-Sehr-9x-geheim", true, "p\xe4ssw\xf6rd-Sehr-9x-geheim", pattern(match.Strong, false, "charset")},
	} {
		var got *OutputPattern
		for _, p := range InOutput(c.value, c.held) {
			if p.Text == c.text {
				got = &p
				break
			}
		}
		if got == nil || c.want == nil {
			if got != nil || c.want != nil {
				t.Errorf("%s: %+v, want %+v", name, got, c.want)
			}
			continue
		}
		if got.Class != c.want.Class || got.Parts != c.want.Parts || got.Note != c.want.Note {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func pattern(class match.Class, parts bool, note string) *OutputPattern {
	return &OutputPattern{match.Pattern{Class: class, Parts: parts}, note}
}
