package match

import "slices"

// locate returns where the pattern that ends at a place begins.
func (f *Finder) locate(s *scratch, data []byte, end int, text string) int {
	// Nearly always all but its first character stands there as it is.
	if second := end - len(text) + 1; second >= 0 && foldedEqual(data[second:end], text[1:]) {
		if start := f.startOf(s, data[:end], second, text[:1]); start >= 0 {
			return start
		}
	}
	if start := f.startOf(s, data[:end], end, text); start >= 0 {
		return start
	}
	return max(0, end-f.Reach()) // never: what was found forwards is found backwards
}

// startOf returns where a text begins that ends at a place, with all of the lead of an escape,
// and -1 for nowhere.
func (f *Finder) startOf(s *scratch, data []byte, end int, text string) int {
	for i := range s.rests {
		s.rests[i] = s.rests[i][:0]
	}
	s.rests[end%ring] = append(s.rests[end%ring], len(text)) // how much of the text may end at a place
	r := readings{wide: f.wide, blanks: f.blanks}            // those of s are in use
	start, far := -1, indented{}
	for from, last, least := end-1, end, end-f.Reach(); from >= max(0, least, last-maxEscape); from-- {
		here := s.rests[from%ring][:0]
		read := func(rests []int, part []byte) {
			for _, size := range rests {
				rest := size - len(part)
				switch {
				case rest < 0 || !foldedEqual(part, text[rest:size]):
				case rest == 0:
					start = from
				case !slices.Contains(here, rest):
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
	return start
}

// indented is what indents a line, and how much of a text may end behind it.
type indented struct {
	from  int
	rests []int
}

// extend reports whether a place belongs to layout behind which some of the text may end. Rests are
// those of the next place.
func (l *indented) extend(data []byte, at int, rests []int) bool {
	switch layout(data[at:min(len(data), at+2)]) {
	case 0:
		return false
	case 1:
		l.rests = append(l.rests[:0], rests...)
	}
	l.from = at
	return len(l.rests) > 0
}

func foldedEqual(data []byte, text string) bool {
	for i, b := range data {
		if folded[b] != text[i] {
			return false
		}
	}
	return true
}
