package multimatch

import (
	"encoding/binary"
	"slices"
)

const hashFactor = 0x9E3779B1

// hash hashes four bytes, of which only a head's count.
func (a *Automaton) hash(four uint32) uint32 { return four * a.factor >> a.shift }

// Skip returns the first offset, from on, at which a pattern may begin. Without one it returns the
// first behind which no head fits.
func (a *Automaton) Skip(text []byte, from int) int {
	filter, shift, factor := a.filter, a.shift, a.factor
	mask := uint32(len(filter) - 1)
	for ; from+8 <= len(text); from += 4 {
		w := binary.LittleEndian.Uint64(text[from:])
		h, i := uint32(w)*factor>>shift, uint32(w>>8)*factor>>shift
		j, k := uint32(w>>16)*factor>>shift, uint32(w>>24)*factor>>shift
		if filter[h>>6&mask]>>(h&63)&1 != 0 {
			return from
		}
		if filter[i>>6&mask]>>(i&63)&1 != 0 {
			return from + 1
		}
		if filter[j>>6&mask]>>(j&63)&1 != 0 {
			return from + 2
		}
		if filter[k>>6&mask]>>(k&63)&1 != 0 {
			return from + 3
		}
	}
	for ; from+a.head <= len(text); from++ {
		var four [maxHead]byte
		copy(four[:], text[from:])
		if h := a.hash(binary.LittleEndian.Uint32(four[:])); filter[h>>6]>>(h&63)&1 != 0 {
			return from
		}
	}
	return from
}

// Begun returns how many last bytes, fewer than a head, begin a pattern.
func (a *Automaton) Begun(text []byte) int {
	for n := min(a.head-1, len(text)); n > 0; n-- {
		var low uint32
		for _, b := range text[len(text)-n:] {
			low = low<<8 | uint32(b)
		}
		unknown := 8 * (maxHead - n)
		low <<= unknown
		at, _ := slices.BinarySearch(a.sorted, low)
		if at < len(a.sorted) && a.sorted[at]-low < 1<<unknown {
			return n
		}
	}
	return 0
}

// Each calls found for every pattern in a text, ordered by end, with the offset behind it. It
// returns how many last bytes begin a pattern.
func (a *Automaton) Each(text []byte, found func(e End, to int)) (begun int) {
	var s State
	var last uint32
	for i := 0; i < len(text); i++ {
		if s == 0 {
			from := a.Skip(text, max(i-a.head+1, 0))
			if i = from + a.head - 1; i >= len(text) {
				break
			}
			last = 0
			for _, b := range text[from:i] {
				last = Roll(last, b)
			}
		}
		last = Roll(last, text[i])
		if s = a.Step(s, text[i], last); s == 0 {
			continue
		}
		for e := a.End(s); e != 0; e = a.Shorter(e) {
			found(e, i+1)
		}
	}
	if open := a.Open(s); open != 0 {
		return a.Len(open)
	}
	return a.Begun(text)
}
