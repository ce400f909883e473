package patterns

// automaton finds keywords, letter case folded, in one pass. States are numbered so that those in which a keyword ends come
// last: telling them apart costs one comparison a byte.
type automaton struct {
	class  [256]uint8 // of bytes that no keyword tells apart
	next   []uint32   // by state<<shift + class, to state<<shift
	shift  uint
	ending uint32      // the first state (shifted) in which keywords end
	ends   [][]keyword // by state - ending
	depth  []uint8     // by state: how many bytes of a keyword it stands for
}

// keyword is one that ends in a state.
type keyword struct {
	rule   int
	length int
}

// trie is the automaton under construction.
type trie struct {
	children map[byte]int
	depth    int
	fail     int
	ends     []keyword
}

func newAutomaton(rules []compiled) *automaton {
	nodes := plant(rules)
	a := &automaton{}
	classes := a.classify(rules)
	for 1<<a.shift < classes {
		a.shift++
	}
	order := breadthFirst(nodes)
	number := make([]uint32, len(nodes)) // old to new, shifted
	var n uint32
	for _, ending := range []bool{false, true} {
		if ending {
			a.ending = n << a.shift
		}
		for _, old := range order {
			if (len(nodes[old].ends) > 0) != ending {
				continue
			}
			number[old] = n << a.shift
			a.depth = append(a.depth, uint8(min(nodes[old].depth, 255)))
			n++
			if ending {
				a.ends = append(a.ends, nodes[old].ends)
			}
		}
	}
	a.next = make([]uint32, len(nodes)<<a.shift)
	for _, old := range order { // parents and shorter suffixes first, so their rows are complete
		row := a.next[number[old] : number[old]+1<<a.shift]
		if old != 0 {
			copy(row, a.next[number[nodes[old].fail]:])
		}
		for b, child := range nodes[old].children {
			row[a.class[b]] = number[child]
		}
	}
	return a
}

// plant returns the trie of all keywords; node 0 is its root.
func plant(rules []compiled) []trie {
	nodes := []trie{{children: map[byte]int{}}}
	for i, r := range rules {
		for _, word := range r.Keywords {
			at := 0
			for _, b := range []byte(word) {
				b = lower(b)
				child, ok := nodes[at].children[b]
				if !ok {
					child = len(nodes)
					nodes = append(nodes, trie{children: map[byte]int{}, depth: nodes[at].depth + 1})
					nodes[at].children[b] = child
				}
				at = child
			}
			nodes[at].ends = append(nodes[at].ends, keyword{i, len(word)})
		}
	}
	return nodes
}

// breadthFirst returns the nodes in that order and fills in fail, the longest proper suffix that is a node, and its ends.
func breadthFirst(nodes []trie) []int {
	order := []int{0}
	for i := 0; i < len(order); i++ {
		at := order[i]
		for b, child := range nodes[at].children {
			order = append(order, child)
			if at == 0 {
				continue
			}
			f := nodes[at].fail
			for {
				if to, ok := nodes[f].children[b]; ok {
					nodes[child].fail = to
					break
				}
				if f == 0 {
					break
				}
				f = nodes[f].fail
			}
		}
		nodes[at].ends = append(nodes[at].ends, nodes[nodes[at].fail].ends...)
	}
	return order
}

// classify gives every byte that occurs in a keyword a class of its own, shared by both cases of a letter; all others are class 0.
func (a *automaton) classify(rules []compiled) (classes int) {
	classes = 1
	for _, r := range rules {
		for _, word := range r.Keywords {
			for _, b := range []byte(word) {
				b = lower(b)
				if a.class[b] == 0 {
					a.class[b] = uint8(classes) //nolint:gosec // at most 230 bytes differ in more than case
					classes++
				}
				if 'a' <= b && b <= 'z' {
					a.class[b-'a'+'A'] = a.class[b]
				}
			}
		}
	}
	return classes
}

func lower(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b - 'A' + 'a'
	}
	return b
}

// scan calls found for every keyword, in the order of their ends, and returns how many bytes at the end of the text may begin one.
func (a *automaton) scan(text string, found func(rule, start, length int)) (begun int) {
	var at uint32
	for i := range len(text) {
		at = a.next[at+uint32(a.class[text[i]])]
		if at >= a.ending {
			for _, k := range a.ends[(at-a.ending)>>a.shift] {
				found(k.rule, i+1-k.length, k.length)
			}
		}
	}
	return int(a.depth[at>>a.shift])
}
