package patterns

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestEach finds what looking for each keyword at each offset finds.
func TestEach(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		letters := rapid.SampledFrom([]rune("abAB_"))
		words := rapid.SliceOfN(rapid.StringOfN(letters, 2, 6, -1), 0, 6).Draw(r, "keywords")
		text := rapid.StringOfN(letters, 0, 40, -1).Draw(r, "text")
		type place struct{ rule, start, length int }
		var rules []compiled
		var want, got []place
		open := 0
		for i, word := range words {
			rules = append(rules, compiled{Rule: Rule{Keywords: []string{word}}})
			for at := range text {
				rest := strings.ToLower(text[at:])
				if strings.HasPrefix(rest, strings.ToLower(word)) {
					want = append(want, place{i, at, len(word)})
				} else if strings.HasPrefix(strings.ToLower(word), rest) {
					open = max(open, len(rest))
				}
			}
		}
		slices.SortStableFunc(want, func(a, b place) int { return a.start - b.start })
		begun := newKeywords(rules).each(text, func(rule, start, length int) {
			got = append(got, place{rule, start, length})
		})
		if !slices.Equal(got, want) || begun != open {
			r.Fatalf("%v and %d bytes of another, want %v and %d", got, begun, want, open)
		}
	})
}
