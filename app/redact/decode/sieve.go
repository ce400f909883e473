package decode

import (
	"math/bits"

	"github.com/computclaw/airlock/app/redact/charset"
	"github.com/computclaw/airlock/app/redact/derived"
)

// sieve finds, in a run of base64 or base 85, the few places that may stand for text or for
// compressed data, at all alignments in one pass. Only these are decoded.
type sieve struct {
	code    *Code
	run     []byte
	parts   [5][]derived.Window // by alignment: what may be text
	zeros   [5][2]zeros         // by alignment and which byte of two it is
	heads   []place             // with which compressed data may begin
	least   int                 // bytes of text that must stand together
	touched bool                // something was taken note of in the run
}

// zeros are the places of the last zero bytes, in bytes, and one more; 0 for none.
type zeros struct {
	at     int // of the last one
	before int // of the one before it, if it is near
}

// place is a byte of a run: the first digit of its group, and which of the group's bytes it is.
type place struct{ group, nth int }

// Two digits that follow each other have all of one byte and a part of the next, at three of the
// four alignments. pairs says of them as the first two of a group: what the second byte may be so
// that both are text; as the last two: what the second byte may be so that it and the third are;
// and whether there is a byte among them that deserves a closer look.
var pairs = func() *[1 << 12]uint16 {
	t := new([1 << 12]uint16)
	for i := range t {
		a, b := byte(i>>6), byte(i&63)
		first, middle, last := a<<2|b>>4, a<<4|b>>2, a<<6|b
		var head, tail uint16
		for second := range 256 {
			c := byte(second)
			if c>>4 == b&15 && textFollows(first, c) {
				head |= textClass(c)
			}
			if c&15 == a>>2 && textFollows(c, last) {
				tail |= textClass(c)
			}
		}
		t[i] = head | tail<<8
		if first == 0 || middle == 0 || last == 0 || mayPackBehind(first, b<<4, 0xf0) ||
			mayPackBehind(middle, b<<6, 0xc0) || magic[last] {
			t[i] |= pairCloser
		}
	}
	return t
}()

// mayPackBehind reports whether compressed data may begin with a byte and one of which some bits
// are known.
func mayPackBehind(first, bits, known byte) bool {
	for second := range 256 {
		if byte(second)&known == bits&known && packs(first, byte(second)) {
			return true
		}
	}
	return false
}

const (
	pairText   = 1<<6 - 1
	pairCloser = 1 << 6
)

// textClass says in which of six ways a byte is part of text; 0 if it can't be. ASCII has four:
// what is known of one half of a byte must not let the other half be anything.
func textClass(c byte) uint16 {
	switch {
	case c >= 0xc2 && c <= 0xf4:
		return 1 << 0
	case c >= 0x80 && c < 0xc0:
		return 1 << 1
	case c >= 0x80 || !derived.IsText[c]:
		return 0
	case c >= 0x70:
		return 1 << 2
	case c >= 0x20:
		return 1 << 3
	case c >= 0x10:
		return 1 << 4
	}
	return 1 << 5
}

// textFollows is follows, worked out.
func textFollows(a, b byte) bool {
	const lead, more = 1 << 0, 1 << 1
	before, after := textClass(a), textClass(b)
	switch {
	case before == 0 || after == 0:
		return false
	case before == lead:
		return after == more
	case after == more:
		return before == more
	}
	return true
}

// forget makes room for the next run. Of most there is nothing to forget.
func (s *sieve) forget() {
	if !s.touched {
		return
	}
	s.touched, s.heads, s.zeros = false, s.heads[:0], [5][2]zeros{}
	for i := range s.parts {
		s.parts[i] = s.parts[i][:0]
	}
}

// look goes through a run; least is how much text must stand together.
func (s *sieve) look(c *Code, run []byte, least int) {
	s.code, s.run, s.least = c, run, least
	s.forget()
	switch {
	case c.Bits == 0 && least >= 11:
		s.look85(1<<5 | 1)
	case c.Bits == 0:
		s.look85(1)
	case least >= 11:
		s.look64(1<<8 | 1<<4 | 1)
	default:
		s.look64(1<<4 | 1)
	}
}

