package match

import "github.com/computclaw/airlock/app/redact/charset"

// findUnescaped searches a row without its outer escapes, as for HTML in JSON.
func (f *Finder) findUnescaped(s *scratch, data []byte, row row, v view) {
	inner := view{v.depth + 1, v.decoded}
	r, x := &s.runs[v.depth], f.index(s, data, row, v)
	// a decoded letter may be a lead and begin a pattern
	s.atEnd[v.depth+1] = s.atEnd[v.depth] && row.end == len(data)
	u := unescaping{all: true}
	if f.unescape(r, data, row, x, &u) || s.atEnd[v.depth+1] || f.wide && charset.HasForeignCapital(r.chars) {
		f.findInside(s, r.chars, inner, Plain, r.span)
	}
	if u.all = false; u.others && (f.unescape(r, data, row, x, &u) || s.atEnd[v.depth+1]) {
		f.findInside(s, r.chars, inner, Plain, r.span)
	}
	s.atEnd[v.depth+1] = false
}

// unescaping says how to remove escapes from a text, and what they stood for.
type unescaping struct {
	all    bool // also those that stand for letters, digits and nothing, and those of controls by a letter
	others bool // there are such, or plus signs that may be spaces
	form   bool // a plus sign stands behind an escaped blank, so it is a space, as all others
}

// unescape makes r the likeliest decoding of a row. It reports whether r may have more matches: an
// escape stands for a layer's character, or follows a lead.
func (f *Finder) unescape(r *run, data []byte, row row, x *index, u *unescaping) (nested bool) {
	r.reset()
	at := row.start
	addText := func(end int) {
		first := len(r.chars)
		r.addText(data[at:end], at)
		for i := first; u.form && !u.all && i < len(r.chars); i++ {
			if r.chars[i] == '+' {
				r.chars[i] = ' '
			}
		}
	}
	for i := len(x.likely) - 1; i >= 0; i-- {
		e := &x.likely[i]
		from := int(e.at)
		end := from + int(e.n)
		if from < at || end > row.end {
			continue
		}
		punctuation := e.size == 1 && !isName(e.text[0]) && (u.form || !e.isControl(data))
		if !punctuation {
			u.others = true
			if !u.all {
				continue
			}
		} else if e.text[0] <= ' ' && end < row.end && data[end] == '+' {
			u.others, u.form = true, true
		}
		addText(from)
		nested = nested || f.nests(e, data[from], r.chars, data[end:row.end]) || u.all && f.behindLead(r.chars)
		for i, b := range e.bytes() {
			if i == 0 {
				r.add(b, from, int(e.n))
			} else {
				r.add(b, end, 0)
			}
		}
		at = end
	}
	addText(row.end)
	return nested
}

// isControl reports whether an escape is a letter for a control character. It may also be a
// backslash before a letter.
func (l *likely) isControl(data []byte) bool {
	return l.n == 2 && l.text[0] < ' ' && data[l.at] == '\\'
}

// nests reports whether an escape's meaning may belong to something no row search reads. That is an
// escape, a list of numbers, an indented line break or a tag.
func (f *Finder) nests(e *likely, lead byte, before, rest []byte) bool {
	switch b := e.text[0]; {
	case lead == '_': // a character of base64
		return true
	case e.size == 0:
		return e.n > 1 && !passes(lead)
	case b == '\r' || b == '\n':
		return len(rest) > 0 && (isBlank(rest[0]) || isLead(rest[0]) ||
			len(before) > 0 && f.joins(before[len(before)-1], rest))
	case b == '<':
		return len(rest) > 1 && isBreak(rest)
	case isName(b):
		return digits[b] < 10 || b|0x20 == 'x'
	default:
		return f.leads[b]
	}
}

// behindLead reports whether the following bytes may belong to an escape begun in text.
func (f *Finder) behindLead(text []byte) bool {
	for i := max(0, len(text)-maxEscape); i < len(text); i++ {
		if b := text[i]; f.leads[b] && !passes(b) && (i+1 == len(text) || mayFollow(text, i+1, b)) {
			return true
		}
	}
	return false
}

// likeliest returns the longest reading of one ASCII character, or else the longest.
func (r *readings) likeliest() (best reading) {
	for i := range r.all() {
		v := &r.list[i]
		if best.n == 0 || v.ascii() && !best.ascii() || v.ascii() == best.ascii() && v.n > best.n {
			best = *v
		}
	}
	return best
}

func (r *reading) ascii() bool { return r.size == 0 || r.size == 1 && r.text[0] < 0x80 }
