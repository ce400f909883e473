package redact

import (
	"bytes"
	"strings"
	"sync"
)

const (
	maxDepth    = 3       // steps of decoding
	minBudget   = 4 << 20 // bytes of views that may be made of any text
	budgetRatio = 80      // and of each byte of it
	costSpan    = 4       // for each part of a view, beyond its bytes
	minNear     = 1 << 10
	maxNear     = 16 << 10
)

// inspection is the search for values in one view of a root, and in what can be decoded from that.
type inspection struct {
	r        *Redactor
	root     *view
	joint    bool // of the root only that is looked at which shows when its parts are put together
	view     *view
	budget   int  // bytes of work left
	lent     int  // budget at first
	over     bool // nothing is left of the budget for the view
	made     []*view
	found    []region // in the root
	at       *view    // being decoded
	runs     finder   // of the view at hand
	decoders [decoders]decoder
	last     window // of the root: see token
	done     sync.WaitGroup
}

// look searches the view and makes the views of it.
func (in *inspection) look() {
	v := in.view
	in.over = false
	if v.parent != nil || in.joint {
		in.scan(v)
	}
	switch {
	case v.parent == nil && in.joint:
		in.leaveOut(v)
		in.push(v, lists(v.text, false, in.r.alphabet), "list", kindDecoded)
	case v.kind == kindSeams:
		in.sewn(v)
	case v.kind == kindLetters && v.depth < maxDepth:
		in.turnTo(v)
		in.pushAll(v, in.read(grouped))
	case v.depth < maxDepth && v.kind != kindLetters:
		in.derive(v)
	case v.kind == kindDecoded:
		in.turnTo(v)
		in.leaveOut(v)
		in.unpacked(v)
	}
	if v.parent == nil {
		in.push(v, seams.leave(v.text), "", kindSeams)
	}
	in.turnTo(nil)
}

// derive makes the views of a view. The machine knows the usual encodings itself, so the last step needs only what it doesn't know.
func (in *inspection) derive(v *view) {
	in.turnTo(v)
	if in.over = in.budget < 0 && v.parent != nil; in.over {
		return
	}
	last := v.depth == maxDepth-1
	ahead := in.read(codesIn(v, last))
	if v.kind == kindRoot || v.kind == kindDecoded {
		in.leaveOut(v)
	}
	if v.kind == kindRoot || v.kind == kindDecoded || v.odd {
		in.push(v, alternate(v.text), "separated", kindDecoded)
	}
	in.unescape(v)
	in.numbers(v)
	in.unpacked(v)
	in.decoded(v, ahead)
	if last {
		return
	}
	if !v.after(kindReversed) && !v.after(kindRotated) {
		v.turns[0] = in.push(v, backwards(v.text), "reversed", kindReversed)
	}
	if !v.after(kindRotated) {
		v.turns[1] = in.push(v, rotated(v.text), "ROT13", kindRotated)
	}
}

// unpacked makes the view of compressed data that was written as numbers or escapes. Both are one step, as they are where it was in a run.
func (in *inspection) unpacked(v *view) {
	if v.kind != kindDecoded || v.packed {
		return
	}
	b := build{}
	in.decoders[forText].inflate(&b, v.text, 0, len(v.text), scale{1, 1, false})
	if p := in.push(v, &b, "compressed", kindDecoded); p != nil {
		p.depth, p.packed = v.depth, true
	}
}

// sewn makes the views of texts that were put together and still have their spaces: what is cut within a number, an escape, a soft line break or a group
// of base 85 shows there, everything else without spaces.
func (in *inspection) sewn(v *view) {
	in.turnTo(v)
	ahead := in.read(rare)
	in.push(v, alternate(v.text), "separated", kindDecoded)
	in.push(v, backwards(v.text), "reversed", kindReversed)
	in.unescape(v)
	in.numbers(v)
	in.pushAll(v, ahead)
}

// codesIn returns the codes that are read in a view. The machine knows the usual ones itself, so at the last step only what they may hold counts, compressed data,
// which in a text turned round is looked for in all but base 85, and a long value in base 85, of which the machine knows only the beginning.
// A text turned round that has spaces is left to the text without spaces, turned round.
func codesIn(v *view, last bool) []*code {
	switch {
	case v.turned() && v.parent.spaced:
		return nil
	case last && v.turned() && !v.coarse:
		return exact
	}
	return codes
}

// decoded makes the views of the codes that were read.
func (in *inspection) decoded(v *view, ahead *reading) {
	for i, found := range in.pushAll(v, ahead) {
		c := ahead.codes[i]
		if found == nil || c.bits != 0 || !v.turned() || v.parent.kind != kindSpaces {
			continue
		}
		if spaced := v.parent.parent.turns[v.kind-kindReversed]; spaced != nil { // its spaces tell where a text in base 85 ends
			in.turnTo(spaced)
			in.pushAll(spaced, in.read([]*code{c}))
			in.turnTo(v)
		}
	}
}

