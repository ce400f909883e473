package redact

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"sync/atomic"
)

// headLen is how many bytes of a needle are looked up at once. No needle is shorter.
const headLen = 4

// Flags beside a state's byte.
const (
	branches uint16 = 1 << 8 // other needles go on differently behind it: see next
	ends     uint16 = 1 << 9 // a needle ends here
	gap      uint16 = 1 << 11
)

// machine is an Aho-Corasick automaton over all needles. A state stands for the longest suffix of the text, of headLen bytes or
// more, that begins a needle; 0 stands for none. States that follow each other in a needle follow each other here, so
// building one is hardly more than copying the needles, and running along a needle is comparing bytes.
//
// What follows from a mismatch is worked out when a text first gets there and then kept, so a Redactor that meets ordinary text
// never pays for it. Both building and running take time linear in the needles and the text. Safe for concurrent use once it is built.
type machine struct {
	values []value
	forms  []form

	chars []uint16 // by state: its last byte and flags; between needles a gap
	depth []int32  // by state: its length; of the gap before a tail: the state it branches from, or the bytes of its head
	links []uint64 // by state, once known: 1 + the state of the longest proper suffix, and (shifted) the output of the longest suffix that ends a needle

	heads   map32 // first bytes of needles, to states
	next    map64 // state and byte to state; state and endKey to output
	outputs []output
	sums    []atomic.Pointer[output] // by output: that of the state and of all its suffixes

	sorted []uint32 // heads in order
	filter []uint64 // bit set: the hash of a head
	shift  uint32
	leaper leaper

	fragments *fragments // nil: none
}

// endKey stands for a byte in the key under which next has a state's output.
const endKey = 1 << 8

func newMachine(values []value, needles []needle) *machine {
	size := 1
	for _, n := range needles {
		size += len(n.text) + 2 - headLen + 1
	}
	m := &machine{values: values, chars: make([]uint16, 1, size+1), depth: make([]int32, 1, size+1), heads: newMap32(len(needles)), next: newMap64(2 * len(needles))}
	m.chars[0] = gap
	m.forms = make([]form, 0, len(needles))
	m.outputs = make([]output, 1, len(needles)+1)
	m.lay(needles)
	for _, n := range needles {
		m.insert(n)
	}
	m.chars = append(m.chars, gap)
	m.links = make([]uint64, len(m.chars))
	m.sums = make([]atomic.Pointer[output], len(m.outputs))
	m.sift()
	m.leaper = newLeaper(needles)
	return m
}

// lay makes the states of values as they are, the longest first: where one begins with another, both are one row of states.
func (m *machine) lay(needles []needle) {
	var raw []string
	for _, n := range needles {
		if n.encoding == "" {
			raw = append(raw, n.text)
		}
	}
	slices.SortFunc(raw, func(a, b string) int { return len(b) - len(a) })
	for _, text := range raw {
		m.states(text)
	}
}

// states returns the last state of a text, which it makes if it isn't there.
func (m *machine) states(text string) uint32 {
	s, i := m.descend(text)
	if i < len(text) {
		s = m.grow(s, text, i)
	}
	return s
}

func (m *machine) insert(n needle) {
	m.forms = append(m.forms, n.form)
	s := m.states(n.text)
	key := uint64(s)<<9 | endKey
	at := m.next.get(key)
	if at == 0 {
		at = uint32(len(m.outputs))
		m.outputs = append(m.outputs, output{state: s, form: none, looseForm: none, quiet: none})
		m.next.put(key, at)
		m.chars[s] |= ends
	}
	m.outputs[at] = combine(m.outputs[at], n.output(int32(len(m.forms)-1)))
}

// descend follows the needles that are there and returns the last state and how many bytes it stands for; 0 and 0 if there is none.
func (m *machine) descend(text string) (s uint32, i int) {
	s = m.heads.get(headOf(text))
	if s == 0 {
		return 0, 0
	}
	for i = headLen; i < len(text); i++ {
		c := m.child(s, text[i])
		if c == 0 {
			break
		}
		s = c
	}
	return s, i
}

// grow adds the rest of a needle behind a state and returns the last one.
func (m *machine) grow(s uint32, text string, from int) uint32 {
	first := uint32(len(m.chars))
	m.depth[first-1] = int32(s)
	if s == 0 {
		m.depth[first-1] = int32(headOf(text))
		m.heads.put(headOf(text), first)
		from = headLen - 1
	} else {
		m.chars[s] |= branches
		m.next.put(uint64(s)<<9|uint64(text[from]), first)
	}
	for i := from; i < len(text); i++ {
		m.chars = append(m.chars, uint16(text[i]))
		m.depth = append(m.depth, int32(i+1))
	}
	m.chars = append(m.chars, gap)
	m.depth = append(m.depth, 0)
	return uint32(len(m.chars) - 2)
}