// look64 goes through a run of base64. So many groups, one behind the other, must look like text: a
// bit for each.
func (s *sieve) look64(groups uint64) {
	digit, run := &s.code.Digit, s.run
	var found uint64 // by its lowest bits: the groups that end here, one digit before, …
	var before, first uint16
	last := uint32(digit[run[0]])
	for i, c := range run[1:] { // i is of the first of the two digits
		d := uint32(digit[c])
		pair := pairs[(last<<6|d)&0xfff]
		last = d
		found = found<<1 | (uint64(first&(pair>>8))&pairText+pairText)>>6
		first, before = before, pair
		if found&groups == groups {
			s.note(i+1, groups)
		}
		if pair&pairCloser != 0 {
			s.closer(i)
		}
	}
}

// note takes down that the groups which end at digit i may be text, and with them what may be the
// beginning and the end of it.
func (s *sieve) note(i int, groups uint64) {
	size := int(s.code.group.Chars)
	s.keep(i+1-bits.Len64(groups)+1-2*size, i+1+size)
}

// keep adds a window, or makes the last ones longer.
func (s *sieve) keep(from, to int) {
	size := int(s.code.group.Chars)
	shift := (from%size + size) % size
	from, to = max(from, shift), min(to, len(s.run))
	s.touched = true
	list := s.parts[shift]
	n := len(list)
	for ; n > 0 && from <= list[n-1].To; n-- {
		from, to = min(from, list[n-1].From), max(to, list[n-1].To)
	}
	s.parts[shift] = append(list[:n], derived.Window{From: from, To: to})
}

// closer looks at the three bytes that a pair of digits may have, and at what would follow each.
func (s *sieve) closer(at int) {
	digit := func(i int) byte {
		if i >= len(s.run) {
			return 0 // nothing begins so near the end
		}
		return byte(s.code.Digit[s.run[i]])
	}
	a, b, c, d := digit(at), digit(at+1), digit(at+2), digit(at+3)
	bytes := [3]byte{a<<2 | b>>4, a<<4 | b>>2, a<<6 | b}
	behind := [3]byte{b<<4 | c>>2, b<<6 | c, c<<2 | d>>4}
	for nth, first := range bytes {
		switch p := (place{at - nth, nth}); {
		case p.group < 0:
			return
		case first == 0:
			s.zero(p)
		case packs(first, behind[nth]) && s.packed(p):
			s.head(p)
		}
	}
}

// zero takes note of a zero byte. Three of them as near to each other as they are in UTF-16 that
// isn't foreign throughout make a window: derived.MinStretch units have as many, see
// derived.Builder.AddReadable.
func (s *sieve) zero(p place) {
	const reach = 2 * (charset.MaxForeign + 1) // bytes
	size, bytes := int(s.code.group.Chars), int(s.code.group.Bytes)
	shift := p.group % size
	now := zeros{at: p.group/size*bytes + p.nth + 1}
	s.touched = true
	last := &s.zeros[shift][now.at&1]
	if last.at > 0 && now.at-last.at <= reach {
		now.before = last.at
		if last.before > 0 {
			digits := (reach/bytes + 1) * size
			s.keep((last.before-1)/bytes*size+shift-digits, p.group+size+digits)
		}
	}
	*last = now
}

// head takes note of where compressed data may begin.
func (s *sieve) head(p place) {
	s.touched = true
	s.heads = append(s.heads, p)
}

// packed reports whether what begins at a place looks like compressed data.
func (s *sieve) packed(p place) bool {
	var buf [20]byte
	run, size := s.run[p.group:], int(s.code.group.Chars)
	head := s.code.unpack(buf[:0], run[:min(2*size, len(run))])[p.nth:]
	if len(head) < 2 || !packs(head[0], head[1]) {
		return false
	}
	return looksPacked(s.code.unpack(buf[:0], run[:min(4*size, len(run))])[p.nth:])
}
