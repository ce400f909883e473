package redact

import (
	"bytes"
	"strings"
	"sync"

	"github.com/computclaw/airlock/app/redact/charset"
	"github.com/computclaw/airlock/app/redact/decode"
	"github.com/computclaw/airlock/app/redact/derived"
	"github.com/computclaw/airlock/app/redact/encodings"
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
	root     *derived.View
	joint    bool // of the root only that is looked at which shows when its parts are put together
	view     *derived.View
	budget   int  // bytes of work left
	lent     int  // budget at first
	over     bool // nothing is left of the budget for the view
	made     []*derived.View
	found    []region         // in the root
	at       *derived.View    // being decoded
	runs     decode.RunFinder // of the view at hand
	decoders [decoders]decode.Decoder
	last     derived.Window // of the root: see token
	done     sync.WaitGroup
}

// look searches the view and makes the views of it.
func (in *inspection) look() {
	v := in.view
	in.over = false
	if v.Parent != nil || in.joint {
		in.scan(v)
	}
	switch {
	case v.Parent == nil && in.joint:
		in.filter(v)
		in.push(v, decode.Lists(v.Text, false, in.r.alphabet), "list", derived.KindDecoded)
	case v.Kind == derived.KindSeams:
		in.deriveSeams(v)
	case v.Kind == derived.KindLetters && v.Depth < maxDepth:
		in.setView(v)
		in.pushAll(v, in.read(decode.GroupedCodes))
	case v.Depth < maxDepth && v.Kind != derived.KindLetters:
		in.derive(v)
	case v.Kind == derived.KindDecoded:
		in.setView(v)
		in.filter(v)
		in.unpacked(v)
	}
	if v.Parent == nil {
		in.push(v, derived.Seams.Apply(v.Text), "", derived.KindSeams)
	}
	in.setView(nil)
}

// derive makes the views of a view. The machine knows the usual encodings itself, so the last step
// needs only what it doesn't know.
func (in *inspection) derive(v *derived.View) {
	in.setView(v)
	if in.over = in.budget < 0 && v.Parent != nil; in.over {
		return
	}
	last := v.Depth == maxDepth-1
	ahead := in.read(codesIn(v, last))
	if v.Kind == derived.KindRoot || v.Kind == derived.KindDecoded {
		in.filter(v)
	}
	if v.Kind == derived.KindRoot || v.Kind == derived.KindDecoded || v.Odd {
		in.push(v, decode.EveryOther(v.Text), "separated", derived.KindDecoded)
	}
	in.unescape(v)
	in.numbers(v)
	in.unpacked(v)
	in.decoded(v, ahead)
	if last {
		return
	}
	if !v.After(derived.KindReversed) && !v.After(derived.KindRotated) {
		v.Turns[0] = in.push(v, decode.Reversed(v.Text), "reversed", derived.KindReversed)
	}
	if !v.After(derived.KindRotated) {
		v.Turns[1] = in.push(v, decode.ROT13(v.Text), "ROT13", derived.KindRotated)
	}
}

// unpacked makes the view of compressed data that was written as numbers or escapes. Both are one
// step, as they are where it was in a run.
func (in *inspection) unpacked(v *derived.View) {
	if v.Kind != derived.KindDecoded || v.Packed {
		return
	}
	b := derived.Builder{}
	in.decoders[forText].Inflate(&b, v.Text, 0, len(v.Text), derived.Scale{Chars: 1, Bytes: 1, Grouped: false})
	if p := in.push(v, &b, "compressed", derived.KindDecoded); p != nil {
		p.Depth, p.Packed = v.Depth, true
	}
}

