package decode

import "bytes"

// row is a part of a text in which a list of numbers may be.
type row struct {
	from int    // no list is open here,
	word []byte // and this was the last token that was no number
	end  int    // where its numbers end; 0: there is no row
}

// minRow is how many whole numbers a list has at least: beside it, its first one may stand at the
// end of a token and its last one at the beginning of one.
const minRow = minNumbers - 2

// nextRow returns the next part of the text, from an offset at which no list is open, with so many
// tokens that each may be a number and nothing between them but one word, again and again. It asks
// less of them than read does, so what it passes over has no list that is long enough: a list goes
// on with nothing but whole numbers and one word between them, and a token that ends in no digit
// and is another word ends all lists and begins none but with the number before it.
func (l *lister) nextRow(i int) row {
	text := l.text
	var word []byte // the last token that can be no number
	var bases uint8
	for _, list := range l.all {
		bases |= list.bit
	}
	found := row{from: i}
	count := 0
	behind := -1      // where the last token begins, if it ends in what may be a number,
	var before []byte // and word before it
	for i < len(text) {
		k := WordClass[text[i]]
		if k&begins == 0 {
			i++
			continue
		}
		from, digits, last := i, k, k
		for i++; i < len(text); i++ {
			c := WordClass[text[i]]
			if c == 0 {
				break
			}
			digits &= c
			last = c
			if i-from > maxNumber { // no number any more
				i = endOfWord(text, i)
				last = WordClass[text[i-1]]
				break
			}
		}
		switch n := i - from; {
		case last&base16 != 0 && (n < len(fitting) && digits&fitting[n]&bases != 0 || mayBeMarked(text[from:i])):
			if count++; count >= minRow {
				found.end = i
				return found
			}
			behind, before = from, word
			continue
		case bytes.Equal(word, text[from:i]):
			behind = -1
			continue
		case last&base16 != 0: // its end may be a number
			behind, before = from, word
		case word == nil: // a list may have begun before it
			behind = -1
		case behind >= 0: // a list may have begun there, and go on behind the word
			found.from, found.word = behind, before
			behind = -1
		default:
			found.from, found.word = i, text[from:i]
		}
		if word != nil {
			count = 0
		}
		word = text[from:i]
	}
	return found
}
