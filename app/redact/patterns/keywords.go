package patterns

import (
	"encoding/binary"

	"github.com/computclaw/airlock/app/multimatch"
)

// keywords finds the keywords of rules in a text, whatever their letter case.
type keywords struct {
	automaton *multimatch.Automaton
	byEnd     [][]keyword
}

// keyword is one of a rule.
type keyword struct {
	rule   int
	length int
}

func newKeywords(rules []compiled) *keywords {
	var texts []string
	var all []keyword
	head := minKeyword
	for i, r := range rules {
		for _, word := range r.Keywords {
			texts = append(texts, string(lower(word)))
			all = append(all, keyword{i, len(word)})
			head = min(head, len(word))
		}
	}
	automaton, ends := multimatch.New(head, texts)
	k := &keywords{automaton: automaton, byEnd: make([][]keyword, automaton.Ends()+1)}
	for i, end := range ends {
		k.byEnd[end] = append(k.byEnd[end], all[i])
	}
	return k
}

// each calls found for every keyword, in the order of their ends, and returns how many bytes at the
// end of the text may begin one.
func (k *keywords) each(text string, found func(rule, start, length int)) (begun int) {
	return k.automaton.Each(lower(text), func(end multimatch.End, to int) {
		for _, word := range k.byEnd[end] {
			found(word.rule, to-word.length, word.length)
		}
	})
}

// lower returns a text with its ASCII letters in lower case.
func lower(text string) []byte {
	out := []byte(text)
	i := 0
	for ; i+8 <= len(out); i += 8 {
		w := binary.LittleEndian.Uint64(out[i:])
		binary.LittleEndian.PutUint64(out[i:], w|capitals(w)>>2)
	}
	for ; i < len(out); i++ {
		if 'A' <= out[i] && out[i] <= 'Z' {
			out[i] += 'a' - 'A'
		}
	}
	return out
}

// capitals sets the high bit of each of eight bytes that is an ASCII capital.
func capitals(w uint64) uint64 {
	const ones = 0x0101010101010101
	low := w &^ (0x80 * ones)
	return (low + (0x80-'A')*ones) &^ (low + (0x80-'Z'-1)*ones) &^ w & (0x80 * ones)
}
