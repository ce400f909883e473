package decode

import "github.com/computclaw/airlock/app/redact/charset"

// readings are the ways in which a number can be read that stands at the end of a list. What
// follows the list, or goes before it, may be digits as well, and nothing tells where they meet:
// 0713 may be the byte 071 and a 3.
type readings struct {
	count   int
	lengths [4]int // in bytes, the longest first; 0 behind them
	numbers [4]rune
}

// leastByte is the smallest with which text or compressed data begins, or text ends. A number that
// can be read otherwise is none below it.
const leastByte = 0x1f

// try adds a number, if it is one and another than the last.
func (r *readings) try(digits []byte, base int) {
	n, ok := number(token{text: digits}, base)
	if !ok || r.count > 0 && (n == r.numbers[r.count-1] || n < leastByte || n > 255) {
		return
	}
	r.lengths[r.count], r.numbers[r.count] = len(digits), n
	r.count++
}

// heads returns how the number with which a token begins can be read.
func (l *list) heads(token []byte) (r readings) {
	mark := l.mark(token)
	end := mark
	for end < len(token) && WordClass[token[end]]&l.bit != 0 {
		end++
	}
	if end == mark {
		return r
	}
	r.try(token[:end], l.base)
	for i, width := range l.widths(token[:mark]) {
		if width > 0 && mark+width < end && (i == 0 || token[mark] != '0') {
			r.try(token[:mark+width], l.base)
		}
	}
	return r
}

// tails returns how the number with which a token ends can be read.
func (l *list) tails(token []byte) (r readings) {
	from := len(token)
	for from > 0 && WordClass[token[from-1]]&l.bit != 0 {
		from--
	}
	if from == len(token) {
		return r
	}
	for _, n := range [...]int{2, 1} {
		if n <= from && l.mark(token[from-n:]) == n {
			r.try(token[from-n:], l.base)
			break
		}
	}
	r.try(token[from:], l.base)
	for i, width := range l.widths(nil) {
		if at := len(token) - width; width > 0 && at > from && (i == 0 || token[at] != '0') {
			r.try(token[at:], l.base)
		}
	}
	return r
}

// tail returns the first of the ways in which the number with which a token ends can be read, and
// its length; 0 if there is none.
func (l *list) tail(token []byte) (n rune, length int) {
	end := len(token)
	if l.base == 2 && end < 6 || l.base == 8 && end < 3 {
		return 0, 0
	}
	if l.base == 16 && end > 2 && end < 5 && WordClass[token[0]]&WordClass[token[end-3]]&base16 != 0 { // the usual case
		if high, low := charset.HexDigit[token[end-2]], charset.HexDigit[token[end-1]]; high >= 0 {
			return rune(high)<<4 | rune(low), 2
		}
	}
	r := l.tails(token)
	return r.numbers[0], r.lengths[0]
}

// mayBeTwo says that a number may be two bytes, one directly behind the other.
func (l *list) mayBeTwo(number []byte) bool {
	return l.tails(number).count > 1 && l.heads(number).count > 1
}

// mark returns how long the mark of the base is with which a token begins.
func (l *list) mark(token []byte) int {
	switch {
	case len(token) > 2 && token[0] == '0' && prefixed(token[1], l.base):
		return 2
	case len(token) > 1 && l.base == 16 && (token[0] == 'x' || token[0] == 'u' || token[0] == 'U'):
		return 1
	}
	return 0
}

// widths returns how many digits a byte has behind a mark, the most first. With fewer it has no
// zeros before it.
func (l *list) widths(mark []byte) [3]int {
	switch {
	case l.base == 2:
		return [3]int{8, 7, 6}
	case l.base != 16:
		return [3]int{3, 2}
	case len(mark) == 1 && mark[0] == 'u':
		return [3]int{4}
	case len(mark) == 1 && mark[0] == 'U':
		return [3]int{8}
	}
	return [3]int{2}
}
