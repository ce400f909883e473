package swap

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/computclaw/airlock/app/match"
	"github.com/computclaw/airlock/app/redact/encodings"
)

// replacer replaces values in a stream. Places that overlap become one, shown as that which begins
// first, and of those the longest.
//
// What it holds back depends on lengths, blanks and line ends, never on how much of a value was
// begun: whoever chose the last bytes of a piece, and saw whether they come at once, could try out
// a value byte by byte.
type replacer struct {
	search valueSearch
	data   []byte // given and not yet passed on
	shown  int    // data[:shown] belongs to a value that was replaced already
	due    int    // the length of data at which some may be passed on
	events bool   // the stream is one of events
}

// region is a place to be replaced.
type region struct {
	start, end int
	match      match.Match // by which it is shown
	of         shownValues // whose pattern that is
}

// write appends to out what is known to come next, after one more piece of the stream.
func (r *replacer) write(out, piece []byte) []byte {
	r.data = append(r.data, piece...)
	return r.pass(out, r.settled(len(piece)))
}

// finish appends to out all that was held back.
func (r *replacer) finish(out []byte) []byte { return r.pass(out, len(r.data)) }

// settled returns how much of the data can be passed on: what lies before all values to come, or
// what ends with a line if no value goes on behind it. The last fresh bytes are new.
func (r *replacer) settled(fresh int) int {
	safe := 0
	if len(r.data) >= r.due {
		held := r.search.window(r.data)
		safe = len(r.data) - held
		if more := held/4 - safe; more > 0 { // or small pieces would have all that is held searched again and again
			safe, r.due = 0, len(r.data)+more
		}
	}
	from := max(safe, len(r.data)-fresh) // no line ended in what was held before
	if i := bytes.LastIndexByte(r.data[from:], '\n'); i >= 0 && r.search.ends(r.data[:from+i+1], r.events) {
		return from + i + 1
	}
	return safe
}

// pass appends to out the first safe bytes, in which no value can begin any more.
func (r *replacer) pass(out []byte, safe int) []byte {
	if safe == 0 {
		return out
	}
	r.due = 0
	from := min(r.shown, safe)
	for _, g := range regions(r.search, r.data) {
		if g.start >= safe {
			break
		}
		if g.start >= r.shown {
			out = append(out, r.data[from:g.start]...)
			out = append(out, g.show(r.data)...)
		}
		r.shown = max(r.shown, g.end)
		from = min(r.shown, safe)
	}
	out = append(out, r.data[from:safe]...)
	// Else small pieces would have a long rest copied again and again.
	if r.shown = max(0, r.shown-safe); safe < len(r.data)/2 {
		r.data = r.data[safe:]
	} else {
		r.data = r.data[:copy(r.data, r.data[safe:])]
	}
	return out
}

// regions returns the places where values stand that are to be replaced, in order and apart from
// each other.
func regions(s valueSearch, data []byte) []region {
	var found []region
	for _, values := range s {
		for _, m := range values.finder.Find(data) {
			if values.shown[values.patterns[m.Pattern].owner] != "" {
				found = append(found, region{m.Start, m.End, m, values})
			}
		}
	}
	slices.SortStableFunc(found,
		func(a, b region) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end)) })
	out := found[:0]
	for _, g := range found {
		if n := len(out); n > 0 && g.start < out[n-1].end {
			out[n-1].end = max(out[n-1].end, g.end)
			continue
		}
		out = append(out, g)
	}
	return out
}

// show returns what stands for a region: the placeholder, in the same encoding where that has an
// exact counterpart.
func (g region) show(data []byte) string {
	p := g.of.patterns[g.match.Pattern]
	shown, spelled := g.of.shown[p.owner], data[g.start:g.end]
	switch {
	case shown == Withheld:
		return shown
	case p.reversed:
		return encodings.Reverse(shown)
	case g.match.Layer == match.Hex && isHex(spelled):
		digits := hex.EncodeToString([]byte(shown))
		if bytes.ContainsAny(spelled, "ABCDEF") {
			digits = strings.ToUpper(digits)
		}
		return digits
	case g.match.Layer == match.Plain && isWide(spelled):
		return strings.Join(strings.Split(shown, ""), "\x00")
	}
	return shown
}

func isHex(data []byte) bool {
	return len(bytes.Trim(data, "0123456789abcdefABCDEF")) == 0
}

// isWide reports whether every second byte is zero, as in UTF-16.
func isWide(data []byte) bool {
	for i, b := range data {
		if (b == 0) != (i%2 == 1) {
			return false
		}
	}
	return len(data)%2 == 1
}
