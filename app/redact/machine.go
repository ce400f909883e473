package redact

// none and several stand for owners in an output.
const (
	none    int32 = -1
	several int32 = -2
)

// output is what is known when a node is reached: the longest needle that ends there, and what all needles that end there
// say about showing a value's last characters.
type output struct {
	length int    // bytes of the longest needle found anywhere; 0 if there is none
	owner  int32  // value of that needle
	show   string // what its mask may show of the value; "" for nothing
	quiet  int32  // value of which a form ends here that forbids others to show anything: none, one, several
	runs   runs   // encodings in which a run may go on here
	left   left   // how far these go on over line breaks
	words  []word // needles that count only as words, longest first
}

// word is a needle that counts only where it stands as a word.
type word struct {
	length int
	owner  int32
}

// node is a state of the automaton: the longest suffix of the text so far that begins a needle. Node 0 is the empty one.
type node struct {
	child   int32 // first child, 0 for none
	sibling int32 // next child of the same parent, 0 for none
	depth   int32 // length of that suffix
	fail    int32 // node of the longest proper suffix
	hold    int32 // bytes at the end of the text with which a needle may begin that is not complete
	output  int32 // index, 0 for none
	label   byte  // last byte
}

// machine is an Aho-Corasick automaton. Building it and running it take time linear in the needles and in the text.
// It is immutable.
type machine struct {
	nodes   []node
	outputs []output
	classes [256]runs
	rows    []([256]int32) // complete transitions of the empty node and of those at depth 1, which come first: most of a text is there
}

func newMachine(needles []needle) *machine {
	m := &machine{nodes: make([]node, 1), outputs: make([]output, 1), classes: classes()}
	for _, n := range needles {
		m.add(0, n.text[0])
	}
	m.rows = make([][256]int32, len(m.nodes))
	for _, n := range needles {
		m.insert(n)
	}
	m.link()
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
	m.nodes = append(m.nodes, node{label: b, depth: m.nodes[parent].depth + 1, hold: m.nodes[parent].hold + 1, sibling: m.nodes[parent].child})
	m.nodes[parent].child = c
	return c
}

func (m *machine) insert(n needle) {
	at := int32(0)
	for _, b := range []byte(n.text) {
		at = m.add(at, b)
	}
	own := &m.nodes[at].output
	if *own == 0 {
		m.outputs = append(m.outputs, output{owner: none, quiet: none})
		*own = int32(len(m.outputs) - 1)
	}
	m.outputs[*own] = combine(m.outputs[*own], n.output())
}

// link sets, breadth first, the suffix of each node, what ends at it and what is held there, and the complete rows.
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
		if m.nodes[at].child == 0 {
			m.nodes[at].hold = m.nodes[m.nodes[at].fail].hold
		}
		for c := m.nodes[at].child; c != 0; c = m.nodes[c].sibling {
			b := m.nodes[c].label
			m.nodes[c].fail = m.next(m.nodes[at].fail, b)
			m.inherit(c)
			queue = append(queue, c)
		}
		if int(at) < len(m.rows) {
			for c := m.nodes[at].child; c != 0; c = m.nodes[c].sibling {
				m.rows[at][m.nodes[c].label] = c
			}
		}
	}
}

// inherit adds to a node's output what ends at its suffix.
func (m *machine) inherit(at int32) {
	own, shared := m.nodes[at].output, m.nodes[m.nodes[at].fail].output
	switch {
	case own == 0:
		m.nodes[at].output = shared
	case shared != 0:
		m.outputs[own] = combine(m.outputs[own], m.outputs[shared])
	}
}

// next returns the node after one more byte. Each step to a suffix gives up a byte of the needle that was begun, hence linear time.
func (m *machine) next(at int32, b byte) int32 {
	for int(at) >= len(m.rows) {
		for c := m.nodes[at].child; c != 0; c = m.nodes[c].sibling {
			if m.nodes[c].label == b {
				return c
			}
		}
		at = m.nodes[at].fail
	}
	return m.rows[at][b]
}

// combine returns the output of a and b together; a's needles are not shorter.
func combine(a, b output) output {
	out := a
	if b.length > a.length || (b.length == a.length && a.show == "") {
		out.length, out.owner, out.show = b.length, b.owner, b.show
	}
	out.quiet = mix(a.quiet, b.quiet)
	out.runs |= b.runs
	out.left = a.left.max(b.left)
	out.words = merge(a.words, b.words)
	return out
}

// merge returns the words of both, longest first, each length once.
func merge(a, b []word) []word {
	if len(a) == 0 || len(b) == 0 {
		return append(a[:len(a):len(a)], b...)
	}
	if a[0].length == b[0].length {
		b = b[1:]
	}
	return append(a[:len(a):len(a)], b...)
}

func mix(a, b int32) int32 {
	switch {
	case a == b || b == none:
		return a
	case a == none:
		return b
	}
	return several
}
