package decode

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/computclaw/airlock/app/redact/derived"
)

// TestFinderMissesNothing: the finder finds every run that is long enough, as reading byte by byte
// does.
func TestFinderMissesNothing(t *testing.T) {
	t.Parallel()
	var all CodeSet
	for _, c := range Codes {
		all |= c.Bit()
	}
	var found [5]int
	rapid.Check(t, func(r *rapid.T) {
		var f RunFinder
		for range 2 { // the second time with what the first one left
			var text []byte
			for range rapid.IntRange(0, 6).Draw(r, "parts") {
				part := rapid.SampledFrom([]string{`[A-Z2-7]{1,18}`, `[0-9a-f]{1,20}`, `[A-Za-z0-9+/_-]{1,30}`,
					`[!-u]{1,15}`, `[0-9A-Za-z!#$%&()*+;<=>?@^_{|}~-]{1,15}`, `[ .,/:"é]{1,4}`}).Draw(r, "alphabet")
				text = append(text, rapid.StringMatching(part).Draw(r, "part")...)
			}
			f.Find(text, all)
			for i, c := range Codes {
				var want []derived.Window
				for from, to := 0, 0; from < len(text); from = to + 1 {
					for to = from; to < len(text) && c.Digit[text[to]] >= 0; to++ {
					}
					if to-from >= c.least {
						want = append(want, derived.Window{From: from, To: to})
					}
				}
				if !slices.Equal(f.Found[i], want) {
					r.Fatalf("%s in %q: %v, not %v", c.Name, text, f.Found[i], want)
				}
				found[i] += len(want)
			}
		}
	})
	if slices.Contains(found[:], 0) {
		t.Errorf("of some code there was no run: %v", found)
	}
}

// TestPartsOfCodes: codes stand in the order that their parts count on, and a set has a bit for
// each.
func TestPartsOfCodes(t *testing.T) {
	t.Parallel()
	of := func(part []*Code) (names string) {
		for _, c := range part {
			names += c.Name + " "
		}
		return names
	}
	const base32 = "base32 "
	for part, want := range map[string]string{of(ExactCodes): "base64 hex " + base32, of(RareCodes): base32 +
		"base85 ascii85 ", of(GroupedCodes): "hex "} {
		if part != want {
			t.Errorf("%s, want %s", part, want)
		}
	}
	if last := Codes[len(Codes)-1]; last.Bit() == 0 || last.Nth >= len(RunFinder{}.Found) {
		t.Errorf("%d codes are too many for a set", len(Codes))
	}
}
