package multimatch

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

type place struct {
	end End
	to  int
}

// TestEach finds what looking for each pattern at each offset finds.
func TestEach(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		head := rapid.IntRange(1, maxHead).Draw(r, "head")
		letters := rapid.SampledFrom([]rune(rapid.SampledFrom([]string{"ab", "abc", "ab\x00\xff"}).Draw(r, "letters")))
		texts := rapid.SliceOfN(rapid.StringOfN(letters, head, 12, -1), 0, 6).Draw(r, "patterns")
		a, ends := New(head, texts)
		byEnd := map[End]string{}
		for i, text := range texts {
			byEnd[ends[i]] = text
		}
		text := []byte(rapid.StringOfN(letters, 0, 60, -1).Draw(r, "text"))

		var want, got []place
		for to := range len(text) + 1 {
			for end, pattern := range byEnd {
				if bytes.HasSuffix(text[:to], []byte(pattern)) {
					want = append(want, place{end, to})
				}
			}
		}
		begun := a.Each(text, func(e End, to int) { got = append(got, place{e, to}) })
		order := func(a, b place) int { return (a.to-b.to)*100 + len(byEnd[b.end]) - len(byEnd[a.end]) }
		if slices.SortFunc(want, order); !slices.Equal(got, want) {
			r.Fatalf("%v, want %v", got, want)
		}
		open := 0
		for n := range len(text) + 1 {
			for _, pattern := range texts {
				if n < len(pattern) && bytes.HasPrefix([]byte(pattern), text[len(text)-n:]) {
					open = n
				}
			}
		}
		if begun != open {
			r.Fatalf("%d bytes are begun, want %d", begun, open)
		}
		if a.Ends() != len(byEnd) {
			r.Fatalf("%d ends of %d patterns", a.Ends(), len(byEnd))
		}
	})
}

func TestNoPatterns(t *testing.T) {
	t.Parallel()
	a, _ := New(4, nil)
	if begun := a.Each([]byte("an ordinary text"), func(End, int) { t.Error("found one") }); begun != 0 {
		t.Errorf("%d bytes are begun", begun)
	}
}
