package match

import "slices"

// locate returns where the pattern that ends at a place begins.
func (f *Finder) locate(s *scratch, data []byte, end int, text string) int {
	// Nearly always all but its first character stands there as it is.
	if second := end - len(text) + 1; second >= 0 && foldedEqual(data[second:end], text[1:]) {
		if start := f.backwards(s, data[:end], second, text[:1]); start >= 0 {
			return start
		}
	}
	// What was found forwards is found backwards.
	return max(0, end-f.Reach(), f.backwards(s, data[:end], end, text))
}

// backwards returns where a text begins that ends at a place, with all of the lead of an escape,
// and -1 for nowhere.
func (f *Finder) backwards(s *scratch, data []byte, end int, text string) int {
	for i := range s.rests {
		s.rests[i] = s.rests[i][:0]
	}
	s.rests[end%ring] = append(s.rests[end%ring], len(text)) // how much of the text may end at a place
	r := readings{wide: f.wide}                              // those of s are in use
	start := -1
	for from, last := end-1, end; from >= max(0, end-f.Reach(), last-maxEscape); from-- {
		here := s.rests[from%ring][:0]
		read := func(n int, part []byte) {
			for _, size := range s.rests[(from+n)%ring] {
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
		read(1, data[from:from+1])
		if mayEscape(data, from) {
			r.readNested(data[from:])
			for i := range r.all() {
				read(int(r.list[i].n), r.list[i].bytes())
			}
		}
		s.rests[from%ring] = here
	}
	return start
}

func foldedEqual(data []byte, text string) bool {
	for i, b := range data {
		if folded[b] != text[i] {
			return false
		}
	}
	return true
}
