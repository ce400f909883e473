package swap

import "strings"

// needle is a form of the value with index owner.
type needle struct {
	form
	owner int
}

// node is a state of the automaton: the longest suffix of the text so far that begins a needle. Node 0 is the empty one.
type node struct {
	child   int32 // first child, 0 for none
	sibling int32 // next child of the same parent, 0 for none
	fail    int32 // node of the longest proper suffix
	needle  int32 // index of the longest needle that ends here, or none
	label   byte  // last byte
}

// machine is an Aho-Corasick automaton: building and running it take time linear in the needles and in the text, whatever these are.
// Where nothing was begun it jumps. It is immutable.
type machine struct {
	needles []needle
	nodes   []node
	rows    [][256]int32 // complete transitions of node 0 and of those at depth 1, which come first
	jumps   jumps
	longest int  // bytes of the longest needle
	lines   bool // a needle has a line break in it
}

// newMachine takes needles of at least two bytes. Of equal ones the first counts.
func newMachine(needles []needle) *machine {
	bytes := 1
	for _, n := range needles {
		bytes += len(n.text)
	}
	m := &machine{needles: needles, nodes: append(make([]node, 0, bytes), node{needle: none})} // few needles begin alike
	for _, n := range needles {
		m.add(0, n.text[0])
	}
	m.rows = make([][256]int32, len(m.nodes))
	for i, n := range needles {
		m.insert(n.text, int32(i))
	}
	m.link()
	m.measure()
	return m
}

func (m *machine) find(parent int32, b byte) int32 {
	for c := m.nodes[parent].child; c != 0; c = m.nodes[c].sibling {
		if m.nodes[c].label == b {
			return c
		}
	}
	return 0
}

func (m *machine) add(parent int32, b byte) int32 {
	if c := m.find(parent, b); c != 0 {
		return c
	}
	c := int32(len(m.nodes))
	m.nodes = append(m.nodes, node{label: b, sibling: m.nodes[parent].child, needle: none})
	m.nodes[parent].child = c
	return c
}

func (m *machine) insert(text string, index int32) {
	at := int32(0)
	for _, b := range []byte(text) {
		at = m.add(at, b)
	}
	if m.nodes[at].needle == none {
		m.nodes[at].needle = index
	}
}

// link sets, breadth first, the suffix of each node, what ends at it, and the complete rows.
func (m *machine) link() {
	queue := make([]int32, 0, len(m.nodes))
	for c := m.nodes[0].child; c != 0; c = m.nodes[c].sibling {
		m.rows[0][m.nodes[c].label] = c
		queue = append(queue, c)
	}
	for at := range m.rows[1:] {
		m.rows[at+1] = m.rows[0]
	}
	for i := 0; i < len(queue); i++ {
		at := queue[i]
		for c := m.nodes[at].child; c != 0; c = m.nodes[c].sibling {
			b := m.nodes[c].label
			m.nodes[c].fail = m.next(m.nodes[at].fail, b)
			if m.nodes[c].needle == none {
				m.nodes[c].needle = m.nodes[m.nodes[c].fail].needle
			}
			queue = append(queue, c)
			if int(at) < len(m.rows) {
				m.rows[at][b] = c
			}
		}
	}
}

// next returns the node after one more byte. Each step to a suffix gives up a byte of the needle that was begun, hence linear time.
func (m *machine) next(at int32, b byte) int32 {
	for int(at) >= len(m.rows) {
		if c := m.find(at, b); c != 0 {
			return c
		}
		at = m.nodes[at].fail
	}
	return m.rows[at][b]
}

// measure takes the needles' measures and makes the jumps.
func (m *machine) measure() {
	window := maxWindow
	for _, n := range m.needles {
		window, m.longest = min(window, len(n.text)), max(m.longest, len(n.text))
		m.lines = m.lines || strings.Contains(n.text, "\n")
	}
	m.jumps = newJumps(window)
	for _, n := range m.needles {
		for end := 1; end < window; end++ {
			m.jumps.add(n.text[end-1], n.text[end], end)
		}
	}
}
