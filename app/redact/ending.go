package redact

import (
	"cmp"
	"slices"

	"github.com/computclaw/airlock/app/redact/encodings"
)

// none and several stand for values and forms where there is no single one.
const (
	none    int32 = -1
	several int32 = -2
)

// ending says what the needles that end with the same byte say together: which is the longest, and
// whether a mask may show a value's last characters.
type ending struct {
	length      int32 // bytes of the longest needle found anywhere; 0 if there is none
	form        int32 // of that needle
	looseLength int32 // the same for needles that count in joined text
	looseForm   int32 //
	// value of which a form ends here that forbids others to show anything: none, one, several
	quiet int32
	runs  encodings.RunSet      // encodings in which a run may go on here
	left  []encodings.Remainder // how these go on over line breaks
	words []word                // needles that count only as words, longest first
	seed  int32                 // of fragments, all of which are equally long; 0 if there is none
}

// word is a needle that counts only where it stands as a word.
type word struct {
	length int32
	form   int32
	owner  int32
}

// combine returns the ending of a and b together; a's needles are not shorter.
func combine(a, b ending) ending {
	out := a
	if b.length > a.length {
		out.length, out.form = b.length, b.form
	}
	if b.looseLength > a.looseLength {
		out.looseLength, out.looseForm = b.looseLength, b.looseForm
	}
	out.quiet = mix(a.quiet, b.quiet)
	out.runs |= b.runs
	for _, l := range b.left {
		if !slices.Contains(out.left, l) {
			out.left = append(out.left[:len(out.left):len(out.left)], l)
		}
	}
	out.words = merge(a.words, b.words)
	out.seed = cmp.Or(a.seed, b.seed)
	return out
}

// merge returns the words of both, longest first, each length once.
func merge(a, b []word) []word {
	if len(a) == 0 || len(b) == 0 {
		return append(a[:len(a):len(a)], b...)
	}
	if a[0].length == b[0].length {
		b = b[1:]
	}
	return append(a[:len(a):len(a)], b...)
}

func mix(a, b int32) int32 {
	switch {
	case a == b || b == none:
		return a
	case a == none:
		return b
	}
	return several
}
