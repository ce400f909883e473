package match

import (
	"maps"
	"slices"
	"strings"

	"github.com/computclaw/airlock/app/redact/charset"
)

// Pattern is a known text, and how thoroughly to search it.
type Pattern struct {
	Text  string
	Class Class
	// Parts also finds parts of PartLength bytes and more. To a script that lacks the text they
	// would reveal the next byte.
	Parts bool
}

// Class says in which forms a pattern is found.
type Class uint8

// The classes.
const (
	Strong Class = iota // in any letter case, escaped in any way, behind one layer
	Weak                // the same, but only in the letter case in which it is set
	Word                // as whole words, as they are set, of 4 bytes or more
)

// Lengths in bytes.
const (
	MinPattern = 8   // of the shortest pattern that is no Word: shorter ones turn up by chance
	MaxBlock   = 256 // of the longest text that is found at once: longer patterns are cut into blocks
	PartLength = 16  // of the shortest part
	seedLength = PartLength / 2
	minWord    = 4
)

// maxAlike bounds the equal seeds tried at one place.
const maxAlike = 16

// entry is a text of the automaton: a pattern, a block of a long one, or a seed. Each part contains
// at least one whole seed.
type entry struct {
	text    string // folded, unless it is exact
	exact   bool   // its letter case counts
	pattern int
	block   int // of a long pattern, from 1 on
	seed    bool
	upTo    string // the text and, of a seed, what a part may have before it
	after   string // what a part may have behind it
	same    int32  // another entry with this text, or none
}

func (e *entry) least() int {
	if e.seed {
		return PartLength
	}
	return len(e.text)
}

// addPattern adds the entries of a pattern.
func (f *Finder) addPattern(number int, p Pattern) {
	switch {
	case p.Class == Word:
		f.words.add(number, p.Text)
		return
	case len(p.Text) < MinPattern:
		return
	}
	exact := p.Class == Weak
	text := fold(p.Text)
	if exact {
		text = p.Text
	}
	seen := map[[2]string]bool{}
	add := func(e entry) { // once, of a text that repeats itself
		if around := [2]string{e.upTo, e.after}; !seen[around] {
			seen[around] = true
			f.entries = append(f.entries, e)
		}
	}
	blocks := (len(text) + MaxBlock - 1) / MaxBlock
	for i := range blocks { // of nearly the same length, or the last could be too short
		e := entry{text: text[i*len(text)/blocks : (i+1)*len(text)/blocks], exact: exact, pattern: number}
		if e.upTo = e.text; blocks > 1 {
			e.block = i + 1
		}
		add(e)
	}
	if !p.Parts || len(text) < PartLength {
		return
	}
	const around = PartLength - 1 // what is further away belongs to the next seed
	for at := 0; at+seedLength <= len(text); at += seedLength {
		end := at + seedLength
		add(entry{
			text: text[at:end], exact: exact, pattern: number, seed: true,
			upTo: text[max(0, at-around):end], after: text[end:min(len(text), end+around)],
		})
	}
}

// chain joins entries that the automaton can't tell apart. It returns their texts, sorted, and the
// first entry of each.
func (f *Finder) chain() (texts []string, heads []int32) {
	headOf, last, count := map[string]int32{}, map[string]int32{}, map[string]int{}
	for i := range f.entries {
		e := &f.entries[i]
		e.same = none
		text := fold(e.text)
		before, known := last[text]
		count[text]++
		switch {
		case !known:
			headOf[text] = int32(i)
		case e.seed && count[text] > maxAlike:
			continue
		default:
			f.entries[before].same = int32(i)
		}
		last[text] = int32(i)
	}
	texts = slices.Sorted(maps.Keys(headOf))
	for _, text := range texts {
		heads = append(heads, headOf[text])
	}
	return texts, heads
}

type words struct {
	byHead map[[minWord]byte][]word
	most   int // length of the longest
}

type word struct {
	pattern int
	text    string
}

func (w *words) add(pattern int, text string) {
	if len(text) < minWord {
		return
	}
	if w.byHead == nil {
		w.byHead = map[[minWord]byte][]word{}
	}
	head := [minWord]byte([]byte(text))
	w.byHead[head] = append(w.byHead[head], word{pattern, text})
	w.most = max(w.most, len(text))
}

// find adds the words in a text. before: the preceding byte.
func (w *words) find(matches []Match, data []byte, before byte) []Match {
	if w.byHead == nil {
		return matches
	}
	for at := 0; at+minWord <= len(data); at++ {
		if isWord(before, data[at]) {
			for _, word := range w.byHead[[minWord]byte(data[at:])] {
				end := at + len(word.text)
				if strings.HasPrefix(string(data[at:min(end, len(data))]), word.text) &&
					(end == len(data) || isWord(data[end-1], data[end])) {
					matches = append(matches, Match{Start: at, End: end, Pattern: word.pattern})
				}
			}
		}
		before = data[at]
	}
	return matches
}

// open returns where a word that continues may begin.
func (w *words) open(data []byte, before byte) int {
	for at := max(0, len(data)-w.most); at < len(data); at++ {
		if at > 0 {
			before = data[at-1]
		}
		if !isWord(before, data[at]) {
			continue
		}
		for _, words := range w.byHead {
			for _, word := range words {
				if strings.HasPrefix(word.text, string(data[at:])) {
					return at
				}
			}
		}
	}
	return len(data)
}

func isWord(before, behind byte) bool {
	return !charset.IsWord(before) || !charset.IsWord(behind)
}
