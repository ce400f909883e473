package match

// foundTail adds a match if the tail follows a pattern that ends at a place.
func (f *Finder) foundTail(s *scratch, data []byte, at int, e *entry) {
	end, text := at, make([]byte, 0, f.tail.length)
	r := readings{wide: f.wide, blanks: f.blanks} // those of s are in use
	for passed := 0; len(text) < f.tail.length; {
		c, n := f.tailCharacter(&r, data[end:])
		if passed += n; n == 0 || c == 0 && passed > maxPassed {
			if s.open && n == 0 && len(data)-end <= maxEscape {
				s.matches = append(s.matches, Match{Start: f.locate(s, data, at, e), End: len(data), Pattern: begun})
			}
			return
		}
		if end += n; c != 0 {
			text, passed = append(text, c), 0
		}
	}
	s.matches = append(s.matches, Match{
		Start: f.locate(s, data, at, e), End: end, Pattern: e.pattern, Tail: string(text),
	})
}

// tailCharacter reads a character of the tail: 0 for skipped bytes, n 0 for none.
func (f *Finder) tailCharacter(r *readings, data []byte) (c byte, n int) {
	if len(data) == 0 {
		return 0, 0
	}
	if c := folded[data[0]]; f.tail.alphabet[c] {
		return c, 1
	}
	r.readNested(data)
	for _, v := range r.all() { // the longest, or the end of an escape would be left
		if v.size == 1 && int(v.n) > n && f.tail.alphabet[folded[v.text[0]]] {
			c, n = folded[v.text[0]], int(v.n)
		}
	}
	if n > 0 {
		return c, n
	}
	for _, v := range r.all() {
		if v.size == 0 {
			n = int(v.n)
		}
	}
	return 0, n
}
