package redact

import (
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/computclaw/airlock/app/match"
)

const (
	piece  = 64 << 10 // bytes of a text that are searched at once
	minCut = 4        // bytes of the shortest beginning of a secret that is masked at a cut end
)

// find returns what is to be masked in a whole text.
func (r *Redactor) find(text string) []region {
	found := r.findKnown(text)
	if r.rules != nil {
		found = append(found, ruleRegions(r.rules(text), len(text))...)
	}
	return r.merge(found)
}

// findCut is find for a text whose end was cut off, if that may begin a value. Values that scripts
// don't hold begin none: where a text ends is the script's choice, so a mask would tell it how one
// begins.
func (r *Redactor) findCut(text string) []region {
	found := r.find(text)
	longest := region{worth: ofValue, part: true, end: len(text)}
	for i, p := range r.patterns {
		if n := r.needles[i]; n.note != "" || n.sealed || !isHeldByScript(r.values[n.owner]) {
			continue
		}
		if n := countBegun(text, p.Text[:min(len(p.Text), match.MaxBlock)]); n > longest.length {
			longest.needle, longest.length, longest.start = i, n, len(text)-n
		}
	}
	if longest.length >= minCut {
		found = r.merge(append(found, longest))
	}
	return found
}

// countBegun returns how much of a secret stands at the end of a text.
func countBegun(text, secret string) int {
	for n := min(len(text), len(secret)); n >= minCut; n-- {
		if strings.HasSuffix(text, secret[:n]) {
			return n
		}
	}
	return 0
}

// findKnown returns where known values and placeholders are in a text.
func (r *Redactor) findKnown(text string) []region {
	if r.finder.IsEmpty() {
		return nil
	}
	return append(r.scan(text, func(match.Match) bool { return true }), r.findSeparated(text)...)
}

// findSeparated returns where values are in a text with a sign behind each character.
func (r *Redactor) findSeparated(text string) (found []region) {
	view := withoutSigns(text)
	if view == nil {
		return nil
	}
	for _, g := range r.scan(string(view), r.isStrong) {
		g.layer = "separated"
		found = append(found, g)
	}
	return found
}

// scan returns the regions of the matches that count, in no order.
func (r *Redactor) scan(text string, counts func(match.Match) bool) (found []region) {
	s := r.finder.Scanner()
	add := func(matches []match.Match) {
		for _, m := range matches {
			if g, ok := r.regionOf(m); ok && counts(m) {
				found = append(found, g)
			}
		}
	}
	for at := 0; at < len(text); at += piece {
		add(s.Write([]byte(text[at:min(at+piece, len(text))])))
	}
	add(s.Close())
	return found
}

// isStrong reports whether a match is of a value that is hard to guess, or couldn't be checked.
func (r *Redactor) isStrong(m match.Match) bool {
	return m.Pattern == match.Unchecked || r.needles[m.Pattern].strong
}

func ruleRegions(found []Match, length int) (regions []region) {
	for _, m := range found {
		if m.Start >= 0 && m.Start < m.End && m.End <= length {
			regions = append(regions, region{start: m.Start, end: m.End, worth: ofRule, rule: m.Rule, length: m.End - m.Start})
		}
	}
	return regions
}

// minSigns is how often a sign stands behind each character before it is left out.
const minSigns = 7

// withoutSigns replaces a sign behind each of several characters by a zero byte. The finder passes
// over these. It returns nil if there are none.
func withoutSigns(text string) (view []byte) {
	for at := range len(text) {
		if view != nil && view[at] == 0 || !signs[text[at]] {
			continue
		}
		if ahead := text[at+1 : min(at+2+len(`\u0000`), len(text))]; !strings.Contains(ahead, text[at:at+1]) {
			continue
		}
		n := 0
		for range signsFrom(text, at) {
			n++
		}
		if n < minSigns {
			continue
		}
		if view == nil {
			view = []byte(text)
		}
		for i := range signsFrom(text, at) {
			view[i] = 0
		}
	}
	return view
}

// signsFrom returns the places of a sign that stands behind every other character, from one of them
// on.
func signsFrom(text string, at int) iter.Seq[int] {
	return func(yield func(int) bool) {
		sign := text[at]
		for at < len(text) && text[at] == sign && yield(at) {
			if at++; at == len(text) || text[at] == sign { // a line of signs has nothing between them
				return
			}
			_, size := utf8.DecodeRuneInString(text[at:])
			if escape := text[at:]; escape[0] == '\\' && len(escape) > 1 && escape[1] != sign { // as in JSON
				if size = 2; escape[1] == 'u' {
					size = len(`\u0000`)
				}
			}
			at += size
		}
	}
}

// signs has all of ASCII but letters, digits and control characters.
var signs = func() (table [256]bool) {
	for b := byte(' '); b < utf8.RuneSelf; b++ {
		table[b] = !('0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z')
	}
	return table
}()
