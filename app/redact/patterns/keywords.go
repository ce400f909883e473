package patterns

import (
	"slices"
	"strings"
)

// keywords finds the keywords of rules in a text, whatever their letter case.
type keywords struct {
	pairs [1 << 10]uint64 // bit set: a keyword begins with these two bytes
	words map[uint16][]keyword
	all   []keyword
}

// keyword is one of a rule.
type keyword struct {
	text string // two bytes or more
	rule int
}

func newKeywords(rules []compiled) *keywords {
	k := &keywords{words: map[uint16][]keyword{}}
	for i, r := range rules {
		for _, text := range r.Keywords {
			p := pair(text[0], text[1])
			k.pairs[p>>6] |= 1 << (p & 63)
			k.words[p] = append(k.words[p], keyword{text, i})
			k.all = append(k.all, keyword{text, i})
		}
	}
	return k
}

// pair joins two bytes; letters of either case give the same.
func pair(a, b byte) uint16 { return (uint16(a)<<8 | uint16(b)) | 0x2020 }

// each calls found for every keyword, in the order of their starts. It returns how many last bytes
// may begin one.
func (k *keywords) each(text string, found func(rule, start, length int)) (begun int) {
	for i := 1; i < len(text); i++ {
		p := pair(text[i-1], text[i])
		if k.pairs[p>>6]>>(p&63)&1 == 0 {
			continue
		}
		rest := text[i-1:]
		for _, word := range k.words[p] {
			n := min(len(rest), len(word.text))
			if !strings.EqualFold(rest[:n], word.text[:n]) {
				continue
			}
			if n < len(word.text) {
				begun = max(begun, n)
			} else {
				found(word.rule, i-1, n)
			}
		}
	}
	beginsLast := func(word keyword) bool { return strings.EqualFold(word.text[:1], text[len(text)-1:]) }
	if begun == 0 && text != "" && slices.ContainsFunc(k.all, beginsLast) {
		return 1
	}
	return begun
}