// deriveSeams makes the views of texts that were put together and still have their spaces: what is
// cut within a number, an escape, a soft line break or a group of base 85 shows there, everything
// else without spaces.
func (in *inspection) deriveSeams(v *derived.View) {
	in.setView(v)
	ahead := in.read(decode.RareCodes)
	in.push(v, decode.EveryOther(v.Text), "separated", derived.KindDecoded)
	in.push(v, decode.Reversed(v.Text), "reversed", derived.KindReversed)
	in.unescape(v)
	in.numbers(v)
	in.pushAll(v, ahead)
}

// codesIn returns the codes that are read in a view. The machine knows the usual ones itself, so at
// the last step only what they may hold counts, compressed data, which in a text turned round is
// looked for in all but base 85, and a long value in base 85, of which the machine knows only the
// beginning. A text turned round that has spaces is left to the text without spaces, turned round.
func codesIn(v *derived.View, last bool) []*decode.Code {
	switch {
	case v.Turned() && v.Parent.Spaced:
		return nil
	case last && v.Turned() && !v.Coarse:
		return decode.ExactCodes
	}
	return decode.Codes
}

// decoded makes the views of the codes that were read.
func (in *inspection) decoded(v *derived.View, ahead *reading) {
	for i, found := range in.pushAll(v, ahead) {
		c := ahead.codes[i]
		if found == nil || c.Bits != 0 || !v.Turned() || v.Parent.Kind != derived.KindSpaces {
			continue
		}
		// its spaces tell where a text in base 85 ends
		if spaced := v.Parent.Parent.Turns[v.Kind-derived.KindReversed]; spaced != nil {
			in.setView(spaced)
			in.pushAll(spaced, in.read([]*decode.Code{c}))
			in.setView(v)
		}
	}
}

func (in *inspection) unescape(v *derived.View) {
	near := derived.Context{Bytes: in.r.near, AtBarrier: v.Decoded()}
	in.push(v, decode.Escapes(v.Text, near, '\\', decode.Backslash), "escapes", derived.KindDecoded)
	if b := decode.Escapes(v.Text, near, '%', decode.Percent); b != nil {
		in.push(v, b, "percent", derived.KindDecoded)
		in.push(v, decode.PlusSpaces(b), "percent", derived.KindDecoded)
	} else if in.r.blanks {
		in.push(v, decode.Escapes(v.Text, near, '+', decode.Plus), "percent", derived.KindDecoded)
	}
	in.push(v, decode.Escapes(v.Text, near, '&', decode.HTMLEntity), "HTML", derived.KindDecoded)
	sure := decode.Escapes(v.Text, near, '=', decode.QuotedPrintable)
	in.quoted(v, sure)
	loose := decode.Escapes(v.Text, near, '=', decode.LooseQuotedPrintable)
	if loose != nil && (sure == nil || !bytes.Equal(loose.Text, sure.Text)) {
		in.quoted(v, loose)
	}
}

// quoted makes a view of quoted-printable.
func (in *inspection) quoted(v *derived.View, b *derived.Builder) {
	if q := in.push(v, b, "quoted-printable", derived.KindDecoded); q != nil {
		q.Joined = true // an equals sign at the end of a line needn't be a soft line break
	}
}

// numbers makes the views of what numbers stand for.
func (in *inspection) numbers(v *derived.View) {
	rotated := v.Kind == derived.KindRotated
	in.push(v, decode.Lists(v.Text, rotated, in.r.alphabet), "list", derived.KindDecoded)
	if !rotated {
		in.push(v, decode.DigitRuns(v.Text, &in.decoders[forText], in.r.alphabet), "digits", derived.KindDecoded)
	}
}

// filter makes the views that leave something of a view out.
func (in *inspection) filter(v *derived.View) {
	s := in.push(v, derived.Visible.Apply(v.Text), "", derived.KindSpaces)
	v.Spaced = s != nil
	if s == nil {
		s = v
	}
	in.push(s, derived.LettersOnly.Apply(s.Text), "", derived.KindLetters)
}

