package redact

import (
	"strings"
	"unicode/utf8"
)

// places returns where known values are in a whole text, in the forms that the machine knows. cut
// says that the text would have gone on.
func (m *machine) places(text []byte, words, cut bool) []region {
	s := newScan(m)
	s.words = words
	s.take(text, 0, 0)
	if cut {
		s.endCut()
	} else {
		s.end()
	}
	return s.regions
}

// render returns a text with its regions masked, and counts them.
func (m *machine) render(text string, regions []region, t *tally) string {
	if len(regions) == 0 {
		return valid(text)
	}
	var b strings.Builder
	done := 0
	for i := range regions {
		g := &regions[i]
		b.WriteString(valid(text[done:g.start]))
		b.WriteString(m.mask(g))
		t.count(m.hit(g))
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
