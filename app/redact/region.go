package redact

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/computclaw/airlock/app/match"
	"github.com/computclaw/airlock/app/secrets"
)

// region is a place to be masked, in bytes, and what is known of it.
type region struct {
	start, end int
	worth      worth
	needle     int    // of a value or placeholder
	layer      string // the encoding in which a value stands there; "" if in none
	part       bool   // only a part of the value
	rule       string // that found it
	mixed      bool   // another secret lies in the same place, so a mask shows nothing
	length     int    // of the match that the hit names
}

// worth ranks what a region may hold: a hit names the highest of what overlaps. A placeholder is in
// text that never held its value.
type worth int

const (
	ofPlaceholder worth = iota
	ofRule
	ofUnchecked
	ofValue
)

const (
	maskPlain     = "[REDACTED]"
	maskUnchecked = "[REDACTED: could not be checked]"
)

// layers are the names of encodings, as people see them.
var layers = map[match.Layer]string{
	match.Base64: "base64", match.Base32: "base32", match.Hex: "hex", match.Numbers: "list",
}

// regionOf returns the region of a match; ok is false if it doesn't count.
func (r *Redactor) regionOf(m match.Match) (g region, ok bool) {
	g = region{start: m.Start, end: m.End, length: m.End - m.Start, needle: m.Pattern, layer: layers[m.Layer],
		part: m.Part, worth: ofValue}
	switch {
	case m.Pattern == match.Unchecked:
		g.worth, g.needle = ofUnchecked, -1
	case r.needles[m.Pattern].sealed:
		g.worth = ofPlaceholder
		return g, m.Layer == match.Plain
	}
	return g, true
}

// mask returns what replaces a region of a text, of which written is what stands there.
func (r *Redactor) mask(g *region, written string) string {
	switch {
	case g.worth == ofUnchecked:
		return maskUnchecked
	case g.worth == ofPlaceholder:
		return "[SEALED:" + r.values[r.needles[g.needle].owner].Key + "]"
	case g.worth == ofValue && !g.mixed:
		if n := r.needles[g.needle]; n.shows != "" && n.text == written {
			return "[REDACTED..." + n.shows + "]"
		}
	}
	return maskPlain
}

// hit says what a region counts as, given what stands there; ok is false if it is no secret.
func (r *Redactor) hit(g *region, written string) (h Hit, ok bool) {
	switch g.worth {
	case ofPlaceholder:
		return Hit{}, false
	case ofRule:
		return Hit{Rule: g.rule, Encoding: g.layer}, true
	case ofUnchecked:
		return Hit{Encoding: "not checked"}, true
	}
	n := r.needles[g.needle]
	v := r.values[n.owner]
	h = Hit{Name: v.Key, Encoding: n.note}
	if v.Held == secrets.ByHosts {
		h.Rule = RuleNotGiven
	}
	switch {
	case g.part:
		h.Encoding = "part"
	case n.note == "" && g.layer == "" && !strings.Contains(written, n.text):
		h.Encoding = "escaped"
	}
	if g.layer != "" {
		h.Encoding = strings.TrimSuffix(g.layer+", "+h.Encoding, ", ")
	}
	return h, true
}

// merge puts regions in order, and those together that overlap or hold the blocks of one long value.
func (r *Redactor) merge(list []region) []region {
	slices.SortStableFunc(list, func(a, b region) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	out := list[:0]
	for _, g := range list {
		if n := len(out); n > 0 && (g.start < out[n-1].end || r.goesOn(&out[n-1], &g)) {
			r.extend(&out[n-1], &g)
		} else {
			out = append(out, g)
		}
	}
	return out
}

// maxBetween is how many bytes may stand between two blocks of one value.
const maxBetween = 8

// goesOn reports whether a region holds the next block of the value of the one before it.
func (r *Redactor) goesOn(a, b *region) bool {
	return a.worth == ofValue && b.worth == ofValue && b.start-a.end <= maxBetween &&
		len(r.patterns[a.needle].Text) > match.MaxBlock && r.sameValue(a, b)
}

func (r *Redactor) sameValue(a, b *region) bool {
	return a.needle == b.needle || r.needles[a.needle].owner == r.needles[b.needle].owner
}

// extend makes g the union with a region h that doesn't begin before it. The union counts as:
//
//	g            h                        the union
//	value        value within             g, mixed if h reaches into what g's mask shows
//	a part       whole value, same place  h
//	value        value that ends later    the longer match
//	placeholder  rule within              g
//	placeholder  rule that ends later     h, around the placeholder
//	rule         placeholder              g, around the placeholder
//	all others                            value, else unchecked, else rule, else placeholder;
//	                                      of equals the longer match
func (r *Redactor) extend(g, h *region) {
	within := h.end <= g.end
	switch {
	case g.worth == ofValue && h.worth == ofValue && within:
		if !h.part || g.part {
			g.mixed = g.mixed || h.end > g.end-len(r.needles[g.needle].shows) && !r.sameValue(g, h)
		}
		if g.part && !h.part && h.start == g.start && h.end == g.end {
			*g = *h
		}
		return
	case g.worth == ofPlaceholder && h.worth == ofRule && within:
		return // the rule takes nothing but the placeholder for a secret
	case g.worth == ofPlaceholder && h.worth == ofRule, g.worth == ofRule && h.worth == ofPlaceholder:
		around(g, h, r)
	}
	start, end := g.start, max(g.end, h.end)
	if h.worth > g.worth || h.worth == g.worth && h.length > g.length {
		*g = *h
	}
	g.start, g.end = start, end
}

// around notes that a rule takes a placeholder, with what stands around it, for a secret.
func around(g, h *region, r *Redactor) {
	if g.worth == ofPlaceholder {
		g, h = h, g
	}
	g.layer = "around the placeholder of " + r.values[r.needles[h.needle].owner].Key
}

// render returns a text with its regions masked, and counts them.
func (r *Redactor) render(text string, regions []region, t *tally) string {
	if len(regions) == 0 {
		return valid(text)
	}
	var b strings.Builder
	done := 0
	for i := range regions {
		g := &regions[i]
		written := text[g.start:g.end]
		b.WriteString(valid(text[done:g.start]))
		b.WriteString(r.mask(g, written))
		t.count(r.hit(g, written))
		done = g.end
	}
	b.WriteString(valid(text[done:]))
	return b.String()
}

// valid returns the text with U+FFFD for each byte that is not UTF-8.
func valid(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for _, r := range text { // U+FFFD for a byte that is not UTF-8
		b.WriteRune(r)
	}
	return b.String()
}
