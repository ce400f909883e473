package match

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/computclaw/airlock/app/redact/charset"
)

// Finder finds its patterns. It is immutable and safe for concurrent use.
type Finder struct {
	entries   []entry // what the automaton finds
	words     words
	automaton automaton
	heads     []int32   // by text of the automaton: its first entry
	alphabet  [256]bool // bytes that are a character of a pattern, in either case
	uses      [256]use  // of bytes for which an escape stands
	leads     [256]bool // bytes with which an escape may begin that stands for one
	wide      bool      // some are not of ASCII
	controls  bool      // some have control characters, such as tabs
	blanks    bool      // some have a blank
	near      rows      // of bytes with which all those may be written; counted is what may stand for a lead
	pairs     pairSet   // of bytes that follow each other in a pattern
	starts    pairSet   // of bytes with which a text of the automaton begins
	spans     bool      // some have a line break or a closing brace, so nothing divides a text
	longest   int
	shortest  int
	tail      tail
	scratch   *sync.Pool
}

type tail struct {
	length   int
	alphabet [256]bool
}

// Match is a place of a pattern.
type Match struct {
	Start, End int
	Pattern    int // index of the longest pattern that ends there, or Unchecked
	Layer      Layer
	Part       bool   // only a part of the pattern stands there
	Block      int    // of a pattern that is found in blocks, from 1 on; else 0
	Tail       string // of a Finder with tails: what stands after the pattern, folded
}

// Unchecked stands for no pattern: that part of the text was too much work.
const Unchecked = -1

// Layer is the encoding around a pattern.
type Layer uint8

// The layers.
const (
	Plain Layer = iota
	Base64
	Base32
	Hex
	Numbers
)

// New returns a Finder of patterns. It never finds those shorter than MinPattern, or words below 4
// bytes. Of equivalent patterns the first is found.
func New(patterns []Pattern) *Finder {
	f := &Finder{shortest: MaxBlock, scratch: &sync.Pool{New: func() any { return &scratch{} }}}
	for i, p := range patterns {
		f.addPattern(i, p)
	}
	var texts []string
	texts, f.heads = f.chain()
	f.automaton = newAutomaton(texts, f.heads)
	for _, text := range texts {
		for a, b := range pairsOf(text[:2]) {
			f.starts.add(a, b)
		}
	}
	for i := range f.entries {
		e := &f.entries[i]
		text := fold(e.upTo + e.after)
		f.blanks = f.blanks || strings.Contains(text, " ")
		f.longest = max(f.longest, len(text))
		f.shortest = min(f.shortest, e.least())
		f.addText(text)
		f.spans = f.spans || strings.ContainsAny(text, "\n}")
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

// addText makes the characters of a folded text, and the pairs of them, known.
func (f *Finder) addText(text string) {
	for i := range len(text) {
		f.addToAlphabet(text[i])
	}
	for _, b := range []byte(strings.ToUpper(text)) { // a line may break behind a capital
		f.alphabet[b] = f.alphabet[b] || b >= utf8.RuneSelf
	}
	for a, b := range pairsOf(text) {
		f.pairs.add(a, b)
	}
}

// usesOf returns the uses of an escape that stands for b.
func (f *Finder) usesOf(b byte) (uses use) {
	if f.alphabet[b] {
		uses |= goesOn
	}
	if f.automaton.step(0, b) != 0 {
		uses |= begins
	}
	for _, l := range []*layer{base64Layer, base32Layer, base32Small, hexLayer, numbersLayer} {
		if v := l.values[b]; v != notOfIt && (l != numbersLayer || v == between && !isName(b) || v >= nameEnd) {
			uses |= l.use
		}
	}
	return uses
}

// addToAlphabet adds a folded character to the alphabet.
func (f *Finder) addToAlphabet(b byte) {
	for _, c := range unfold(b) {
		f.alphabet[c] = true
	}
}

// NewWithTail returns a Finder of texts, each followed by length characters of the alphabet.
func NewWithTail(texts []string, alphabet string, length int) *Finder {
	var patterns []Pattern
	for _, text := range texts {
		patterns = append(patterns, Pattern{Text: text})
	}
	f := New(patterns)
	f.tail.length = length
	for i := range len(alphabet) {
		f.tail.alphabet[folded[alphabet[i]]] = true
		f.addToAlphabet(folded[alphabet[i]])
		f.uses[alphabet[i]] |= goesOn
	}
	return f
}

// IsEmpty reports whether there is nothing to find.
func (f *Finder) IsEmpty() bool { return len(f.entries) == 0 && f.words.byHead == nil }

// findIn returns the matches in a window of a text that comes behind a byte.
func (f *Finder) findIn(data []byte, before byte) []Match {
	s := f.borrow()
	defer f.scratch.Put(s)
	f.find(s, data, view{})
	if s.isExhausted() {
		return []Match{{End: len(data), Pattern: Unchecked}}
	}
	if s.matches = f.words.find(s.matches, data, before); len(s.matches) == 0 {
		return nil
	}
	found := slices.Clone(s.matches)
	slices.SortFunc(found, func(a, b Match) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End), cmp.Compare(a.Pattern, b.Pattern),
			wholeFirst(a, b))
	})
	kept := found[:0]
	for _, m := range found {
		if len(kept) == 0 || !kept[len(kept)-1].covers(m) {
			kept = append(kept, m)
		}
	}
	return kept
}

