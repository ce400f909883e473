package swap

import (
	"sync"

	"github.com/computclaw/airlock/app/match"
)

// placeholders finds them. It is built once: it knows their shape and no secret.
var placeholders = sync.OnceValue(func() *match.Finder {
	return match.NewWithTail([]string{Prefix}, tailAlphabet, tailLength)
})

// hit is a text with the shape of a placeholder, at data[start:end].
type hit struct {
	token      string // as it would be written plainly
	exact      bool   // it is written plainly
	start, end int
}

// hits returns all hits in a text, by their beginning.
func hits(text []byte) []hit {
	var out []hit
	for _, m := range placeholders().Find(text) {
		h := hit{token: Prefix + m.Tail, start: m.Start, end: m.End}
		h.exact = m.Layer == match.Plain && string(text[h.start:h.end]) == h.token
		out = append(out, h)
	}
	return out
}

// maxHeld is more than a placeholder takes, however it is written, in bytes.
const maxHeld = 1 << 10

// begun returns how many bytes at the end of a text may belong to a placeholder that goes on behind
// it.
func begun(text []byte) int {
	n := 0
	for n < min(len(text), maxHeld) && !placeholders().Ends(text[:len(text)-n]) {
		n++
	}
	return n
}