// child returns the state with one more byte of a needle, or 0.
func (m *machine) child(s uint32, b byte) uint32 {
	if m.chars[s+1]&(gap|0xff) == uint16(b) {
		return s + 1
	}
	if m.chars[s]&branches != 0 {
		return m.next.get(uint64(s)<<9 | uint64(b))
	}
	return 0
}

// length returns how many bytes a state stands for.
func (m *machine) length(s uint32) int {
	if s == 0 {
		return 0
	}
	return int(m.depth[s])
}

// open returns the longest suffix of a state, itself included, behind which a needle goes on.
func (m *machine) open(s uint32) uint32 {
	for s != 0 && m.isLeaf(s) {
		s = m.fail(s)
	}
	return s
}

// isLeaf reports whether no needle goes on behind a state.
func (m *machine) isLeaf(s uint32) bool { return m.chars[s+1]&gap != 0 && m.chars[s]&branches == 0 }

// step returns the state after one more byte; last are the last four bytes, that one included, the first one highest.
func (m *machine) step(s uint32, b byte, last uint32) uint32 {
	if s != 0 && m.chars[s+1]&(gap|0xff) == uint16(b) {
		return s + 1
	}
	return m.turn(s, b, last)
}

// turn is step where the needle at hand doesn't go on with that byte.
func (m *machine) turn(s uint32, b byte, last uint32) uint32 {
	for s != 0 {
		if m.chars[s]&branches != 0 {
			if c := m.next.get(uint64(s)<<9 | uint64(b)); c != 0 {
				return c
			}
		}
		if s = m.fail(s); s != 0 && m.chars[s+1]&(gap|0xff) == uint16(b) {
			return s + 1
		}
	}
	return m.head(last)
}

// head returns the state of four bytes that begin a needle, or 0.
func (m *machine) head(four uint32) uint32 {
	h := four * hashFactor >> m.shift
	if m.filter[h>>6]>>(h&63)&1 == 0 {
		return 0
	}
	return m.heads.get(four)
}

const hashFactor = 0x9E3779B1

// sift makes what tells at once that four bytes begin no needle.
func (m *machine) sift() {
	for i, v := range m.heads.values {
		if v != 0 {
			m.sorted = append(m.sorted, m.heads.keys[i])
		}
	}
	slices.Sort(m.sorted)
	width := min(max(bits.Len(uint(len(m.sorted)))+6, 10), 22)
	m.shift = uint32(32 - width)
	m.filter = make([]uint64, 1<<(width-6))
	for _, four := range m.sorted {
		h := four * hashFactor >> m.shift
		m.filter[h>>6] |= 1 << (h & 63)
	}
}

// skip returns the first offset of at least from where four bytes of text may begin a needle, or len(text)-3 if there is none.
func (m *machine) skip(text []byte, from int) int {
	filter, shift := m.filter, m.shift
	mask := uint32(len(filter) - 1)
	for ; from+8 <= len(text); from += 4 {
		w := binary.BigEndian.Uint64(text[from:])
		a, b := uint32(w>>32)*hashFactor>>shift, uint32(w>>24)*hashFactor>>shift
		c, d := uint32(w>>16)*hashFactor>>shift, uint32(w>>8)*hashFactor>>shift
		if filter[a>>6&mask]>>(a&63)&1 != 0 {
			return from
		}
		if filter[b>>6&mask]>>(b&63)&1 != 0 {
			return from + 1
		}
		if filter[c>>6&mask]>>(c&63)&1 != 0 {
			return from + 2
		}
		if filter[d>>6&mask]>>(d&63)&1 != 0 {
			return from + 3
		}
	}
	for ; from+headLen <= len(text); from++ {
		if h := binary.BigEndian.Uint32(text[from:]) * hashFactor >> shift; filter[h>>6]>>(h&63)&1 != 0 {
			return from
		}
	}
	return from
}

// begins returns how many of the last bytes of text, fewer than headLen, begin a needle.
func (m *machine) begins(text []byte) int {
	for n := min(headLen-1, len(text)); n > 0; n-- {
		var low uint32
		for _, b := range text[len(text)-n:] {
			low = low<<8 | uint32(b)
		}
		low <<= 8 * (headLen - n)
		at, _ := slices.BinarySearch(m.sorted, low)
		if at < len(m.sorted) && m.sorted[at]-low < 1<<(8*(headLen-n)) {
			return n
		}
	}
	return 0
}

func headOf(text string) uint32 {
	return uint32(text[0])<<24 | uint32(text[1])<<16 | uint32(text[2])<<8 | uint32(text[3])
}