// covers reports whether a match tells all that one behind it does.
func (m Match) covers(next Match) bool {
	same := m.Pattern == next.Pattern && m.Block == next.Block
	return same && next.End <= m.End && (next.Part || m.Start == next.Start && m.End == next.End)
}

func wholeFirst(a, b Match) int {
	switch {
	case a.Part == b.Part:
		return 0
	case a.Part:
		return 1
	}
	return -1
}

// borrow returns working memory that is ready for a search.
func (f *Finder) borrow() *scratch {
	s := f.scratch.Get().(*scratch)
	s.readings.wide, s.readings.blanks = f.wide, f.blanks
	s.matches, s.passed, s.shortest = s.matches[:0], 0, f.shortest
	s.open, s.atEnd = false, [maxDepth + 1]bool{}
	return s
}

// view is how a text was made of the one that is searched.
type view struct {
	depth   int  // steps: outer escapes that were taken off, a layer that was decoded
	decoded bool // it was behind a layer
}

// find adds to s the matches in data. Of other than ASCII capitals are looked at as they are, which
// may be bytes of another charset, and as small letters.
func (f *Finder) find(s *scratch, data []byte, v view) {
	f.findAsWritten(s, data, v)
	if depth := v.depth; f.wide && charset.HasForeignCapital(data) {
		s.small[depth] = append(s.small[depth][:0], data...)
		charset.LowerForeign(s.small[depth])
		f.findAsWritten(s, s.small[depth], v)
	}
}

// findAsWritten is find in one case of other letters than those of ASCII.
func (f *Finder) findAsWritten(s *scratch, data []byte, v view) {
	if s.isExhausted() {
		return
	}
	if s.open && !s.atEnd[v.depth] {
		return
	}
	if s.open {
		f.addBegun(s, data)
	}
	x := &s.indexes[v.depth]
	x.from, x.to = 0, 0
	near, digits := row{end: len(data)}, row{end: len(data)}
	if s.open {
		near, digits = f.near.lastIn(data), hexLayer.rows.lastIn(data)
	}
	for row := range f.near.inPart(data, near, s.shortest, s.shortest) {
		f.scan(s, data, row, v)
		if !v.hasLayers() {
			continue
		}
		for _, l := range textLayers { // the rows of which are parts of the others
			if !row.escapes { // findEncoded reads only what stands in a run
				f.findEncoded(s, data, row, v, l)
				continue
			}
			for row := range l.rows.inPart(data, row, l.least(s), l.least(s)) {
				f.findEncoded(s, data, row, v, l)
			}
		}
	}
	if !v.hasLayers() {
		return
	}
	for row := range hexLayer.rows.inPart(data, digits, min(hexLayer.least(s), f.leastNumbers(s)), s.shortest) {
		if row.count >= hexLayer.least(s) {
			f.findEncoded(s, data, row, v, hexLayer)
		}
		f.findNumbers(s, data, row, v)
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

// unfold returns the bytes that become b.
func unfold(b byte) []byte {
	switch {
	case 'a' <= b && b <= 'z':
		return []byte{b, b - 'a' + 'A'}
	case b == ' ':
		return []byte{' ', '+'}
	}
	return []byte{b}
}