// push makes a view, if there is something in it.
func (in *inspection) push(parent *derived.View, b *derived.Builder, via string, k derived.Kind) *derived.View {
	if b == nil || len(b.Text) < derived.MinStretch {
		return nil
	}
	in.budget -= len(b.Text) + costSpan*len(b.Spans)
	v := &derived.View{Text: b.Text, Spans: b.Spans, Marks: b.Marks, Filter: b.Filter, Parent: parent, Via: via,
		Depth: parent.Depth, Kind: k, Odd: b.Odd, Joined: parent.Joined}
	if k == derived.KindSpaces || k == derived.KindSeams || k == derived.KindLetters {
		v.Joined = true
	} else {
		v.Depth++
	}
	if parent.Via != "" {
		v.Via = strings.TrimSuffix(parent.Via+", "+via, ", ")
	}
	in.made = append(in.made, v)
	return v
}

// scan looks for values in a view.
func (in *inspection) scan(v *derived.View) {
	m := in.r.machine
	if v.Kind == derived.KindLetters {
		m = in.r.letters()
	}
	s := newScan(m)
	s.words, s.loose = false, v.Joined
	s.take(v.Text, 0, 0)
	s.end()
	for _, g := range s.regions {
		if g.form != none && m.forms[g.form].sealed {
			continue
		}
		v.Coarse = v.Coarse || g.by != none && m.forms[g.by].encoding == "base85"
		lo, hi := v.ToRoot(g.start, g.end)
		if lo < 0 {
			continue
		}
		if v.Joined {
			hi = in.withoutChance(m, g.by, lo, hi)
		}
		if v.Decoded() && !v.Joined {
			if !v.Undone(g.start, g.end) {
				continue // it only stands beside what was decoded, so it was found without that
			}
			lo, hi = in.token(lo, hi)
		}
		via := v.Via
		if v.Joined {
			via = strings.TrimPrefix(via+", split", ", ")
		}
		in.found = append(in.found,
			region{start: lo, end: hi, form: none, by: in.r.formOf(m, g.by), quiet: several, note: &note{via: via}})
	}
}

// withoutChance returns where a place in the root ends that is a run of a long value: fewer than
// minCrossed characters of another line or text that goes on are chance.
func (in *inspection) withoutChance(m *machine, form int32, lo, hi int) int {
	if form == none || m.forms[form].sealed || len(in.r.texts[m.forms[form].owner]) <= encodings.MaxRun {
		return hi
	}
	place := in.root.Text[lo:hi]
	last := bytes.LastIndexAny(place, derived.Separator+"\r\n") + 1
	if last == 0 || len(place)-last >= minCrossed || hi == len(in.root.Text) || !charset.IsWord(in.root.Text[hi]) {
		return hi
	}
	return lo + max(1, len(bytes.TrimRight(place[:last], derived.Separator+" \t\r\n")))
}

// refuse masks a part of the view at hand that can't be looked at.
func (in *inspection) refuse(from, to int) {
	if lo, hi := in.at.ToRoot(from, to); lo >= 0 {
		in.found = append(in.found, unchecked(derived.Window{From: lo, To: hi}))
	}
}

// unchecked is a region that couldn't be looked at.
func unchecked(w derived.Window) region {
	return region{start: w.From, end: w.To, form: none, by: none, quiet: several, note: &note{unchecked: true}}
}

// token makes a place in the root longer by the characters of the run that it is in. The last
// answer is remembered: a run may be as long as the text and hold a value in every line.
func (in *inspection) token(lo, hi int) (from, to int) {
	if in.last.From <= lo && hi <= in.last.To {
		return in.last.From, in.last.To
	}
	text := in.root.Text
	for lo > 0 && decode.Codes[0].Digit[text[lo-1]] >= 0 {
		lo--
	}
	for hi < len(text) && encodings.RunsOf[text[hi]]&encodings.RunBase64 != 0 {
		hi++
	}
	in.last = derived.Window{From: lo, To: hi}
	return lo, hi
}
