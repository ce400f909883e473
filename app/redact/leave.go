package redact

import (
	"sort"
	"unicode"
	"unicode/utf8"
)

// filter says what a view leaves out of its parent.
type filter struct {
	class *[256]uint8 // of each byte: drop, keep, ask or oddity
	alone uint8       // class of a byte that begins a character of which the rest isn't there
	// ask says, of the character or sequence with which a text begins, its length in bytes and whether it stays.
	ask func(text []byte) (n int, stays bool)
}

const (
	drop uint8 = iota
	keep
	ask
	oddity = 4 // dropped, and in no ordinary text
)

// mark ties a place of a filtered view to its parent. What is between two marks is found by filtering again, which is needed only where there
// is a value; a list of all places would be larger than the text.
type mark struct{ at, from int32 }

const markEvery = 1 << 10 // bytes of the parent

// leave returns what a filter leaves; nil if that is all of it. odd says that something was left out that is in no ordinary text.
func (f *filter) leave(text []byte) *build {
	first := f.first(text)
	if first == len(text) {
		return nil
	}
	b := &build{text: make([]byte, len(text)), filter: f}
	i, n := first, copy(b.text, text[:first])
	for at := 0; at < first; at += markEvery {
		b.marks = append(b.marks, mark{int32(at), int32(at)})
	}
	for i < len(text) {
		b.marks = append(b.marks, mark{int32(n), int32(i)})
		for limit := min(i+markEvery, len(text)); i < limit; {
			var odd bool
			i, n, odd = f.fast(b.text, text[:limit], i, n)
			b.odd = b.odd || odd
			if i == limit {
				break
			}
			size, stays := f.next(text[i:])
			if stays {
				n += copy(b.text[n:], text[i:i+size])
			} else {
				b.odd = true
			}
			i += size
		}
	}
	b.text = b.text[:n]
	return b
}

// fast filters until it has to ask. It writes every byte, so that it needn't guess which stay.
func (f *filter) fast(out, text []byte, i, n int) (int, int, bool) {
	var all uint8
	for ; i < len(text); i++ {
		k := f.class[text[i]]
		if k == ask {
			break
		}
		all |= k
		out[n] = text[i]
		n += int(k & keep)
	}
	return i, n, all&oddity != 0
}

// first returns the offset of the first thing that doesn't stay.
func (f *filter) first(text []byte) int {
	for i := 0; i < len(text); {
		if f.class[text[i]] == keep {
			i++
			continue
		}
		size, stays := f.next(text[i:])
		if !stays {
			return i
		}
		i += size
	}
	return len(text)
}

// next says of what a text begins with how long it is, and whether it stays.
func (f *filter) next(text []byte) (n int, stays bool) {
	k := f.class[text[0]]
	if k == ask && text[0] >= utf8.RuneSelf && !goesOn(text[1:]) {
		k = f.alone
	}
	if k != ask {
		return 1, k == keep
	}
	return f.ask(text)
}

// source returns the offset in the parent of a byte of a filtered view.
func (v *view) source(at int) int {
	k := sort.Search(len(v.marks), func(k int) bool { return int(v.marks[k].at) > at }) - 1
	n, i := int(v.marks[k].at), int(v.marks[k].from)
	for {
		size, stays := v.filter.next(v.parent.text[i:])
		if stays {
			if at < n+size {
				return i + at - n
			}
			n += size
		}
		i += size
	}
}

// spaces leaves out what a reader doesn't see: white space, control and format characters, and what colours a terminal.
var spaces = filter{
	class: classOf(func(c byte) uint8 {
		switch {
		case c == ' ' || c == '\n' || c == '\r' || c == '\t':
			return drop
		case c == 0x1b || unseenPairs[c] != 0:
			return ask
		case c < ' ' || c == 0x7f:
			return oddity
		}
		return keep
	}),
	alone: keep,
	ask: func(text []byte) (int, bool) {
		if n := invisible(text); n > 0 {
			return n, false
		}
		return 1, true
	},
}

// seams leaves out what stands between texts.
var seams = filter{class: classOf(func(c byte) uint8 {
	if c == unit[0] {
		return drop
	}
	return keep
})}

// letters leaves only letters and digits.
var letters = filter{
	class: classOf(func(c byte) uint8 {
		switch {
		case c >= 0xc2 && c <= 0xf4: // no other byte begins a character that isn't ASCII
			return ask
		case c != '_' && isWord(c):
			return keep
		}
		return drop
	}),
	alone: oddity,
	ask: func(text []byte) (int, bool) {
		if text[0] < 0xe0 { // a character of two bytes: next has seen the second one
			r := rune(text[0]&31)<<6 | rune(text[1]&63)
			return 2, twoByteLetters[r>>6]>>(r&63)&1 != 0
		}
		r, size := utf8.DecodeRune(text)
		return size, unicode.IsLetter(r) || unicode.IsDigit(r)
	},
}

// twoByteLetters has a bit for each character of two bytes that is a letter or digit.
var twoByteLetters = func() (t [32]uint64) {
	for r := rune(utf8.RuneSelf); r < 0x800; r++ {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			t[r>>6] |= 1 << (r & 63)
		}
	}
	return t
}()

func classOf(class func(byte) uint8) *[256]uint8 {
	t := new([256]uint8)
	for c := range t {
		t[c] = class(byte(c))
	}
	return t
}

// onlyLetters is letters for a value.
func onlyLetters(text string) string {
	if b := letters.leave([]byte(text)); b != nil {
		return string(b.text)
	}
	return text
}
