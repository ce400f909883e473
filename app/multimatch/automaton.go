package multimatch

import "sync/atomic"

// State is the longest suffix read that begins a pattern, at least a head; 0 for none.
type State uint32

// End is a pattern, from 1 on; 0 for none. Equal patterns share one.
type End uint32

// Flags beside a state's byte.
const (
	branches uint16 = 1 << 8  // other patterns go on differently behind it: see next
	ends     uint16 = 1 << 9  // a pattern ends here
	gap      uint16 = 1 << 11 // no state
)

// endKey replaces the byte in the key under which next has a state's End.
const endKey = 1 << 8

// Automaton finds a set of patterns. It is safe for concurrent use.
//
// Consecutive states of a pattern have consecutive numbers, so following one is comparing bytes.
type Automaton struct {
	head   int    // bytes of a pattern that are looked up at once
	drop   uint32 // bits of four bytes that are none of a head
	factor uint32 // of the hash; bytes behind a head don't count in it

	chars []uint16 // by state: its last byte and flags; between patterns a gap
	// depth is each state's length. For the gap before a tail it is the state that it branches
	// from, or its head's bytes.
	depth []int32
	// links are, for known states, 1 + the state of the longest proper suffix. The high half is the
	// End of the longest suffix that is a pattern.
	links []atomic.Uint64

	heads table[uint32] // first bytes of patterns, to states
	next  table[uint64] // state and byte to state; state and endKey to End
	ends  []State       // by End

	sorted []uint32 // heads in order, the first byte highest
	filter []uint64 // bit set: the hash of a head
	shift  uint32
}

// Ends returns the number of different patterns: the highest End.
func (a *Automaton) Ends() int { return len(a.ends) - 1 }

// Len returns a state's number of bytes.
func (a *Automaton) Len(s State) int {
	if s == 0 {
		return 0
	}
	return int(a.depth[s])
}

// Open returns a state's longest suffix, itself included, behind which a pattern continues.
func (a *Automaton) Open(s State) State {
	for s != 0 && a.isLeaf(s) {
		s = a.Suffix(s)
	}
	return s
}

func (a *Automaton) isLeaf(s State) bool {
	return a.chars[s+1]&gap != 0 && a.chars[s]&branches == 0
}

// Follows reports whether the current pattern continues with b. Then the next state is s+1.
func (a *Automaton) Follows(s State, b byte) bool { return a.chars[s+1]&(gap|0xff) == uint16(b) }

// Branch returns the state after b in a pattern other than the current one, or 0.
func (a *Automaton) Branch(s State, b byte) State {
	if a.chars[s]&branches == 0 {
		return 0
	}
	return State(a.next.get(uint64(s)<<9 | uint64(b)))
}

// Step returns the state after one more byte. last: the last four bytes as in Roll, with b.
func (a *Automaton) Step(s State, b byte, last uint32) State {
	if s != 0 && a.Follows(s, b) {
		return s + 1
	}
	return a.Turn(s, b, last)
}

// Turn is Step where the current pattern doesn't continue with b.
func (a *Automaton) Turn(s State, b byte, last uint32) State {
	for s != 0 {
		if c := a.Branch(s, b); c != 0 {
			return c
		}
		if s = a.Suffix(s); s != 0 && a.Follows(s, b) {
			return s + 1
		}
	}
	return a.begin(last >> a.drop)
}

func (a *Automaton) begin(head uint32) State {
	h := a.hash(head)
	if a.filter[h>>6]>>(h&63)&1 == 0 {
		return 0
	}
	return State(a.heads.get(head))
}

// Roll adds a byte to a text's last four bytes, the first of them lowest.
func Roll(last uint32, b byte) uint32 { return last>>8 | uint32(b)<<24 }

// Suffix returns the longest proper suffix's state, or 0.
func (a *Automaton) Suffix(s State) State { return State(uint32(a.link(s)) - 1) }

// End returns the longest pattern that ends a state, or 0.
func (a *Automaton) End(s State) End { return End(a.link(s) >> 32) }

// Shorter returns the next longest pattern that ends it, or 0.
func (a *Automaton) Shorter(e End) End {
	suffix := a.Suffix(a.ends[e])
	if suffix == 0 {
		return 0
	}
	return a.End(suffix)
}

func (a *Automaton) link(s State) uint64 {
	if link := a.links[s].Load(); link != 0 {
		return link
	}
	return a.findLink(s)
}

// findLink computes the links of a state and of those before it.
func (a *Automaton) findLink(s State) uint64 {
	path := []State{s}
	for p := a.parent(s); p != 0 && a.links[p].Load() == 0; p = a.parent(p) {
		path = append(path, p)
	}
	var link uint64
	for i := len(path) - 1; i >= 0; i-- {
		s := path[i]
		var suffix State
		var end End
		if p := a.parent(s); p != 0 {
			suffix = a.Step(a.Suffix(p), byte(a.chars[s]), a.Last(s))
		}
		if suffix != 0 {
			end = a.End(suffix)
		}
		if a.chars[s]&ends != 0 {
			end = End(a.next.get(uint64(s)<<9 | endKey))
		}
		link = uint64(end)<<32 | uint64(suffix+1)
		a.links[s].Store(link)
	}
	return link
}

// parent returns the state without its last byte, or 0 below a head.
func (a *Automaton) parent(s State) State {
	if int(a.depth[s]) == a.head {
		return 0
	}
	if a.chars[s-1]&gap != 0 {
		return State(a.depth[s-1])
	}
	return s - 1
}

// Last returns a state's last four bytes, or fewer, as in Roll.
func (a *Automaton) Last(s State) uint32 {
	var four uint32
	for n := range maxHead {
		four |= uint32(byte(a.chars[s])) << (8 * (maxHead - 1 - n))
		p := a.parent(s)
		if p == 0 { // the first byte of a head, and all of it
			return four | uint32(a.depth[s-1])<<a.drop>>(8*n)
		}
		s = p
	}
	return four
}
