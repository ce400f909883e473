package redact

import "bytes"

// row is a part of a text in which a list of numbers may be.
type row struct {
	from int    // no list is open here,
	word []byte // and this was the last token that was no number
	end  int    // where its numbers end; 0: there is no row
}

// minRow is how many whole numbers a list has at least: beside it, its first one may stand at the end of a token and its last one at the beginning of one.
const minRow = minNumbers - 2

// nextRow returns the next part of the text, from an offset at which no list is open, with so many tokens side by side that each may be a number or is
// the word that was there before. It asks less of them than read does, so what it passes over has no list that is long enough: a list goes on with
// nothing but whole numbers and that word, and a token that ends in no digit and is another word ends all lists and begins none.
func (l *lister) nextRow(i int) row {
	text, word := l.text, l.word
	var bases uint8
	for _, list := range l.all {
		bases |= list.bit
	}
	found := row{from: i, word: word}
	count := 0
	for i < len(text) {
		k := digitOf[text[i]]
		if k&begins == 0 {
			i++
			continue
		}
		from, digits, last := i, k, k
		for i++; i < len(text); i++ {
			c := digitOf[text[i]]
			if c == 0 {
				break
			}
			digits &= c
			last = c
			if i-from > maxNumber { // no number any more
				i = endOfWord(text, i)
				last = digitOf[text[i-1]]
				break
			}
		}
		switch n := i - from; {
		case last&base16 == 0:
			if !bytes.Equal(word, text[from:i]) {
				word, count = text[from:i], 0
				found.from, found.word = i, word
			}
		case n < len(fitting) && digits&fitting[n]&bases != 0 || mayBeMarked(text[from:i]):
			if count++; count >= minRow {
				found.end = i
				return found
			}
		default:
			count = 0
		}
	}
	return found
}
