package redact

import (
	"cmp"
	"slices"
	"strings"

	"github.com/computclaw/airlock/app/redact/derived"
)

// leaf is one text of a document: a whole channel, or a string, key or number of JSON.
type leaf struct {
	text    string
	number  bool     // of JSON: short values don't count in it
	cut     bool     // it would have gone on
	names   namesOf  // that it stands beside
	regions []region // ordered
	extra   []region // found later, in any order
}

// findKnown finds what the machine and the patterns find in the text as it is.
func (r *Redactor) findKnown(l *leaf) {
	l.regions = r.machine.places([]byte(l.text), !l.number, l.cut && r.held == nil)
	if found := r.cases.places(l); found != nil {
		l.regions = append(l.regions, found...)
		r.machine.merge(l)
	}
	if l.cut && r.held != nil {
		l.regions = append(l.regions, r.cutEnd(l)...)
		r.machine.merge(l)
	}
	if r.patterns == nil || l.number {
		return
	}
	for _, p := range r.patterns(l.text) {
		l.match(p)
	}
	r.findBeside(l)
	r.machine.merge(l)
}

// match takes note of what a pattern found, if it lies in the text.
func (l *leaf) match(p Match) {
	if p.Start >= 0 && p.Start < p.End && p.End <= len(l.text) {
		l.regions = append(l.regions,
			region{start: p.Start, end: p.End, form: none, by: none, quiet: none, note: &note{rule: p.Rule}})
	}
}

// cutEnd is the end of a text that was cut off, if it may begin a value that scripts hold. Where a
// text ends is the script's choice, so sealed values don't count: a mask would tell a script that
// guesses that one begins like that.
func (r *Redactor) cutEnd(l *leaf) []region {
	held := r.held()
	m := held.machine
	regions := m.places([]byte(l.text), !l.number, true)
	if len(regions) == 0 {
		return nil
	}
	last := regions[len(regions)-1]
	if last.end != len(l.text) || last.form != none {
		return nil
	}
	if last.by != none {
		like := m.forms[last.by]
		like.owner = int32(slices.Index(r.texts, held.texts[like.owner]))
		last.by = r.machine.formLike(like)
	}
	return []region{last}
}

// merge puts the regions of a leaf in order and together.
func (m *machine) merge(l *leaf) {
	if len(l.regions) < 2 {
		return
	}
	slices.SortStableFunc(l.regions, func(a, b region) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	var out []region
	for i := range l.regions {
		out = m.add(out, &l.regions[i])
	}
	l.regions = out
}

// part is a part of a root that comes from a leaf.
type part struct {
	at, n int // in the root
	leaf  *leaf
	off   int // in the leaf
}

// partsOf returns the whole of each leaf.
func partsOf(leaves []*leaf) []part {
	parts := make([]part, len(leaves))
	for i, l := range leaves {
		parts[i] = part{n: len(l.text), leaf: l}
	}
	return parts
}

// join makes a root of parts, with something between them, and notes in each where it begins.
func join(parts []part, between string) *derived.View {
	var b strings.Builder
	for i := range parts {
		if i > 0 {
			b.WriteString(between)
		}
		p := &parts[i]
		p.at = b.Len()
		b.WriteString(p.leaf.text[p.off : p.off+p.n])
	}
	return &derived.View{Text: []byte(b.String())}
}

// assign gives regions of a root to the leaves that they are in. What a leaf has masked already
// stays as it is.
func assign(regions []region, parts []part) {
	for _, g := range regions {
		first, _ := slices.BinarySearchFunc(parts, g.start,
			func(p part, at int) int { return cmp.Compare(p.at+p.n, at+1) })
		for _, p := range parts[first:] {
			if p.at >= g.end {
				break
			}
			h := g
			h.start, h.end = max(g.start, p.at)-p.at+p.off, min(g.end, p.at+p.n)-p.at+p.off
			if h.start < h.end && !p.leaf.covers(h) {
				p.leaf.extra = append(p.leaf.extra, h)
			}
		}
	}
}

// covers reports whether a place is masked already.
func (l *leaf) covers(g region) bool {
	i, _ := slices.BinarySearchFunc(l.regions, g.start, func(o region, at int) int { return cmp.Compare(o.end, at+1) })
	return i < len(l.regions) && l.regions[i].start <= g.start && l.regions[i].end >= g.end
}

// findAll finds everything in leaves that stand one after the other, and what shows when parts of
// them are put together otherwise.
func (r *Redactor) findAll(leaves []*leaf, joints ...[]part) {
	for _, l := range leaves {
		r.findKnown(l)
	}
	parts := partsOf(leaves)
	assign(r.inspect(join(parts, derived.Separator), false), parts)
	for _, parts := range joints {
		assign(r.inspect(join(parts, derived.Separator), true), parts)
	}
	for _, l := range leaves {
		if len(l.extra) > 0 {
			l.regions = append(l.regions, l.extra...)
			l.extra = nil
			r.machine.merge(l)
		}
	}
}
