package redact

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestLeapsMissNothing: where only needles that count anywhere are looked for, what is passed over makes no difference.
func TestLeapsMissNothing(t *testing.T) {
	found := 0
	rapid.Check(t, func(r *rapid.T) {
		alphabet := rapid.SampledFrom([]string{"ab", "abc", "aB1", "a-é", "ab/\n", "a \\n", "a\r\n", "ABCDEFGHIJKLMNOP"}).Draw(r, "alphabet")
		letters := rapid.SampledFrom([]rune(alphabet))
		var values []Value
		least := rapid.SampledFrom([]int{4, 8, 12}).Draw(r, "least")
		for _, s := range rapid.SliceOfN(rapid.StringOfN(letters, least, 70, -1), 1, 4).Draw(r, "secrets") {
			values = append(values, Value{Secret: secretOf(s)})
		}
		_, _, all := needles(values)
		text := []byte(drawText(r, all, letters))
		m := New(values).machine
		look := func(loose bool) []region {
			s := newScan(m)
			s.words, s.loose = false, loose
			s.take(text, 0, 0)
			s.end()
			return s.regions
		}
		leaper := m.leaper
		for _, loose := range []bool{false, true} {
			m.leaper = leaper
			got := look(loose)
			m.leaper = newLeaper(nil)
			m.leaper.step = 1
			if want := look(loose); !slices.Equal(got, want) {
				r.Fatalf("%q: %v, byte by byte %v, leaps of %d", text, got, want, leaper.step)
			}
			if leaper.step > 1 {
				found += len(got)
			}
		}
	})
	if found == 0 {
		t.Error("nothing was found with leaps")
	}
}
