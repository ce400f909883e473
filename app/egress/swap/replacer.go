package swap

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/computclaw/airlock/app/known"
	"github.com/computclaw/airlock/app/match"
)

// replacer replaces values in a stream. Overlaps become one, shown as the first and then the
// longest.
//
// It never holds back by how much of a value was begun (match.Scanner.Closed).
type replacer struct {
	search   valueSearch
	scanners []*match.Scanner
	data     []byte   // given and not yet passed on
	from     int      // where that begins in the stream
	found    []region // that were not shown yet
	last     region   // that was shown
}

// region is a place to be replaced.
type region struct {
	match.Match
	of shownValues // whose pattern that is
}

func newReplacer(search valueSearch, events bool) *replacer {
	r := &replacer{search: search}
	for _, values := range search {
		scanner := values.finder.Scanner()
		scanner.Events = events
		r.scanners = append(r.scanners, scanner)
	}
	return r
}

// write takes one more piece and appends the bytes that are settled to out.
func (r *replacer) write(out, piece []byte) []byte {
	r.data = append(r.data, piece...)
	safe := r.from + len(r.data)
	for i, scanner := range r.scanners {
		r.add(i, scanner.Write(piece))
		safe = min(safe, scanner.Closed())
	}
	if safe <= r.from {
		return out
	}
	for i, scanner := range r.scanners {
		r.add(i, scanner.Settle(safe))
	}
	return r.pass(out, safe)
}

func (r *replacer) finish(out []byte) []byte {
	for i, scanner := range r.scanners {
		r.add(i, scanner.Close())
	}
	return r.pass(out, r.from+len(r.data))
}

// add adds matches of values that don't stay.
func (r *replacer) add(number int, matches []match.Match) {
	values := r.search[number]
	for _, m := range matches {
		if m.Pattern == match.Unchecked || values.shown[values.patterns[m.Pattern].owner] != "" {
			r.found = append(r.found, region{m, values})
		}
	}
}

// pass appends the bytes before a place to out. No earlier value continues there.
func (r *replacer) pass(out []byte, safe int) []byte {
	slices.SortStableFunc(r.found,
		func(a, b region) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End)) })
	at, n := min(max(r.from, r.last.End), safe), 0
	for _, g := range r.found {
		if g.Start >= safe {
			break
		}
		n++
		if g.Start >= r.last.End {
			out = append(out, r.data[at-r.from:g.Start-r.from]...)
			if !g.continues(r.last) {
				out = append(out, g.show(r.data[g.Start-r.from:g.End-r.from])...)
			}
			r.last = g
		}
		r.last.End = max(r.last.End, g.End)
		at = min(r.last.End, safe)
	}
	out = append(out, r.data[at-r.from:safe-r.from]...)
	r.found = r.found[:copy(r.found, r.found[n:])]
	r.data = r.data[:copy(r.data, r.data[safe-r.from:])]
	r.from = safe
	return out
}

// maxBetween is the most bytes between two blocks of a value, besides indentation.
const maxBetween = 32

// continues reports whether a region is the next block of last's value.
func (g region) continues(last region) bool {
	return g.Block > 1 && g.Block == last.Block+1 && g.Pattern == last.Pattern && g.of.compiled == last.of.compiled &&
		g.Start-last.End <= maxBetween
}

// show returns the placeholder for a region, in the same encoding where an exact counterpart
// exists.
func (g region) show(spelled []byte) string {
	if g.Pattern == match.Unchecked {
		return Withheld
	}
	p := g.of.patterns[g.Pattern]
	shown := g.of.shown[p.owner]
	switch {
	case shown == Withheld:
		return shown
	case p.Reversed:
		return known.Reverse(shown)
	case g.Layer == match.Hex && isHex(spelled):
		digits := hex.EncodeToString([]byte(shown))
		if bytes.ContainsAny(spelled, "ABCDEF") {
			digits = strings.ToUpper(digits)
		}
		return digits
	case g.Layer == match.Plain && isWide(spelled):
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
