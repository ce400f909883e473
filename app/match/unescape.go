package match

// findUnescaped searches a row without its outer escapes, for escapes that are escaped themselves,
// such as HTML in JSON.
func (f *Finder) findUnescaped(s *scratch, data []byte, row row, depth int) {
	r, x := &s.runs[depth], f.index(s, data, row, depth)
	// What was read as a letter may be a lead, and the beginning of a pattern.
	for _, all := range []bool{true, false} {
		nested, others := f.unescape(r, data, row, x, all)
		if nested {
			f.findInside(s, r.chars, depth, Plain, r.span)
		}
		if !others {
			return
		}
	}
}

// unescape makes r what a row most likely stands for. Escapes that stand for other than punctuation
// stay as they are unless all are read. It reports whether there are such, and whether the text may
// have escapes that the row has not: one stands for a lead, or for what follows one.
func (f *Finder) unescape(r *run, data []byte, row row, x *index, all bool) (nested, others bool) {
	r.reset()
	at := row.start
	for i := len(x.likely) - 1; i >= 0; i-- {
		e := &x.likely[i]
		end := e.at + int(e.n)
		if e.at < at || end > row.end {
			continue
		}
		punctuation := e.size == 1 && !isName(e.text[0])
		others = others || !punctuation
		if !punctuation && !all {
			continue
		}
		r.addText(data[at:e.at], at)
		nested = nested || punctuation && f.leads[e.text[0]] || all && f.behindLead(r.chars)
		for i, b := range e.bytes() {
			if i == 0 {
				r.add(b, e.at, int(e.n))
			} else {
				r.add(b, end, 0)
			}
		}
		at = end
	}
	r.addText(data[at:row.end], at)
	return nested, others
}

// behindLead reports whether what follows a text may belong to an escape.
func (f *Finder) behindLead(text []byte) bool {
	for _, b := range text[max(0, len(text)-maxEscape):] {
		if f.leads[b] {
			return true
		}
	}
	return false
}

// likeliest returns the longest reading that stands for one character of ASCII, and else the
// longest.
func (r *readings) likeliest(data []byte) (best reading) {
	for i := range r.all() {
		v := &r.list[i]
		if data[0] == '\\' && v.n == 2 && v.size == 1 && v.text[0] < ' ' {
			continue // more often a backslash: a control character is not written twice
		}
		if best.n == 0 || v.ascii() && !best.ascii() || v.ascii() == best.ascii() && v.n > best.n {
			best = *v
		}
	}
	return best
}

func (r *reading) ascii() bool { return r.size == 0 || r.size == 1 && r.text[0] < 0x80 }
