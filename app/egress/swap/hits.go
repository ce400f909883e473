package swap

import (
	"sync"

	"github.com/computclaw/airlock/app/match"
)

// placeholders finds placeholders by shape. It knows no secret.
var placeholders = sync.OnceValue(func() *match.Finder {
	return match.NewWithTail([]string{Prefix}, tailAlphabet, tailLength)
})

// hit is a text shaped like a placeholder, at data[start:end].
type hit struct {
	token      string // as it would be written plainly
	exact      bool   // it is written plainly
	start, end int
}

func findHits(text []byte) []hit {
	var out []hit
	for _, m := range placeholders().Find(text) {
		out = append(out, newHit(m, text[m.Start:m.End]))
	}
	return out
}

func newHit(m match.Match, spelled []byte) hit {
	h := hit{token: Prefix + m.Tail, start: m.Start, end: m.End}
	h.exact = m.Layer == match.Plain && string(spelled) == h.token
	return h
}
