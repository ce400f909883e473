package match

import "slices"

// locate returns where the entry that ends at a place begins, or -1 for a wrong letter case.
func (f *Finder) locate(s *scratch, data []byte, end int, e *entry) int {
	s.passed += len(e.text)
	// Nearly always all but its first character is plain.
	if second := end - len(e.text) + 1; second >= 0 && isText(data[second:end], e.text[1:], e.exact) {
		if start, missing := f.startOf(s, data[:end], second, e.text[:1], e.exact); missing == 0 {
			return start
		}
	}
	if start, missing := f.startOf(s, data[:end], end, e.text, e.exact); missing == 0 {
		return start
	}
	return -1
}

// startOf finds the longest end of a text that ends at a place. It returns its begin, with the
// whole lead of an escape, and the number of missing bytes.
func (f *Finder) startOf(s *scratch, data []byte, end int, text string, exact bool) (start, missing int) {
	for i := range s.rests {
		s.rests[i] = s.rests[i][:0]
	}
	s.rests[end%ring] = append(s.rests[end%ring], len(text)) // how much of the text may end at a place
	r := readings{wide: f.wide, blanks: f.blanks}            // those of s are in use
	start, missing = end, len(text)
	far := indented{}
	for from, last, least := end-1, end, end-f.Reach(); from >= max(0, least, last-maxEscape); from-- {
		s.passed++
		here := s.rests[from%ring][:0]
		read := func(rests []int, part []byte) {
			for _, size := range rests {
				rest := size - len(part)
				if rest < 0 || !isText(part, text[rest:size], exact) {
					continue
				}
				if rest <= missing && len(part) > 0 {
					start, missing = from, rest
				}
				if rest > 0 && !slices.Contains(here, rest) {
					here, last = append(here, rest), from
				}
			}
		}
		read(s.rests[(from+1)%ring], data[from:from+1])
		if mayEscape(data, from) {
			r.readNested(data[from:])
			for _, v := range r.all() {
				read(s.rests[(from+int(v.n))%ring], v.bytes())
				if v.size == 0 && from+int(v.n) == far.from {
					read(far.rests, nil)
					read(far.rests, []byte{' '})
				}
			}
		}
		s.rests[from%ring] = here
		if far.extend(data, from, s.rests[(from+1)%ring]) { // what indents a line doesn't count
			least, last = least-1, from
		}
	}
	return start, missing
}

// endOf returns the end and length of the longest beginning of a text at a place.
func (f *Finder) endOf(s *scratch, data []byte, at int, text string, exact bool) (end, length int) {
	r := readings{wide: f.wide, blanks: f.blanks}
	reached := &s.rests // by place, how much of the text was read
	for i := range reached {
		reached[i] = reached[i][:0]
	}
	reached[at%ring] = append(reached[at%ring], 0)
	end = at
	for last := at; at <= min(last, end+maxEscape+maxPassed) && at < len(data) && length < len(text); at++ {
		s.passed++
		here := reached[at%ring]
		read := func(to int, part []byte) {
			for _, n := range here {
				if n+len(part) > len(text) || !isText(part, text[n:n+len(part)], exact) {
					continue
				}
				if n += len(part); n > length {
					end, length = to, n
				}
				last = max(last, to)
				if !slices.Contains(reached[to%ring], n) {
					reached[to%ring] = append(reached[to%ring], n)
				}
			}
		}
		read(at+1, data[at:at+1])
		if len(here) > 0 && mayEscape(data, at) {
			r.readNested(data[at:])
			for _, v := range r.all() {
				read(at+int(v.n), v.bytes())
			}
		}
		reached[at%ring] = here[:0]
	}
	return end, length
}

// indented is a line's indentation, and how much of a text may end behind it.
type indented struct {
	from  int
	rests []int
}

// extend reports whether a place belongs to layout behind which the text may end. rests are those
// of the next place.
func (l *indented) extend(data []byte, at int, rests []int) bool {
	switch layoutLength(data[at:min(len(data), at+2)]) {
	case 0:
		return false
	case 1:
		l.rests = append(l.rests[:0], rests...)
	}
	l.from = at
	return len(l.rests) > 0
}

// isText reports whether data is a text, in any letter case unless exact.
func isText(data []byte, text string, exact bool) bool {
	for i, b := range data {
		if exact && (b >= 'A' && b <= 'Z' || text[i] >= 'A' && text[i] <= 'Z') && b != text[i] {
			return false
		}
		if folded[b] != folded[text[i]] {
			return false
		}
	}
	return true
}
