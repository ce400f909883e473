package decode

import (
	"bytes"
	"unicode/utf8"

	"github.com/computclaw/airlock/app/redact/derived"
)

// minNumbers is the shortest list of numbers that is read as text: a value that counts there has as
// many bytes.
const minNumbers = derived.MinStretch

// list is a row of numbers of one base that stand one after the other. They are only counted until
// there are enough of them.
type list struct {
	base   int
	bit    uint8
	count  int
	from   int    // where the first one begins
	last   int    // where the last one begins
	to     int    // where it ends
	word   []byte // the last token that was no whole number of this base
	parted bool   // it stands behind the last number
	glued  bool   // a number may be two bytes
	marked bool   // it counts only if there is a letter in its numbers
	Alphabet
}

// lister goes through a text from token to token.
type lister struct {
	text []byte
	b    derived.Builder
	all  []list
}

func newLister(text []byte, rotated bool, a Alphabet) *lister {
	l := &lister{text: text,
		all: []list{{base: 16, bit: base16}, {base: 10, bit: base10}, {base: 8, bit: base8}, {base: 2, bit: base2}}}
	if rotated {
		l.all = l.all[:1]
	}
	for k := range l.all {
		l.all[k].marked, l.all[k].Alphabet = rotated, a
	}
	return l
}

