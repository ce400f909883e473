package decode

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/computclaw/airlock/app/redact/derived"
)

// TestRowsMissNothing: lists reads only where there may be enough numbers in a row, and finds what
// it finds in the whole text.
func TestRowsMissNothing(t *testing.T) {
	t.Parallel()
	numbers := rapid.OneOf(
		rapid.SampledFrom([]string{"72", "105", "0x48", "0o110", "0b1001000", "u0053", "x53", "0110", "110", "01001000",
			"de", "ad", "AD", "7", "1114111", "65536", "ca", "0", "00"}),
		rapid.StringMatching(`[0-9]{1,8}|[0-9a-f]{2}|[01]{7,8}|[0-7]{3}`),
	)
	// without ten of them there is hardly a text among the numbers
	letters := rapid.SampledFrom([]string{"72", "105", "101", "110", "97", "65"})
	words := rapid.OneOf(
		rapid.SampledFrom([]string{"chr", "ord", "user", "x", "u", "0x", "abc", "x72", "n105", "3160", "0713", "0x0713",
			"7167", "u00393", "72nd", "de4z", "0o9", "a1b2c3d4e5f6a7b8c9d0e1f2a", "a1b2c3d4e5f6a7b8c9d0e1f2az", "\xff",
			"é", "grün", "72\xff105"}),
		rapid.StringMatching(`[a-gux0-9]{1,30}`),
	)
	between := rapid.SampledFrom([]string{" ", ", ", ",", ")+chr(", "\n", " chr ", ")+byte(", " code ", ", 'value': ",
		" uint8 ", " red ", "}, {\"n\": ", " minor ", "            ", "\t \r\n\t \n", "      ", "       ", "; ", "\\",
		"chr(", ")", "g", "\xff"})
	found := 0
	rapid.Check(t, func(r *rapid.T) {
		var b strings.Builder
		for range rapid.IntRange(1, 8).Draw(r, "parts") {
			with := between.Draw(r, "between")
			mixed := rapid.Bool().Draw(r, "mixed")
			of := rapid.SampledFrom([]*rapid.Generator[string]{numbers, letters}).Draw(r, "of")
			for range rapid.IntRange(0, 14).Draw(r, "numbers") {
				if mixed {
					with = between.Draw(r, "another")
				}
				b.WriteString(of.Draw(r, "number") + with)
			}
			b.WriteString(words.Draw(r, "word") + between.Draw(r, "behind it"))
		}
		text := []byte(b.String())
		for _, rotated := range []bool{false, true} {
			found += missNothing(r, text, rotated)
		}
	})
	if found == 0 {
		t.Error("there was no list in any text")
	}
}

// missNothing fails if a list of the whole text is in none that lists finds, and returns how many
// these are. A token that stands behind a number and ends in one may be the first number of a list,
// or the word between that number and the next: nobody can tell, and the two readers may differ, as
// one of them read the number before it. So a list of rows may begin sooner, and what is glued to a
// token may not be taken for its first number.
func missNothing(t rapid.TB, text []byte, rotated bool) int {
	t.Helper()
	all := newLister(text, rotated, nil)
	all.read(0, len(text))
	found := listsIn(Lists(text, rotated, nil))
	for _, whole := range listsIn(&all.b) {
		if from := whole[0].from; from > 0 && WordClass[text[from-1]]&begins != 0 {
			whole = whole[1:]
		}
		if len(whole) >= minNumbers &&
			!slices.ContainsFunc(found,
				func(row []numeral) bool { return slices.Equal(row[max(0, len(row)-len(whole)):], whole) }) {
			t.Fatalf("of %q\nall  %v\nrows %v", text, whole, found)
		}
	}
	return len(found)
}

// numeral is a number of a list, and where it stands.
type numeral struct {
	value    string
	from, to int32
}

func listsIn(b *derived.Builder) (found [][]numeral) {
	for _, s := range b.Spans {
		if s.At == 0 || b.Text[s.At-1] == derived.Barrier {
			found = append(found, nil)
		}
		last := &found[len(found)-1]
		*last = append(*last, numeral{string(b.Text[s.At : s.At+s.N]), s.From, s.To})
	}
	return found
}

// TestNumberOrWord: what stands behind a number and ends in one is the first number of a list to
// one reader, and a word to the other, who read the number before it.
func TestNumberOrWord(t *testing.T) {
	t.Parallel()
	if missNothing(t, []byte("chr chr chr 0 1a0)+chr(72 72 72 72 72 chr 72 72 100 "), false) == 0 {
		t.Error("there is no list")
	}
}

// TestShortestRows: the first number of a list may stand at the end of a word, and the last one at
// the beginning of one.
func TestShortestRows(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"n104, 117, 110, 116, 101, 114, 50, 50nd", "x68 75 6e 74 65 72 32 32nd",
		"_68-75-6e-74-65-72-32-32z"} {
		if got := string(Lists([]byte("of: "+text+" rows"), false, nil).Text); !strings.HasPrefix(got, "hunter22\xff") {
			t.Errorf("%s: %q", text, got)
		}
	}
}
