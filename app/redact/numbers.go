package redact

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// minNumbers is the shortest list of numbers that is read as text: a value that counts there has as many bytes.
const minNumbers = minWhole

// list is a row of numbers of one base that stand one after the other. They are only counted until there are enough of them.
type list struct {
	base  int
	bit   uint8
	count int
	from  int    // where the first one begins
	to    int    // where the last one ends
	word  []byte // the last token that was no whole number of this base
}

// lister goes through a text from token to token.
type lister struct {
	text []byte
	b    build
	all  []list
}

func newLister(text []byte, onlyHex bool) *lister {
	l := &lister{text: text, all: []list{{base: 16, bit: base16}, {base: 10, bit: base10}, {base: 8, bit: base8}, {base: 2, bit: base2}}}
	if onlyHex {
		l.all = l.all[:1]
	}
	return l
}

// lists reads lists of numbers in bases 10, 8, 2 and 16 as bytes and as characters; if only hex counts, those in base 16. It reads only where there may
// be enough numbers in a row.
func lists(text []byte, onlyHex bool) *build {
	l := newLister(text, onlyHex)
	for at := 0; at < len(text); {
		row := l.nextRow(at)
		if row.end == 0 {
			break
		}
		if row.from > at {
			l.setWord(row.word)
		}
		at = l.read(row.from, row.end)
	}
	return &l.b
}

// setWord says that the last token was no number of any base.
func (l *lister) setWord(word []byte) {
	for k := range l.all {
		l.all[k].word = word
	}
}

// read takes the tokens from an offset at which no list is open up to another one, and beyond it for as long as one is open. It returns where it stopped.
func (l *lister) read(i, until int) int {
	text := l.text
	begun := false
	last := 0 // end of the last token
	for i < len(text) && (begun || i < until) {
		if digitOf[text[i]]&begins == 0 {
			i++
			continue
		}
		from := i
		if !begun {
			if i = endOfWord(text, i); i-from > maxToken || digitOf[text[i-1]]&base16 == 0 {
				l.setWord(text[from:i])
				continue // nothing to add to, and no number
			}
		}
		t := tokenAt(text, from)
		i = from + len(t.text)
		near := sideBySide(text[last:from])
		begun = l.take(t, from, near)
		last = i
	}
	for k := range l.all {
		l.all[k].flush(&l.b, text)
	}
	return i
}

// take gives a token to the lists, and reports whether one is open then.
func (l *lister) take(t token, from int, near bool) (begun bool) {
	for k := range l.all {
		list := &l.all[k]
		if list.count > 0 && !near {
			list.flush(&l.b, l.text)
		}
		if list.count == 0 && (t.fits|t.last)&list.bit == 0 {
			list.word = t.text
			continue // no number of this base
		}
		list.take(&l.b, l.text, t, from)
		begun = begun || list.count > 0
	}
	return begun
}

const (
	maxToken   = 24 // bytes of the longest word in which the first number of a list may be
	maxBetween = 6  // bytes between two numbers of a list, white space not counted
	maxColumn  = 80 // bytes between them with that
)

// sideBySide reports whether two numbers that have so much between them may be of one list.
func sideBySide(between []byte) bool {
	if len(between) > maxColumn || bytes.IndexByte(between, barrier) >= 0 {
		return false
	}
	n := len(between)
	for i := 0; i < len(between) && n > maxBetween; i++ {
		if c := between[i]; c == ' ' || c == '\t' || c == '\r' || c == '\n' {
			n--
		}
	}
	return n <= maxBetween
}

// take counts a number, or ends the list. The same word may stand between all numbers: chr(72)+chr(105).
func (l *list) take(b *build, text []byte, t token, from int) {
	if l.count > 0 && bytes.Equal(l.word, t.text) {
		return
	}
	_, lead, length := l.number(t, l.count == 0)
	if length < len(t.text) {
		l.word = t.text
	}
	if length == 0 {
		l.flush(b, text)
		return
	}
	if l.count == 0 {
		l.from = from + lead
	}
	l.count++
	l.to = from + lead + length
	if lead+length < len(t.text) {
		l.flush(b, text)
	}
}

// number reads the number in a token: all of it; its end, if the number is the first of a list; or two hex digits at the beginning of the last one.
// length is 0 if there is none.
func (l *list) number(t token, first bool) (n rune, lead, length int) {
	if t.fits&l.bit != 0 {
		if n, ok := number(t, l.base); ok {
			return n, 0, len(t.text)
		}
	}
	switch {
	case first && t.last&l.bit == 0:
	case first: // something may stand directly before it
		if lead = junk(t.text, l.base); lead == 0 {
			break
		}
		if end := t.text[lead:]; l.base == 16 && len(end) == 2 { // the usual case
			if hexDigit[end[0]] >= 0 {
				return rune(hexDigit[end[0]])<<4 | rune(hexDigit[end[1]]), lead, 2
			}
		} else if n, ok := number(tokenAt(t.text, lead), l.base); ok {
			return n, lead, len(t.text) - lead
		}
	case l.base == 16 && len(t.text) > 2:
		if n, ok := number(tokenAt(t.text[:2], 0), 16); ok {
			return n, 0, 2
		}
	default: // something may stand directly behind the last one
		for length < len(t.text) && digitOf[t.text[length]]&l.bit != 0 {
			length++
		}
		if length > 0 && length < len(t.text) {
			if n, ok := number(tokenAt(t.text[:length], 0), l.base); ok {
				return n, 0, length
			}
		}
		return 0, 0, 0
	}
	return 0, 0, 0
}

// flush ends the list and reads it, if it is long enough.
func (l *list) flush(b *build, text []byte) {
	if l.count >= minNumbers {
		l.read(b, text)
	}
	l.count = 0
}

// read adds what the numbers stand for: each a byte, and each a character, where that differs.
func (l *list) read(b *build, text []byte) {
	var narrow, wide []byte
	differ := false
	l.each(text, func(n rune, _, _ int) {
		wide = utf8.AppendRune(wide, n)
		narrow = appendNumber(narrow, n)
		differ = differ || n >= utf8.RuneSelf
	})
	if holdsPacked(narrow) || legible(narrow) {
		l.add(b, text, appendNumber)
	}
	if differ && legible(wide) {
		l.add(b, text, utf8.AppendRune)
	}
}

// appendNumber appends a number as a byte, if it is one.
func appendNumber(out []byte, n rune) []byte {
	if n < 256 {
		return append(out, byte(n))
	}
	return utf8.AppendRune(out, n)
}

// add adds the numbers with their places, and a barrier behind them.
func (l *list) add(b *build, text []byte, write func([]byte, rune) []byte) {
	var buf [utf8.UTFMax]byte
	b.spans = slices.Grow(b.spans, l.count)
	l.each(text, func(n rune, from, to int) { b.add(write(buf[:0], n), from, to, whole) })
	b.barrier()
}

// each calls f for the numbers and where they are.
func (l *list) each(text []byte, f func(n rune, from, to int)) {
	for i := l.from; i < l.to; {
		if digitOf[text[i]]&begins == 0 {
			i++
			continue
		}
		t := tokenAt(text[:l.to], i)
		if !bytes.Equal(l.word, t.text) { // that stands between two
			if n, _, length := l.number(t, false); length > 0 {
				f(n, i, i+len(t.text))
			}
		}
		i += len(t.text)
	}
}