// Lists reads lists of numbers in bases 10, 8, 2 and 16 as bytes and as characters of an alphabet.
// It reads only where there may be enough numbers in a row. ROT13 leaves digits as they are, so of
// a text of which it was undone only lists in base 16 count that have letters: others were read
// before.
func Lists(text []byte, rotated bool, a Alphabet) *derived.Builder {
	l := newLister(text, rotated, a)
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

// read takes the tokens from an offset at which no list is open up to another one, and beyond it
// for as long as one is open. It returns where it stopped.
func (l *lister) read(i, until int) int {
	text := l.text
	begun := false
	var last derived.Window // the last token
	for i < len(text) && (begun || i < until) {
		if WordClass[text[i]]&begins == 0 {
			i++
			continue
		}
		from := i
		if !begun {
			if i = endOfWord(text, i); WordClass[text[i-1]]&base16 == 0 {
				l.setWord(text[from:i])
				continue // nothing to add to, and no number
			}
		}
		t := tokenAt(text, from)
		i = from + len(t.text)
		near := sideBySide(text, last, derived.Window{From: from, To: i})
		begun = l.take(t, from, near)
		last = derived.Window{From: from, To: i}
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
	maxBetween = 6  // bytes between two numbers of a list, white space not counted
	maxColumn  = 80 // bytes between them with that, or if the same stands between others
)

// sideBySide reports whether two tokens may be of one list: there is little between them, or what
// also stands behind the second one or before the first.
func sideBySide(text []byte, first, second derived.Window) bool {
	between := text[first.To:second.From]
	if len(between) > maxColumn || bytes.IndexByte(between, derived.Barrier) >= 0 {
		return false
	}
	n := len(between)
	for i := 0; i < len(between) && n > maxBetween; i++ {
		if c := between[i]; c == ' ' || c == '\t' || c == '\r' || c == '\n' {
			n--
		}
	}
	return n <= maxBetween || bytes.HasPrefix(text[second.To:], between) || bytes.HasSuffix(text[:first.From], between)
}

// take counts a number, or ends the list. The same word may stand between all numbers:
// chr(72)+chr(105).
func (l *list) take(b *derived.Builder, text []byte, t token, from int) {
	switch {
	case l.count == 0:
		l.begin(t, from)
	case bytes.Equal(l.word, t.text):
		l.parted = true
	case l.isNumber(t):
		l.goOn(from, len(t.text))
		l.glued = l.glued || l.base == 10 && len(t.text) > 3 && l.mayBeTwo(t.text)
	default:
		length := 0
		if l.count+1 >= minNumbers { // something may stand directly behind the last one
			length = l.heads(t.text).lengths[0]
		}
		behind := !l.parted && length == 0
		if length > 0 {
			l.goOn(from, length)
		}
		l.flush(b, text)
		l.restart(t, from, behind)
	}
}

// isNumber says that the whole token is a number.
func (l *list) isNumber(t token) bool {
	if t.fits&l.bit == 0 {
		return false
	}
	_, ok := number(t, l.base)
	return ok
}

// goOn counts a number.
func (l *list) goOn(from, length int) {
	l.count++
	l.last, l.to, l.parted = from, from+length, false
}

// begin begins a list with a token, if that is a number or ends in one: something may stand
// directly before it.
func (l *list) begin(t token, from int) {
	if l.isNumber(t) {
		l.from = from
		l.goOn(from, len(t.text))
		return
	}
	l.word = t.text
	if t.last&l.bit != 0 {
		if _, length := l.tail(t.text); length > 0 {
			l.beginWith(t, from, length)
		}
	}
}

// beginWith begins a list with what a token ends in.
func (l *list) beginWith(t token, from, length int) {
	l.from = from + len(t.text) - length
	l.goOn(l.from, length)
}

// restart begins another list with the token that ended the last one: its end may be a number, or
// it may be the word between that list's last number and what follows, if it stands behind it.
func (l *list) restart(t token, from int, behind bool) {
	l.word = t.text
	if t.last&l.bit != 0 {
		if n, length := l.tail(t.text); length > 0 && (!behind || n >= leastByte) { // not the 8 of uint8
			l.beginWith(t, from, length)
			return
		}
	}
	if behind {
		l.count, l.from, l.parted = 1, l.last, true
	}
}

// flush ends the list and reads it, if it is long enough.
func (l *list) flush(b *derived.Builder, text []byte) {
	if l.count >= minNumbers {
		l.readAll(b, text, l.from, l.last, l.to)
		if l.glued {
			l.readParts(b, text)
		}
	}
	l.count, l.glued = 0, false
}

// readAll adds each way to read a part of the list. Its first and last numbers begin at offsets,
// and it ends at another one.
func (l *list) readAll(b *derived.Builder, text []byte, from, last, to int) {
	first := tokenAt(text[:to], from).text
	starts, ends := l.tails(first), l.heads(text[last:to])
	for i, n := range starts.lengths[:starts.count] {
		for k, m := range ends.lengths[:ends.count] {
			if (from == l.from || starts.numbers[i] < 256) && (to == l.to || ends.numbers[k] < 256) {
				l.read(b, text, derived.Window{From: from + len(first) - n, To: last + m})
			}
		}
	}
}

// readParts reads what is between numbers that are no bytes: each may be the last one of a list and
// the first one of the next.
func (l *list) readParts(b *derived.Builder, text []byte) {
	from, count := l.from, 0
	l.each(text, derived.Window{From: l.from, To: l.to}, func(n rune, at, to int) {
		count++
		if n < 256 && at < l.last || at == l.from {
			return
		}
		if count >= minNumbers && (at < l.last || from > l.from) {
			l.readAll(b, text, from, at, to)
		}
		from, count = at, 1
	})
}

// read adds what the numbers in a part of the text stand for: each a byte, and each a character,
// where that differs.
func (l *list) read(b *derived.Builder, text []byte, in derived.Window) {
	var narrow, wide []byte
	differ, marked := false, !l.marked
	l.each(text, in, func(n rune, from, to int) {
		wide = utf8.AppendRune(wide, n)
		narrow = appendNumber(narrow, n)
		differ = differ || n >= utf8.RuneSelf
		marked = marked || hasLetter(text[from:to])
	})
	if !marked {
		return
	}
	if holdsPacked(narrow) {
		l.add(b, text, in, []derived.Window{{From: 0, To: len(narrow)}}, appendNumber)
	} else {
		l.add(b, text, in, l.parts(narrow), appendNumber)
	}
	if differ {
		l.add(b, text, in, l.parts(wide), utf8.AppendRune)
	}
}

func hasLetter(number []byte) bool {
	for _, c := range number {
		if c > '9' {
			return true
		}
	}
	return false
}

// appendNumber appends a number as a byte, if it is one.
func appendNumber(out []byte, n rune) []byte {
	if n < 256 {
		return append(out, byte(n))
	}
	return utf8.AppendRune(out, n)
}

// add adds the numbers that stand for parts of what all of them stand for, with their places, and a
// barrier behind each part.
func (l *list) add(b *derived.Builder, text []byte, in derived.Window, parts []derived.Window,
	write func([]byte, rune) []byte) {
	var buf [utf8.UTFMax]byte
	at := 0
	l.each(text, in, func(n rune, from, to int) {
		out := write(buf[:0], n)
		if len(parts) > 0 && parts[0].To <= at {
			b.Barrier()
			parts = parts[1:]
		}
		if len(parts) > 0 && parts[0].From <= at {
			b.Add(out, from, to, derived.Whole)
		}
		at += len(out)
	})
	b.Barrier()
}

// each calls f for the numbers in a part of the text and where they are. All are whole there.
func (l *list) each(text []byte, in derived.Window, f func(n rune, from, to int)) {
	text = text[:in.To]
	for i := in.From; i < in.To; {
		if WordClass[text[i]]&begins == 0 {
			i++
			continue
		}
		t := tokenAt(text, i)
		if !bytes.Equal(l.word, t.text) { // that stands between two
			if n, ok := number(t, l.base); ok {
				f(n, i, i+len(t.text))
			}
		}
		i += len(t.text)
	}
}
