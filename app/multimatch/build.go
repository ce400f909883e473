package multimatch

import (
	"math/bits"
	"slices"
	"sync/atomic"
)

// maxHead is the most bytes looked up at once. No pattern may be shorter than its automaton's head.
const maxHead = 4

// New returns an Automaton and the End of each text. head: 1 to 4, at most the shortest text's
// bytes.
//
// A longer head makes Skip pass over more. Texts that begin alike take least memory with the
// longest first.
func New(head int, texts []string) (*Automaton, []End) {
	states := 1
	for _, text := range texts {
		states += len(text) + 3 - head
	}
	drop := uint32(8 * (maxHead - head))
	a := &Automaton{
		head: head, drop: drop, factor: hashFactor << drop,
		chars: make([]uint16, 1, states+1), depth: make([]int32, 1, states+1),
		heads: newTable[uint32](len(texts)), next: newTable[uint64](2 * len(texts)),
		ends: make([]State, 1, len(texts)+1),
	}
	a.chars[0] = gap
	ends := make([]End, len(texts))
	for i, text := range texts {
		ends[i] = a.insert(text)
	}
	a.chars = append(a.chars, gap)
	a.links = make([]atomic.Uint64, len(a.chars))
	a.makeFilter()
	return a, ends
}

func (a *Automaton) insert(text string) End {
	s, i := a.descend(text)
	if i < len(text) {
		s = a.grow(s, text, i)
	}
	key := uint64(s)<<9 | endKey
	end := a.next.get(key)
	if end == 0 {
		end = uint32(len(a.ends))
		a.ends = append(a.ends, s)
		a.next.put(key, end)
		a.chars[s] |= ends
	}
	return End(end)
}

// descend follows existing patterns along a text. It returns the last state and its number of
// bytes.
func (a *Automaton) descend(text string) (s State, i int) {
	s = State(a.heads.get(a.headOf(text)))
	if s == 0 {
		return 0, 0
	}
	for i = a.head; i < len(text); i++ {
		if a.Follows(s, text[i]) {
			s++
		} else if c := a.Branch(s, text[i]); c != 0 {
			s = c
		} else {
			break
		}
	}
	return s, i
}

func (a *Automaton) grow(s State, text string, from int) State {
	first := uint32(len(a.chars))
	a.depth[first-1] = int32(s)
	if s == 0 {
		a.depth[first-1] = int32(a.headOf(text))
		a.heads.put(a.headOf(text), first)
		from = a.head - 1
	} else {
		a.chars[s] |= branches
		a.next.put(uint64(s)<<9|uint64(text[from]), first)
	}
	for i := from; i < len(text); i++ {
		a.chars = append(a.chars, uint16(text[i]))
		a.depth = append(a.depth, int32(i+1))
	}
	a.chars = append(a.chars, gap)
	a.depth = append(a.depth, 0)
	return State(len(a.chars) - 2)
}

func (a *Automaton) headOf(text string) uint32 {
	var head uint32
	for i := range a.head {
		head |= uint32(text[i]) << (8 * i)
	}
	return head
}

// makeFilter makes what Skip and Begun look at.
func (a *Automaton) makeFilter() {
	for i, v := range a.heads.values {
		if v != 0 {
			a.sorted = append(a.sorted, bits.ReverseBytes32(a.heads.keys[i]))
		}
	}
	slices.Sort(a.sorted)
	width := min(max(bits.Len(uint(len(a.sorted)))+6, 10), 22)
	a.shift = uint32(32 - width)
	a.filter = make([]uint64, 1<<(width-6))
	for _, head := range a.sorted {
		h := a.hash(bits.ReverseBytes32(head))
		a.filter[h>>6] |= 1 << (h & 63)
	}
}
