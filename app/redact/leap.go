package redact

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// maxLeap is how many bytes are passed over at once where no needle is.
const maxLeap = 4

// leaper tells where needles that count anywhere may begin in a whole text. It looks at the four bytes at every few offsets only: a needle has such bytes at each of
// its first offsets, so wherever it begins, one of these is looked at.
type leaper struct {
	step   int // bytes from one to the next; 1: there is a needle too short to do better
	filter []uint64
	shift  uint32
}

func newLeaper(needles []needle) leaper {
	l := leaper{step: maxLeap}
	for _, n := range needles {
		if !n.word {
			l.step = min(l.step, len(n.text)-headLen+1)
		}
	}
	if l.step < 2 {
		return l
	}
	n := len(needles) * l.step
	width := min(max(bits.Len(uint(n))+5, 10), 22)
	l.shift = uint32(32 - width)
	l.filter = make([]uint64, 1<<(width-6))
	for _, n := range needles {
		for at := 0; at < l.step && !n.word; at++ {
			h := headOf(n.text[at:]) * hashFactor >> l.shift
			l.filter[h>>6] |= 1 << (h & 63)
		}
	}
	return l
}

// leap is skip for needles that count anywhere. A needle may be broken into lines behind its head, so before a line break every offset is looked at.
func (s *scan) leap(text []byte, from int) int {
	l := &s.machine.leaper
	if l.step < 2 {
		return s.machine.skip(text, from)
	}
	filter, shift, mask := l.filter, l.shift, uint32(len(l.filter)-1)
	for {
		first := s.breaks.next(text, from)
		p := from + l.step - 1
		for ; p+headLen <= len(text) && p+2*headLen <= first; p += l.step {
			h := binary.BigEndian.Uint32(text[p:]) * hashFactor >> shift
			if filter[h>>6&mask]>>(h&63)&1 == 0 {
				continue
			}
			if at := s.machine.anyHead(text, p-l.step+1, p+1); at >= 0 {
				return at
			}
		}
		if at := s.machine.anyHead(text, p-l.step+1, first+1); at >= 0 {
			return at
		}
		if first+headLen > len(text) {
			return max(len(text)-headLen+1, from)
		}
		from = first + 1
	}
}

// anyHead returns the first of some offsets at which four bytes may begin a needle, or -1.
func (m *machine) anyHead(text []byte, from, to int) int {
	for ; from < to && from+headLen <= len(text); from++ {
		if h := binary.BigEndian.Uint32(text[from:]) * hashFactor >> m.shift; m.filter[h>>6]>>(h&63)&1 != 0 {
			return from
		}
	}
	return -1
}

// breakBytes are the bytes with which a line break may begin.
const breakBytes = "\r\n\\"

// breakPlaces are the offsets of the next of each of them, at least from where they were looked for; behind the text if there is none.
type breakPlaces struct {
	known bool
	at    [len(breakBytes)]int
}

// next returns the offset of the first byte of at least from with which a line break may begin, or the length of the text. What it is asked for must not go back.
func (b *breakPlaces) next(text []byte, from int) int {
	first := len(text)
	for i := range b.at {
		if !b.known || b.at[i] < from {
			if b.at[i] = bytes.IndexByte(text[from:], breakBytes[i]); b.at[i] < 0 {
				b.at[i] = len(text)
			} else {
				b.at[i] += from
			}
		}
		first = min(first, b.at[i])
	}
	b.known = true
	return first
}
