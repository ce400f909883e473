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
	runs     runs // in which the region that ends at runEnd goes on
	runEnd   int
	left     left
	lines    newline
	folded   folded
	letWords bool   // needles that count only as words don't count
	open     bool   // candidate ends at pos and counts if no word character follows
	word     region // the candidate
}

// take scans buf[from:]. buf begins at offset base of the whole text and has at least one byte before every needle that may end here.
func (s *scan) take(buf []byte, base, from int) {
	at := s.at
	for i, b := range buf[from:] {
		if s.lines.length > 0 || s.machine.classes[b]&lineBreak != 0 {
			s.lines.take(b)
		}
		if s.open || s.runs != 0 {
			s.follow(buf, base, b)
		}
		before := at
		at = s.machine.next(at, b)
		s.pos++
		if s.folded.on || s.lines.length > 0 {
			s.fold(before, at, b)
		}
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
	if s.runs != 0 {
		s.goOn(b)
	}
}

// goOn makes the region of a run longer, or ends the run.
func (s *scan) goOn(b byte) {
	switch {
	case s.lines.length > maxBreak || s.lines.literal > 0:
		s.runs = 0
	case s.lines.length > 0:
		s.runs &= s.left.crossing()
	default:
		if s.runs &= s.machine.classes[b]; s.runs != 0 {
			s.hit(region{start: s.runEnd - 1, end: s.pos + 1, owner: none, quiet: none})
			s.runEnd = s.pos + 1
			s.left.base64--
			s.left.hex--
		}
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
		s.begin(out)
	}
}

// begin takes note of the runs that begin with what ends at pos.
func (s *scan) begin(out *output) {
	if out.runs == 0 {
		return
	}
	if s.runs&runBase64 == 0 {
		s.left.base64 = 0
	}
	if s.runs&runHex == 0 {
		s.left.hex = 0
	}
	s.left = s.left.max(out.left)
	s.runs |= out.runs
	s.runEnd = s.pos
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
	if s.folded.on {
		settled = min(settled, s.pos-s.folded.span(s.machine.nodes[s.folded.at].hold))
	}
	if s.runs != 0 {
		settled = min(settled, s.runEnd) // what follows, a line break, may become part of the region or not
	}
	return settled
}

// final reports whether region i can't grow any more, given what is settled.
func (s *scan) final(i, settled int) bool {
	growing := s.runs != 0 && s.regions[i].end >= s.runEnd
	return s.regions[i].end <= settled && !growing
}

// end settles everything: no byte follows.
func (s *scan) end() {
	if s.open {
		s.hit(s.word)
	}
	s.open, s.runs, s.at, s.folded.on = false, 0, 0, false
}

// endCut settles everything where more would have followed: what may begin a secret is taken for one.
func (s *scan) endCut() {
	if start := s.settled(); s.pos-start >= minValue {
		s.hit(region{start: start, end: s.pos, owner: none, quiet: several})
	}
	s.end()
}

func isWord(b byte) bool {
	return b == '_' || ('0' <= b && b <= '9') || ('a' <= b && b <= 'z') || ('A' <= b && b <= 'Z')
}
