package match

// Sizes of a search, in bytes.
const (
	window    = 64 << 10 // besides what a match may reach beyond it
	maxLayout = 64 << 10 // blanks that it holds in addition
)

// maxPasses bounds how often a window's bytes are read. Only text made for it takes more than 20.
const maxPasses = 48

// Scanner finds matches in a text that comes in pieces, within a window.
//
// A line that ends with a top-level object's brace divides the text: no match crosses it. A match
// may overlap an earlier one and extend behind Settled.
type Scanner struct {
	Events bool // an empty line divides the text, too

	finder  *Finder
	data    []byte // what is not settled, and a little before it
	from    int    // where data begins in the text
	done    int    // how much of data is settled
	covered int    // where the last of the matches that were returned ends, in data
	before  byte   // what stands before data
	divider divider
	ends    []int // the places at which data is divided
	due     int   // the length of data at which Closed looks again
	full    int   // the length of data at which Write looks again
}

// Scanner returns a Scanner of a new text.
func (f *Finder) Scanner() *Scanner { return &Scanner{finder: f} }

// Find returns all matches in a text, by their beginning.
func (f *Finder) Find(text []byte) []Match {
	if f.IsEmpty() {
		return nil
	}
	s := f.Scanner()
	return append(s.Write(text), s.Close()...)
}

// Write adds a piece and returns the matches that a full window settled.
func (s *Scanner) Write(piece []byte) (found []Match) {
	most := window + s.finder.Reach()
	for len(piece) > 0 {
		n := min(len(piece), max(most-len(s.data), window/4))
		s.data = append(s.data, piece[:n]...)
		piece = piece[n:]
		if s.ends = s.divider.divide(s.ends, s.data, s.Events); s.finder.spans {
			s.ends = s.ends[:0]
		}
		if len(s.data) < max(most, s.full) {
			continue
		}
		s.full = len(s.data) + window/4
		if safe := len(s.data) - s.finder.countHeld(s.data); safe-s.done >= window/4 {
			found = append(found, s.settle(safe)...)
		}
	}
	return found
}

// Close returns the matches that are left.
func (s *Scanner) Close() []Match { return s.settle(len(s.data)) }

// Settled returns the place before which all returned matches begin.
func (s *Scanner) Settled() int { return s.from + s.done }

// Settle returns the matches before a place of Open or Closed.
func (s *Scanner) Settle(at int) []Match { return s.settle(at - s.from) }

// Open returns the place before which no match can begin or continue. It reveals how much of a
// pattern was begun.
func (s *Scanner) Open() int {
	at := s.lastEnd()
	before := s.before
	if at > 0 {
		before = s.data[at-1]
	}
	return s.from + max(s.done, at+s.finder.open(s.data[at:], before))
}

// Closed returns the place before which every match is complete. It depends on lengths, blanks and
// lines only, never on how much of a pattern was begun. Otherwise an author of the last bytes could
// find a pattern byte by byte, from the timing.
func (s *Scanner) Closed() int {
	safe := max(s.done, s.lastEnd())
	if len(s.data) < s.due {
		return s.from + safe
	}
	held := s.finder.countHeld(s.data)
	// Otherwise small pieces would search all held bytes again.
	if more := held + held/4 - (len(s.data) - s.done); more > 0 {
		s.due = len(s.data) + more
		return s.from + safe
	}
	return s.from + max(safe, len(s.data)-held)
}

func (s *Scanner) lastEnd() int {
	if len(s.ends) == 0 {
		return 0
	}
	return s.ends[len(s.ends)-1]
}

// settle returns the matches that begin in data's first safe bytes, and drops those bytes.
func (s *Scanner) settle(safe int) (found []Match) {
	if safe <= s.done {
		return nil
	}
	before, start, covered := s.before, 0, s.covered
	for _, end := range append(s.ends, len(s.data)) {
		if start >= safe || start == end {
			continue
		}
		for _, m := range s.finder.findIn(s.data[start:end], before) {
			m.Start, m.End = m.Start+start, m.End+start
			if m.Start < s.done && m.End <= s.covered || m.Start >= safe {
				continue
			}
			covered = max(covered, m.End)
			m.Start, m.End = max(m.Start, s.done)+s.from, m.End+s.from // the beginning may have been returned
			found = append(found, m)
		}
		before, start = s.data[end-1], end
	}
	s.covered = covered
	s.drop(max(0, safe-maxEscape))
	s.done, s.due, s.full = min(safe, maxEscape), 0, 0
	return found
}

// drop takes the first bytes off data.
func (s *Scanner) drop(n int) {
	if n == 0 {
		return
	}
	s.before = s.data[n-1]
	s.from += n
	s.covered -= n
	s.divider.at -= n
	ends := s.ends[:0]
	for _, end := range s.ends {
		if end > n {
			ends = append(ends, end-n)
		}
	}
	s.ends = ends
	s.data = s.data[:copy(s.data, s.data[n:])]
}

// Reach is the longest match in bytes. Blanks behind blanks or line breaks don't count: hosts
// indent lines.
func (f *Finder) Reach() int {
	return (maxEscape + maxPassed) * max(f.longest+f.tail.length, f.words.most)
}

// countHeld returns how many last bytes may belong to a match that continues.
func (f *Finder) countHeld(data []byte) int {
	at, left, layout := len(data), f.Reach(), maxLayout
	for ; at > 0 && left > 0; at-- {
		if layout > 0 && isSqueezed(data[:at]) {
			layout--
		} else {
			left--
		}
	}
	return len(data) - at
}

// isSqueezed reports whether the last byte is a blank behind a blank or line break.
func isSqueezed(data []byte) bool {
	n := len(data)
	return n > 1 && (data[n-1] == ' ' || data[n-1] == '\t') &&
		(data[n-2] == ' ' || data[n-2] == '\t' || data[n-2] == '\n')
}
