package match

// none stands for no pattern.
const none = -1

// node is a state of the automaton: the longest suffix of the characters so far that begins a
// pattern. Node 0 is the empty one.
type node struct {
	child   int32 // first child, 0 for none
	sibling int32 // next child of the same parent, 0 for none
	fail    int32 // node of the longest proper suffix
	pattern int32 // index of the longest pattern that ends here, or none
	label   byte  // last character
}

// automaton is an Aho-Corasick automaton: building and running it take time linear in the patterns
// and in the text, whatever these are. It is immutable.
type automaton struct {
	nodes []node
	rows  [][256]int32 // complete transitions of node 0 and of those at depth 1, which come first
}

// newAutomaton takes texts of at least one byte. Of equal ones the first counts.
func newAutomaton(texts []string) *automaton {
	bytes := 1
	for _, text := range texts {
		bytes += len(text)
	}
	a := &automaton{nodes: append(make([]node, 0, bytes), node{pattern: none})}
	for _, text := range texts {
		a.add(0, text[0])
	}
	a.rows = make([][256]int32, len(a.nodes))
	for i, text := range texts {
		a.insert(text, int32(i))
	}
	a.link()
	return a
}

func (a *automaton) find(parent int32, b byte) int32 {
	for c := a.nodes[parent].child; c != 0; c = a.nodes[c].sibling {
		if a.nodes[c].label == b {
			return c
		}
	}
	return 0
}

func (a *automaton) add(parent int32, b byte) int32 {
	if c := a.find(parent, b); c != 0 {
		return c
	}
	c := int32(len(a.nodes))
	a.nodes = append(a.nodes, node{label: b, sibling: a.nodes[parent].child, pattern: none})
	a.nodes[parent].child = c
	return c
}

func (a *automaton) insert(text string, index int32) {
	at := int32(0)
	for _, b := range []byte(text) {
		at = a.add(at, b)
	}
	if a.nodes[at].pattern == none {
		a.nodes[at].pattern = index
	}
}

// link sets, breadth first, the suffix of each node, what ends at it, and the complete rows.
func (a *automaton) link() {
	queue := make([]int32, 0, len(a.nodes))
	for c := a.nodes[0].child; c != 0; c = a.nodes[c].sibling {
		a.rows[0][a.nodes[c].label] = c
		queue = append(queue, c)
	}
	for at := range a.rows[1:] {
		a.rows[at+1] = a.rows[0]
	}
	for i := 0; i < len(queue); i++ {
		at := queue[i]
		for c := a.nodes[at].child; c != 0; c = a.nodes[c].sibling {
			b := a.nodes[c].label
			a.nodes[c].fail = a.next(a.nodes[at].fail, b)
			if a.nodes[c].pattern == none {
				a.nodes[c].pattern = a.nodes[a.nodes[c].fail].pattern
			}
			queue = append(queue, c)
			if int(at) < len(a.rows) {
				a.rows[at][b] = c
			}
		}
	}
}

// next returns the node after one more character. Each step to a suffix gives up a character of the
// pattern that was begun, hence linear time.
func (a *automaton) next(at int32, b byte) int32 {
	for int(at) >= len(a.rows) {
		if c := a.find(at, b); c != 0 {
			return c
		}
		at = a.nodes[at].fail
	}
	return a.rows[at][b]
}