func (in *inspection) unescape(v *view) {
	near := around{in.r.near, v.decoded()}
	in.push(v, unescape(v.text, near, '\\', backslash), "escapes", kindDecoded)
	if b := unescape(v.text, near, '%', percentEscape); b != nil {
		in.push(v, b, "percent", kindDecoded)
		in.push(v, b.plusSpaces(), "percent", kindDecoded)
	}
	in.push(v, unescape(v.text, near, '&', entity), "HTML", kindDecoded)
	sure := unescape(v.text, near, '=', printable)
	in.quoted(v, sure)
	if alone := unescape(v.text, near, '=', printableAlone); alone != nil && (sure == nil || !bytes.Equal(alone.text, sure.text)) {
		in.quoted(v, alone)
	}
}

// quoted makes a view of quoted-printable.
func (in *inspection) quoted(v *view, b *build) {
	if q := in.push(v, b, "quoted-printable", kindDecoded); q != nil {
		q.joined = true // an equals sign at the end of a line needn't be a soft line break
	}
}

// numbers makes the views of what numbers stand for.
func (in *inspection) numbers(v *view) {
	rotated := v.kind == kindRotated
	in.push(v, lists(v.text, rotated, in.r.alphabet), "list", kindDecoded)
	if !rotated {
		in.push(v, digits(v.text, &in.decoders[forText], in.r.alphabet), "digits", kindDecoded)
	}
}

// leaveOut makes the views of a view in which something is left out.
func (in *inspection) leaveOut(v *view) {
	s := in.push(v, spaces.leave(v.text), "", kindSpaces)
	v.spaced = s != nil
	if s == nil {
		s = v
	}
	in.push(s, letters.leave(s.text), "", kindLetters)
}

// push makes a view, if there is something in it.
func (in *inspection) push(parent *view, b *build, via string, k kind) *view {
	if b == nil || len(b.text) < minStretch {
		return nil
	}
	in.budget -= len(b.text) + costSpan*len(b.spans)
	v := &view{text: b.text, spans: b.spans, marks: b.marks, filter: b.filter, parent: parent, via: via, depth: parent.depth, kind: k, odd: b.odd, joined: parent.joined}
	if k == kindSpaces || k == kindSeams || k == kindLetters {
		v.joined = true
	} else {
		v.depth++
	}
	if parent.via != "" {
		v.via = strings.TrimSuffix(parent.via+", "+via, ", ")
	}
	in.made = append(in.made, v)
	return v
}

// scan looks for values in a view.
func (in *inspection) scan(v *view) {
	m := in.r.machine
	if v.kind == kindLetters {
		m = in.r.letters()
	}
	s := newScan(m)
	s.words, s.loose = false, v.joined
	s.take(v.text, 0, 0)
	s.end()
	for _, g := range s.regions {
		if g.form != none && m.forms[g.form].sealed {
			continue
		}
		v.coarse = v.coarse || g.by != none && m.forms[g.by].encoding == "base85"
		lo, hi := v.root(g.start, g.end)
		if lo < 0 {
			continue
		}
		if v.decoded() && !v.joined {
			if !v.undone(g.start, g.end) {
				continue // it only stands beside what was decoded, so it was found without that
			}
			lo, hi = in.token(lo, hi)
		}
		via := v.via
		if v.joined {
			via = strings.TrimPrefix(via+", split", ", ")
		}
		in.found = append(in.found, region{start: lo, end: hi, form: none, by: in.r.formOf(m, g.by), quiet: several, note: &note{via: via}})
	}
}

// undone reports whether a place of a view has bytes that a step of decoding made, not only such as it left alone.
func (v *view) undone(start, end int) bool {
	for ; v.parent != nil && start >= 0; v = v.parent {
		lo, hi := v.place(start, end)
		if v.kind == kindDecoded && (lo < 0 || !bytes.Equal(v.text[start:end], v.parent.text[lo:hi])) {
			return true
		}
		start, end = lo, hi
	}
	return false
}

// refuse masks a part of the view at hand that can't be looked at.
func (in *inspection) refuse(from, to int) {
	if lo, hi := in.at.root(from, to); lo >= 0 {
		in.found = append(in.found, unchecked(window{lo, hi}))
	}
}

// unchecked is a region that couldn't be looked at.
func unchecked(w window) region {
	return region{start: w.from, end: w.to, form: none, by: none, quiet: several, note: &note{unchecked: true}}
}

// token makes a place in the root longer by the characters of the run that it is in. The last answer is remembered: a run may be as long as the text
// and hold a value in every line.
func (in *inspection) token(lo, hi int) (from, to int) {
	if in.last.from <= lo && hi <= in.last.to {
		return in.last.from, in.last.to
	}
	text := in.root.text
	for lo > 0 && codes[0].digit[text[lo-1]] >= 0 {
		lo--
	}
	for hi < len(text) && byteClasses[text[hi]]&runBase64 != 0 {
		hi++
	}
	in.last = window{lo, hi}
	return lo, hi
}
