package redact

// region is a place to be masked, as offsets into the whole text. Regions of a scan are ordered and don't overlap.
type region struct {
	start, end int
	owner      int32  // value of a needle that fills the region; none if no single one does
	show       string // what that needle's mask may show
	quiet      int32  // as in output
}

// mask is what replaces the region.
func (g region) mask() string {
	if g.show == "" || (g.quiet != none && g.quiet != g.owner) {
		return "[REDACTED]"
	}
	return "[REDACTED..." + g.show + "]"
}

// scan runs a machine over a text that comes in pieces.
type scan struct {
	machine  *machine
	at       int32 // node
	pos      int   // bytes taken
	regions  []region
	runs     runs   // in which the last region goes on
	letWords bool   // needles that count only as words don't count
	open     bool   // candidate ends at pos and counts if no word character follows
	word     region // the candidate
}

// take scans buf[from:]. buf begins at offset base of the whole text and has at least one byte before every needle that may end here.
func (s *scan) take(buf []byte, base, from int) {
	at := s.at
	for i, b := range buf[from:] {
		if s.open || s.runs != 0 {
			s.follow(buf, base, b)
		}
		at = s.machine.next(at, b)
		s.pos++
		if out := s.machine.nodes[at].output; out != 0 {
			s.found(&s.machine.outputs[out], buf[:from+i+1], base)
		}
	}
	s.at = at
}

// follow settles what waited for the next byte.
func (s *scan) follow(buf []byte, base int, b byte) {
	if s.open {
		s.open = false
		if !(isWord(b) && isWord(buf[s.word.end-1-base])) {
			s.hit(s.word)
		}
	}
	if s.runs &= s.machine.classes[b]; s.runs != 0 {
		s.regions[len(s.regions)-1].end = s.pos + 1
	}
}

// found takes note of what ends at the end of buf.
func (s *scan) found(out *output, buf []byte, base int) {
	for _, w := range out.words {
		if s.letWords {
			break
		}
		start := len(buf) - w.length
		if isWord(buf[start]) && start > 0 && isWord(buf[start-1]) {
			continue
		}
		s.open = true
		s.word = region{start: base + start, end: s.pos, owner: w.owner, quiet: w.owner}
		break // shorter ones end at the same byte and lie within
	}
	if out.length > 0 {
		s.hit(region{start: s.pos - out.length, end: s.pos, owner: out.owner, show: out.show, quiet: out.quiet})
		s.runs |= out.runs
	}
}

// hit adds a region; none that is there ends after it.
func (s *scan) hit(h region) {
	for n := len(s.regions); n > 0 && s.regions[n-1].end > h.start; n-- {
		h = union(s.regions[n-1], h)
		s.regions = s.regions[:n-1]
	}
	s.regions = append(s.regions, h)
}

func union(old, h region) region {
	u := region{start: min(old.start, h.start), end: max(old.end, h.end), owner: none, quiet: mix(old.quiet, h.quiet)}
	for _, g := range []region{old, h} {
		if g.start == u.start && g.end == u.end && g.owner != none && u.show == "" {
			u.owner, u.show = g.owner, g.show
		}
	}
	return u
}

// settled returns the offset before which nothing can change any more.
func (s *scan) settled() int {
	settled := s.pos - int(s.machine.nodes[s.at].hold)
	if s.open {
		settled = min(settled, s.word.start)
	}
	return settled
}

// final reports whether region i can't grow any more, given what is settled.
func (s *scan) final(i, settled int) bool {
	growing := s.runs != 0 && i == len(s.regions)-1
	return s.regions[i].end <= settled && !growing
}

// end settles everything: no byte follows.
func (s *scan) end() {
	if s.open {
		s.hit(s.word)
	}
	s.open, s.runs, s.at = false, 0, 0
}

func isWord(b byte) bool {
	return b == '_' || ('0' <= b && b <= '9') || ('a' <= b && b <= 'z') || ('A' <= b && b <= 'Z')
}
