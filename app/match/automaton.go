package match

import (
	"cmp"
	"slices"
)

// none stands for no entry.
const none = -1

// node is a state of an automaton: the longest suffix read that begins a text. 0 is none.
type node int32

// automaton finds folded texts in bytes that it folds, after Aho and Corasick.
//
// Consecutive nodes of a text have consecutive numbers, so following one is comparing bytes. The
// nodes of one byte come first and have rows: most of the time is spent there.
type automaton struct {
	texts    []string
	chars    []uint16 // by node: its last byte; first if it doesn't follow the node before
	of       []int32  // by node: a text that begins with it
	depth    []int32  // by node: its length
	suffixes []node   // by node: its longest end that is a node, too
	branches map[branch]node
	rows     [][256]node
	entries  []int32 // by node: the longest entry with which it ends, or none
	shorter  []int32 // by entry: the next longest with which it ends, or none
}

// branch is a continuation of a text besides the one that made the node.
type branch struct {
	from node
	char byte
}

// Flags of chars.
const (
	detached uint16 = 1 << (8 + iota) // it doesn't follow the node before
	forks                             // there are branches
)

// newAutomaton takes distinct texts, and their entries.
func newAutomaton(texts []string, entries []int32) automaton {
	a := automaton{
		texts: texts, chars: []uint16{detached}, of: []int32{none}, depth: []int32{0}, branches: map[branch]node{},
	}
	for i, text := range texts {
		if _, known := a.branches[branch{0, text[0]}]; !known {
			a.grow(0, text[:1], i)
		}
	}
	heads := len(a.chars)
	ends := make([]node, len(texts))
	parents := make([]node, heads)
	for i, text := range texts {
		parent := node(0)
		for at := range len(text) {
			next := a.child(parent, text[at])
			if next == 0 {
				next = a.grow(parent, text[:at+1], i)
				parents = append(parents, parent)
			}
			parent = next
		}
		ends[i] = parent
	}
	a.chars = append(a.chars, detached)
	a.link(parents, heads)
	a.setEntries(ends, entries)
	return a
}

func (a *automaton) grow(parent node, text string, number int) node {
	n, c := node(len(a.chars)), text[len(text)-1]
	if parent == n-1 && parent != 0 {
		a.chars = append(a.chars, uint16(c))
	} else {
		a.chars = append(a.chars, uint16(c)|detached)
		a.chars[parent] |= forks
		a.branches[branch{parent, c}] = n
	}
	a.of, a.depth = append(a.of, int32(number)), append(a.depth, int32(len(text)))
	return n
}

func (a *automaton) child(n node, c byte) node {
	if next := int(n) + 1; next < len(a.chars) && a.chars[next]&^forks == uint16(c) {
		return n + 1
	}
	if a.chars[n]&forks == 0 {
		return 0
	}
	return a.branches[branch{n, c}]
}

// link finds the suffixes, shortest nodes first, and makes the rows.
func (a *automaton) link(parents []node, heads int) {
	a.rows = make([][256]node, heads)
	for i := range a.rows {
		for b, c := range folded {
			next := a.child(node(i), c)
			if next == 0 {
				next = a.child(0, c)
			}
			a.rows[i][b] = next
		}
	}
	a.suffixes = make([]node, len(a.depth))
	order := make([]node, 0, len(a.depth)-heads)
	for n := heads; n < len(a.depth); n++ {
		order = append(order, node(n))
	}
	slices.SortStableFunc(order, func(x, y node) int { return cmp.Compare(a.depth[x], a.depth[y]) })
	for _, n := range order {
		a.suffixes[n] = a.step(a.suffixes[parents[n]], byte(a.chars[n]))
	}
	a.entries = slices.Repeat([]int32{none}, len(a.depth))
}

// setEntries sets which entries end at each node.
func (a *automaton) setEntries(ends []node, entries []int32) {
	for i, n := range ends {
		a.entries[n] = entries[i]
	}
	order := make([]node, len(a.depth))
	for n := range order {
		order[n] = node(n)
	}
	slices.SortStableFunc(order, func(x, y node) int { return cmp.Compare(a.depth[x], a.depth[y]) })
	a.shorter = slices.Repeat([]int32{none}, int(slices.Max(append(entries, 0)))+1)
	for _, n := range order {
		inherited := a.entries[a.suffixes[n]]
		if a.entries[n] == none {
			a.entries[n] = inherited
		} else if n != 0 {
			a.shorter[a.entries[n]] = inherited
		}
	}
}

// step returns the node after one more byte.
func (a *automaton) step(n node, b byte) node {
	if int(n) < len(a.rows) {
		return a.rows[n][b]
	}
	return a.stepFrom(n, b)
}

func (a *automaton) stepFrom(n node, b byte) node {
	for c := folded[b]; int(n) >= len(a.rows); n = a.suffixes[n] {
		if a.chars[n+1]&^forks == uint16(c) {
			return n + 1
		}
		if a.chars[n]&forks != 0 {
			if next := a.branches[branch{n, c}]; next != 0 {
				return next
			}
		}
	}
	return a.rows[n][b]
}

// text returns what a node stands for.
func (a *automaton) text(n node) string { return a.texts[a.of[n]][:a.depth[n]] }
