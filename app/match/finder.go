package match

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// MinPattern is the length of the shortest pattern, in bytes: shorter ones turn up by chance.
const MinPattern = 8

// Finder finds its patterns. It is immutable and safe for concurrent use.
type Finder struct {
	texts     []string // of the patterns, folded
	automaton *automaton
	alphabet  [256]bool // bytes that are a character of a pattern, in either case
	leads     []byte    // with which an escape may begin that stands for one
	near      [256]bool // bytes with which those may be written
	jumps     jumps
	longest   int
	shortest  int
	tail      tail
	scratch   *sync.Pool
}

// tail is what has to stand after each pattern.
type tail struct {
	length   int
	alphabet [256]bool
}

// Match is a place at which a pattern stands.
type Match struct {
	Start, End int
	Pattern    int // index of the longest pattern that ends there
	Layer      Layer
	Tail       string // of a Finder with tails: what stands after the pattern, folded
}

// Layer says behind what a pattern was found.
type Layer uint8

// The layers. Of two on top of each other the outer one counts.
const (
	Plain Layer = iota
	Base64
	Hex
	Numbers
)

// New returns a Finder of patterns of at least MinPattern bytes. Shorter ones are never found. Of those that differ in nothing that
// counts, the first is found.
func New(patterns []string) *Finder {
	f := &Finder{shortest: maxWindow, scratch: &sync.Pool{New: func() any { return &scratch{} }}}
	var texts []string
	index := []int32{}
	for i, p := range patterns {
		f.texts = append(f.texts, fold(p))
		if len(p) >= MinPattern {
			texts, index = append(texts, f.texts[i]), append(index, int32(i))
			f.shortest, f.longest = min(f.shortest, len(p)), max(f.longest, len(p))
		}
	}
	f.automaton = newAutomaton(texts)
	for i, n := range f.automaton.nodes {
		if n.pattern != none {
			f.automaton.nodes[i].pattern = index[n.pattern]
		}
	}
	f.jumps = newJumps(f.shortest)
	for _, text := range texts {
		for i := range len(text) {
			f.know(text[i])
		}
		for end := 1; end < f.jumps.window; end++ {
			for _, a := range unfolded(text[end-1]) {
				for _, b := range unfolded(text[end]) {
					f.jumps.add(a, b, end)
				}
			}
		}
	}
	for i := range len(leads) {
		if b := leads[i]; f.alphabet[b] || strings.IndexByte("%\\&=\x00\r\n", b) >= 0 {
			f.leads = append(f.leads, b)
		}
	}
	f.near = setOf("%\\&=#;{}\x00\r\n")
	for b := range f.near {
		f.near[b] = f.near[b] || f.alphabet[b] || classes[b]&className != 0 || f.alphabet['\''] && (b == '"' || b == '\\')
	}
	return f
}

// know adds a folded character to the alphabet.
func (f *Finder) know(b byte) {
	for _, c := range unfolded(b) {
		f.alphabet[c] = true
	}
}

// NewWithTail returns a Finder of patterns after each of which as many characters of the alphabet stand as length says.
func NewWithTail(patterns []string, alphabet string, length int) *Finder {
	f := New(patterns)
	f.tail.length = length
	for i := range len(alphabet) {
		f.tail.alphabet[folded[alphabet[i]]] = true
		f.know(folded[alphabet[i]])
	}
	return f
}

// Empty reports whether there is nothing to find.
func (f *Finder) Empty() bool { return f.longest == 0 }

// Reach is the most bytes that lie between the beginning and the end of a match.
func (f *Finder) Reach() int { return (maxEscape + maxPassed) * (f.longest + f.tail.length) }

// Find returns all matches that lie in data, whole, by their beginning.
func (f *Finder) Find(data []byte) []Match {
	if f.Empty() {
		return nil
	}
	s := f.scratch.Get().(*scratch)
	defer f.scratch.Put(s)
	s.matches = s.matches[:0]
	f.find(s, data, 0)
	if len(s.matches) == 0 {
		return nil
	}
	found := slices.Clone(s.matches)
	slices.SortFunc(found, func(a, b Match) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End), cmp.Compare(a.Pattern, b.Pattern))
	})
	return slices.CompactFunc(found, func(a, b Match) bool { return a.Start == b.Start && a.End == b.End && a.Pattern == b.Pattern })
}

// find adds to s the matches in data, which lies behind depth layers.
func (f *Finder) find(s *scratch, data []byte, depth int) {
	f.scan(s, data, depth)
	if depth < maxLayers {
		f.layers(s, data, depth)
	}
}

// fold writes small letters for capitals and a space for a plus sign.
func fold(text string) string {
	out := []byte(text)
	for i, b := range out {
		out[i] = folded[b]
	}
	return string(out)
}

// folded has what each byte becomes.
var folded = func() (table [256]byte) {
	for b := range table {
		table[b] = foldByte(byte(b))
	}
	return table
}()

func foldByte(b byte) byte {
	switch {
	case 'A' <= b && b <= 'Z':
		return b + 'a' - 'A'
	case b == '+':
		return ' '
	}
	return b
}

// unfolded returns the bytes that become b.
func unfolded(b byte) []byte {
	switch {
	case 'a' <= b && b <= 'z':
		return []byte{b, b - 'a' + 'A'}
	case b == ' ':
		return []byte{' ', '+'}
	}
	return []byte{b}
}
