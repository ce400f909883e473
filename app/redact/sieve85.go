package redact

import "math"

// kinds of bytes in what base 85 stands for.
const (
	kindBad uint8 = iota
	kindLead
	kindMore
	kindText
	kindMask   uint8 = 3
	kindCloser uint8 = 1 << 2
)

var kindOf = classOf(func(c byte) (k uint8) {
	switch class := textClass(c); {
	case class == 0:
		k = kindBad
	case class == 1<<0:
		k = kindLead
	case class == 1<<1:
		k = kindMore
	default:
		k = kindText
	}
	if c == 0 || magic[c] {
		k |= kindCloser
	}
	return k
})

// neighbours has a bit for each two kinds, the first one four times, that may stand side by side in UTF-8.
const neighbours uint16 = 1<<(kindLead<<2|kindMore) | 1<<(kindMore<<2|kindLead) | 1<<(kindMore<<2|kindMore) | 1<<(kindMore<<2|kindText) |
	1<<(kindText<<2|kindLead) | 1<<(kindText<<2|kindText)

// look85 goes through a run of base 85, as look64 does. The value of a group rolls: the digit that leaves it is taken off as the next one comes.
func (s *sieve) look85(groups uint64) {
	const gone = 85 * 85 * 85 * 85 * 85
	digit, run := &s.code.digit, s.run
	var found, n uint64
	for _, c := range run[:min(4, len(run))] {
		n = n*85 + uint64(digit[c])
	}
	var leaves uint64
	for i := 4; i < len(run); i++ {
		n = n*85 + (uint64(digit[run[i]]) - leaves*gone)
		leaves = uint64(digit[run[i-4]])
		w := uint32(min(n, math.MaxUint32))
		a, b, c, d := kindOf[w>>24], kindOf[w>>16&0xff], kindOf[w>>8&0xff], kindOf[w&0xff]
		fits := neighbours >> (a&kindMask<<2 | b&kindMask) & (neighbours >> (b&kindMask<<2 | c&kindMask)) & (neighbours >> (c&kindMask<<2 | d&kindMask)) & 1
		found = found<<1 | uint64(fits)
		if found&groups == groups {
			s.note(i, groups)
		}
		if (a|b|c|d)&kindCloser != 0 {
			s.closer85(i-4, w)
		}
	}
}

// closer85 looks at the four bytes of a group.
func (s *sieve) closer85(group int, w uint32) {
	for nth := range 4 {
		switch c := byte(w >> (24 - 8*nth)); {
		case c == 0:
			s.zero(place{group, nth})
		case !magic[c] || nth < 3 && !packs(c, byte(w>>(16-8*nth))):
		case s.packed(place{group, nth}):
			s.heads = append(s.heads, place{group, nth})
		}
	}
}
