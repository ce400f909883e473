package decode

import "github.com/computclaw/airlock/app/redact/charset"

// What the tables of base 85 say of two bytes. As the first two of a group: what may stand behind
// them in UTF-8; nothing if they can't stand side by side themselves. As the last two: what the
// first of them is; nothing likewise.
const (
	wideLead uint8 = 1 << iota
	wideMore
	plainText
	kinds = wideLead | wideMore | plainText

	asLast = 3 // what they say as the last two, so many bits higher
	closer = 1 << 7
)

// kindOf says what a byte is.
var kindOf = charset.ClassOf(func(c byte) uint8 {
	switch class := textClass(c); {
	case class == 0:
		return 0
	case class == 1<<0:
		return wideLead
	case class == 1<<1:
		return wideMore
	}
	return plainText
})

// twoBytes is the table. The highest bit says that a byte deserves a closer look.
var twoBytes = func() *[1 << 16]uint8 {
	t := new([1 << 16]uint8)
	for i := range t {
		a, b := byte(i>>8), byte(i)
		if textFollows(a, b) {
			t[i] = successors(b) | kindOf[a]<<asLast
		}
		if a == 0 || b == 0 || packs(a, b) || magic[b] {
			t[i] |= closer
		}
	}
	return t
}()

// follows reports whether b may stand behind a in UTF-8 that is text.
func follows(a, b byte) bool { return twoBytes[int(a)<<8|int(b)]&kinds != 0 }

// successors says what may stand behind a byte in UTF-8.
func successors(c byte) uint8 {
	switch kindOf[c] {
	case wideLead:
		return wideMore
	case wideMore:
		return kinds
	}
	return wideLead | plainText
}

// rolls are what is added to the value of a group and taken off again as a digit enters and leaves
// it.
type rolls struct{ enter, leave [256]uint32 }

func newRolls(digit *[256]int8) *rolls {
	r := &rolls{}
	for c, d := range digit {
		if d >= 0 {
			r.enter[c], r.leave[c] = uint32(d), uint32(d)*(85*85*85*85)
		}
	}
	return r
}

// look85 goes through a run of base 85, as look64 does. The value of a group rolls: the digit that
// leaves it is taken off as the next one comes. Of digits that are too large for a group it is
// wrong, which shows when they are decoded.
func (s *sieve) look85(groups uint64) {
	run, table := s.run, twoBytes
	if len(run) < 5 {
		return
	}
	enter, leave := &s.code.rolls.enter, &s.code.rolls.leave
	var n uint32
	for _, c := range run[:4] {
		n = n*85 + enter[c]
	}
	var found uint64
	ends := run[4:]
	begins := run[:len(ends)]
	for i, c := range ends {
		n = n*85 + enter[c]
		first, last := table[n>>16], table[n&0xffff]
		found = found<<1 | uint64(first&(last>>asLast)&kinds+kinds)>>3
		if found&groups == groups && (groups == 1 || s.enough85(i-5)) {
			s.note(i+4, groups)
		}
		if (first|last)&closer != 0 {
			s.closer85(i, n)
		}
		n -= leave[begins[i]]
	}
	s.last85()
}

// last85 looks for zero bytes in the last group at each alignment, if it isn't complete. Of the
// three that it takes, two may be in a group that lacks one byte, and only one in others.
func (s *sieve) last85() {
	var buf [3]byte
	for n := 2; n <= 4 && n < len(s.run); n++ {
		group := len(s.run) - n
		z := &s.zeros[group%5]
		if n < 4 && z[0].before|z[1].before == 0 || z[0].at|z[1].at == 0 {
			continue
		}
		for nth, c := range s.code.unpack85(buf[:0], s.run[group:]) {
			if c == 0 {
				s.zero(place{group, nth})
			}
		}
	}
}

// enough85 reports whether there may be as much text as counts around two groups that are text, the
// first one at an offset: in these, in the group before them and in that behind them. Near the end
// of the run that one may be misread, because the text ends in it: see endings.
func (s *sieve) enough85(at int) bool {
	var buf [8]byte
	run := s.run
	data := s.code.unpack85(buf[:0], run[at:at+10])
	if !follows(data[3], data[4]) {
		return false
	}
	n, first, last := 8, data[0], data[7]
	if at >= 5 {
		before := s.code.unpack85(buf[:0], run[at-5:at])
		for i := 3; i >= 0 && follows(before[i], first); i-- {
			first = before[i]
			n++
		}
	}
	if n >= s.least {
		return true
	}
	if n+s.goesOn85(last, run[at+10:min(at+15, len(run))]) >= s.least {
		return true
	}
	if n+3 < s.least || at+10 < len(run)-maxBeside-4-5 {
		return false
	}
	for k := 4; k >= 2; k-- {
		if at+10+k <= len(run) && n+s.goesOn85(last, run[at+10:at+10+k]) >= s.least {
			return true
		}
	}
	return false
}

// goesOn85 returns how many bytes of a group may go on with a text that ended in a byte.
func (s *sieve) goesOn85(last byte, group []byte) int {
	var buf [4]byte
	data := s.code.unpack85(buf[:0], group)
	for i, c := range data {
		if !follows(last, c) {
			return i
		}
		last = c
	}
	return len(data)
}

// closer85 looks at the four bytes of a group.
func (s *sieve) closer85(group int, w uint32) {
	for nth := range 4 {
		switch c := byte(w >> (24 - 8*nth)); {
		case c == 0:
			s.zero(place{group, nth})
		case !magic[c] || nth < 3 && !packs(c, byte(w>>(16-8*nth))):
		case s.packed(place{group, nth}):
			s.head(place{group, nth})
		}
	}
}
