package match

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/computclaw/airlock/app/redact/charset"
)

// MinPattern is the length of the shortest pattern, in bytes: shorter ones turn up by chance.
const MinPattern = 8

// Finder finds its patterns. It is immutable and safe for concurrent use.
type Finder struct {
	texts     []string // of the patterns, folded
	automaton automaton
	alphabet  [256]bool // bytes that are a character of a pattern, in either case
	uses      [256]use  // of bytes for which an escape stands
	leads     [256]bool // bytes with which an escape may begin that stands for one
	wide      bool      // some are not of ASCII
	controls  bool      // some have control characters, such as tabs
	blanks    bool      // some have a blank
	near      rows      // of bytes with which all those may be written; counted is what may stand for a lead
	jumps     jumps
	pairs     pairSet // of bytes that follow each other in a pattern
	longest   int
	shortest  int
	tail      tail
	scratch   *sync.Pool
}

// tail is the text that must follow each pattern.
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

// Layer is the encoding in which a pattern was found.
type Layer uint8

// The layers. Of two on top of each other the outer one counts.
const (
	Plain Layer = iota
	Base64
	Hex
	Numbers
)

// New returns a Finder of patterns of at least MinPattern bytes. Shorter ones are never found. Of
// those that differ in nothing that counts, the first is found.
func New(patterns []string) *Finder {
	f := &Finder{shortest: maxWindow, scratch: &sync.Pool{New: func() any { return &scratch{} }}}
	var texts []string
	var index []int32
	for i, p := range patterns {
		f.texts = append(f.texts, fold(p))
		if len(p) >= MinPattern {
			f.blanks = f.blanks || strings.Contains(p, " ")
			texts, index = append(texts, f.texts[i]), append(index, int32(i))
			f.shortest, f.longest = min(f.shortest, len(p)), max(f.longest, len(p))
		}
	}
	f.automaton = newAutomaton(texts, index)
	f.jumps = newJumps(f.shortest)
	for _, text := range texts {
		for i := range len(text) {
			f.addToAlphabet(text[i])
		}
		for _, b := range []byte(strings.ToUpper(text)) { // a line may break behind a capital
			f.alphabet[b] = f.alphabet[b] || b >= utf8.RuneSelf
		}
		for end := 1; end < len(text); end++ {
			for _, a := range unfolded(text[end-1]) {
				for _, b := range unfolded(text[end]) {
					if f.pairs.add(a, b); end < f.jumps.window {
						f.jumps.add(a, b, end)
					}
				}
			}
		}
	}
	f.near = newRows(digitsAndLetters+"%\\&=#;{}+/-_$~`^", "<>\x00\r\n")
	for i := range 256 {
		b := byte(i)
		f.uses[b] = f.usesOf(b)
		f.leads[b] = isLead(b) && (f.alphabet[b] || f.near[b]&inside != 0)
		f.controls = f.controls || f.alphabet[b] && b < ' '
		f.wide = f.wide || f.alphabet[b] && b >= utf8.RuneSelf
		if f.alphabet[b] || f.alphabet['\''] && b == '"' {
			f.near[b] |= inside | counted
		}
	}
	return f
}

// usesOf returns the uses of an escape that stands for b.
func (f *Finder) usesOf(b byte) (uses use) {
	if f.alphabet[b] {
		uses |= goesOn
	}
	if f.automaton.step(0, b) != 0 {
		uses |= begins
	}
	for _, l := range []*layer{base64Layer, hexLayer, numbersLayer} {
		if v := l.values[b]; v != notOfIt && (l != numbersLayer || v == between && !isName(b) || v >= nameEnd) {
			uses |= l.use
		}
	}
	return uses
}

// addToAlphabet adds a folded character to the alphabet.
func (f *Finder) addToAlphabet(b byte) {
	for _, c := range unfolded(b) {
		f.alphabet[c] = true
	}
}

// NewWithTail returns a Finder of patterns after each of which as many characters of the alphabet
// stand as length says.
func NewWithTail(patterns []string, alphabet string, length int) *Finder {
	f := New(patterns)
	f.tail.length = length
	for i := range len(alphabet) {
		f.tail.alphabet[folded[alphabet[i]]] = true
		f.addToAlphabet(folded[alphabet[i]])
		f.uses[alphabet[i]] |= goesOn
	}
	return f
}

// Empty reports whether there is nothing to find.
func (f *Finder) Empty() bool { return f.longest == 0 }

// Find returns all matches that lie in data, whole, by their beginning.
func (f *Finder) Find(data []byte) []Match {
	if f.Empty() {
		return nil
	}
	s := f.scratch.Get().(*scratch)
	defer f.scratch.Put(s)
	s.readings.wide, s.readings.blanks = f.wide, f.blanks
	s.matches = s.matches[:0]
	f.find(s, data, 0)
	if len(s.matches) == 0 {
		return nil
	}
	found := slices.Clone(s.matches)
	slices.SortFunc(found, func(a, b Match) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End), cmp.Compare(a.Pattern, b.Pattern))
	})
	return slices.CompactFunc(found, func(a, b Match) bool {
		return a.Start == b.Start && a.End == b.End &&
			a.Pattern == b.Pattern
	})
}

// find adds to s the matches in data, which lies behind depth layers. Of other than ASCII capitals are
// looked at as they are, which may be bytes of another charset, and as small letters.
func (f *Finder) find(s *scratch, data []byte, depth int) {
	f.findAsWritten(s, data, depth)
	if f.wide && charset.HasForeignCapital(data) {
		s.small[depth] = append(s.small[depth][:0], data...)
		charset.LowerForeign(s.small[depth])
		f.findAsWritten(s, s.small[depth], depth)
	}
}

// findAsWritten is find in one case of other letters than those of ASCII.
func (f *Finder) findAsWritten(s *scratch, data []byte, depth int) {
	s.indexes[depth].from, s.indexes[depth].to = 0, 0
	all := row{end: len(data)}
	for row := range f.near.inPart(data, all, f.shortest, f.shortest) {
		f.scan(s, data, row, depth)
		if depth == maxLayers {
			continue
		}
		least := base64Layer.least(f) // its rows are parts of the others
		for row := range base64Layer.rows.inPart(data, row, least, least) {
			f.findEncoded(s, data, row, depth, base64Layer)
		}
	}
	if depth == maxLayers {
		return
	}
	for row := range hexLayer.rows.inPart(data, all, min(hexLayer.least(f), f.leastNumbers()), f.shortest) {
		if row.count >= hexLayer.least(f) {
			f.findEncoded(s, data, row, depth, hexLayer)
		}
		f.findNumbers(s, data, row, depth)
	}
}

// fold writes small letters for capitals and a space for a plus sign.
func fold(text string) string {
	out := []byte(text)
	charset.LowerForeign(out)
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
