package redact

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// invisible returns how many bytes at the beginning are not seen.
func invisible(text []byte) int {
	c := text[0]
	switch {
	case c == 0x1b:
		return terminal(text)
	case c <= ' ' || c == 0x7f:
		return 1
	case len(text) < 2 || !hides(c, text[1]):
		return 0
	}
	r, size := utf8.DecodeRune(text)
	if unicode.In(r, unseen...) || strings.ContainsRune(blanks, r) {
		return size
	}
	return 0
}

// unseen and blanks are the characters that are not seen, besides those of ASCII.
var unseen = []*unicode.RangeTable{unicode.Cf, unicode.White_Space, unicode.Cc, unicode.Variation_Selector}

const blanks = "\u034f\u115f\u1160\u3164"

// hides says whether a character that isn't seen may begin with two bytes.
func hides(first, second byte) bool {
	return unseenPairs[first]>>(second&63)&1 != 0 && second&0xc0 == 0x80
}

// unseenPairs has, for each first byte of such a character, a bit for each second one.
var unseenPairs = func() (t [256]uint64) {
	add := func(from, to rune) {
		for r := max(from, utf8.RuneSelf); r <= to; r++ {
			var buf [utf8.UTFMax]byte
			text := utf8.AppendRune(buf[:0], r)
			t[text[0]] |= 1 << (text[1] & 63)
		}
	}
	for _, table := range unseen {
		for _, r := range table.R16 {
			add(rune(r.Lo), rune(r.Hi))
		}
		for _, r := range table.R32 {
			add(rune(r.Lo), rune(r.Hi))
		}
	}
	for _, r := range blanks {
		add(r, r)
	}
	return t
}()

// maxTerminal is the longest escape sequence, in bytes.
const maxTerminal = 64

// terminal returns the length of an escape sequence of terminals.
func terminal(text []byte) int {
	if len(text) < 2 {
		return 1
	}
	limit := min(len(text), maxTerminal)
	switch text[1] {
	case '[':
		for i := 2; i < limit; i++ {
			if text[i] >= '@' && text[i] <= '~' {
				return i + 1
			}
		}
	case ']':
		for i := 2; i < limit; i++ {
			if text[i] == 7 {
				return i + 1
			}
			if text[i] == '\\' && text[i-1] == 0x1b {
				return i + 1
			}
		}
	default:
		return 2
	}
	return 1
}

// alternate takes out a sign that stands behind every single character, as in s-e-c-r-e-t. The rest of the text is left out. nil if
// there is no such thing.
func alternate(text []byte) *build {
	b := build{}
	for i := 0; i+2*minStretch <= len(text); i++ {
		if !maySign(text[i+1:]) {
			continue
		}
		sign := signAt(text[i+1:])
		step := 1 + len(sign)
		if len(sign) == 0 || !recurs(text[i+1:], sign, step) {
			continue
		}
		at, n, from := len(b.text), len(b.spans), i
		for ; i < len(text); i += step {
			follows := bytes.HasPrefix(text[i+1:], sign)
			last := !follows
			if bytes.HasPrefix(text[i:], sign) && !follows {
				if bytes.HasPrefix(text[min(i+step, len(text)):], sign) { // a space that stood here is gone already
					i--
					continue
				}
				last = true // the sign itself stands here, with nothing behind it
			}
			b.add(text[i:i+1], i, i+1, exactly)
			if last {
				break
			}
		}
		if len(b.text)-at < minStretch {
			b.text, b.spans, i = b.text[:at], b.spans[:n], from // it may begin one character on, with another sign
			continue
		}
		b.barrier()
	}
	if len(b.text) == 0 {
		return nil
	}
	return &b
}

// maySign says of eight bytes or more whether what they begin with may be a sign: one of one byte stands there four times, and that with which another one
// begins stands there again, behind it and a character.
func maySign(text []byte) bool {
	switch c := text[0]; {
	case c < utf8.RuneSelf:
		w := binary.LittleEndian.Uint64(text)
		return (w^w>>16)&0x0000_00ff_00ff_00ff == 0
	case c < 0xe0:
		return c == text[3]
	case c < 0xf0:
		return c == text[4]
	default:
		return c == text[5]
	}
}

// signAt returns the sign with which a text begins: of ASCII, or a character that is no letter. It is empty if there is none.
func signAt(text []byte) []byte {
	switch c := text[0]; {
	case c < ' ' || c < utf8.RuneSelf && isWord(c) && c != '_':
		return nil
	case c < utf8.RuneSelf:
		return text[:1]
	}
	r, size := utf8.DecodeRune(text)
	if size == 1 || unicode.IsLetter(r) || unicode.IsMark(r) {
		return nil
	}
	return text[:size]
}

// recurs says whether a sign with which a text begins stands there four times, so many bytes apart.
func recurs(text, sign []byte, step int) bool {
	for at := step; at <= 3*step; at += step {
		if at > len(text) || !bytes.HasPrefix(text[at:], sign) {
			return false
		}
	}
	return true
}

// backwards turns a text round, character by character.
func backwards(text []byte) *build {
	out := make([]byte, 0, len(text))
	for rest := text; len(rest) > 0; {
		if n := len(rest) - 8; n >= 0 {
			if w := binary.LittleEndian.Uint64(rest[n:]); w&highBits == 0 {
				out = binary.BigEndian.AppendUint64(out, w)
				rest = rest[:n]
				continue
			}
		}
		size := 1
		if rest[len(rest)-1] >= utf8.RuneSelf {
			_, size = utf8.DecodeLastRune(rest)
		}
		out = append(out, rest[len(rest)-size:]...)
		rest = rest[:len(rest)-size]
	}
	return &build{text: out, spans: []span{{n: int32(len(out)), to: int32(len(text)), how: turned}}}
}

// rotated undoes ROT13.
func rotated(text []byte) *build {
	out := make([]byte, len(text))
	for i, c := range text {
		out[i] = rotate13[c]
	}
	return &build{text: out}
}

var rotate13 = func() (t [256]byte) {
	for i := range t {
		t[i] = rotate(byte(i))
	}
	return t
}()

// compatible writes what is not ASCII with the plainest characters that mean the same, such as A for a wide A, together with what is near.
// nil if nothing changes.
func compatible(text []byte, near around) *build {
	b := build{}
	end := 0 // of the last change
	for i := nextComposed(text, 0); i < len(text); i = nextComposed(text, i) {
		from := i
		for from > end && text[from-1] >= utf8.RuneSelf && text[from-1] != barrier {
			from--
		}
		from = max(from-1, end)
		for i < len(text) && text[i] >= utf8.RuneSelf && text[i] != barrier {
			i++
		}
		if norm.NFKC.IsNormal(text[from:i]) {
			continue
		}
		b.nearby(text, end, from, near)
		var it norm.Iter
		it.Init(norm.NFKC, text[from:i])
		for !it.Done() {
			at := it.Pos()
			out := it.Next()
			b.add(out, from+at, from+it.Pos(), whole)
		}
		end = i
	}
	return b.rest(text, end, near)
}

// nextComposed returns the offset of the next character for which composed says yes, or the length of the text.
func nextComposed(text []byte, i int) int {
	for i < len(text) {
		if i+8 <= len(text) && binary.LittleEndian.Uint64(text[i:])&highBits == 0 {
			i += 8
			continue
		}
		if composes[text[i]] && goesOn(text[i+1:]) {
			if r, _ := utf8.DecodeRune(text[i:]); r != utf8.RuneError && composed(r) {
				return i
			}
		}
		i++
	}
	return len(text)
}

// goesOn says whether a text begins with a byte that goes on with a character. It saves decoding what is no text.
func goesOn(text []byte) bool { return len(text) > 0 && text[0]&0xc0 == 0x80 }

// composes has the first bytes of characters of which some are composed.
var composes = func() (t [256]bool) {
	for r := rune(utf8.RuneSelf); r <= unicode.MaxRune; r++ {
		if composed(r) {
			var buf [utf8.UTFMax]byte
			t[utf8.AppendRune(buf[:0], r)[0]] = true
		}
	}
	return t
}()

// highBits are those of eight bytes that no ASCII character has.
const highBits = 0x8080808080808080

// composed reports whether a character may have a plainer form or join the one before it. It saves asking about ordinary ones.
func composed(r rune) bool {
	return r >= 0xa0 && r <= 0xbe || r >= 0x2b0 && r <= 0x36f || r >= 0x1d2c && r <= 0x1dff || r >= 0x2000 && r <= 0x24ff && r != 0x2192 || r >= 0x2c7c && r <= 0x2c7d ||
		r >= 0x3000 && r <= 0x33ff || r >= 0xa69c && r <= 0xa7ff || r >= 0xf900 && r <= 0xffef || r >= 0x1d400
}

// around says how much of what surrounds a change may belong to the same value.
type around struct {
	near     int  // bytes
	barriers bool // it ends at a barrier
}

// before returns where what belongs to a change at from begins, not before end.
func (a around) before(text []byte, end, from int) int {
	start := max(from-a.near, end)
	if a.barriers {
		start += bytes.LastIndexByte(text[start:from], barrier) + 1
	}
	return start
}

// behind returns where what belongs to a change that ends at end does so, not after from.
func (a around) behind(text []byte, end, from int) int {
	last := min(end+a.near, from)
	if a.barriers {
		if i := bytes.IndexByte(text[end:last], barrier); i >= 0 {
			return end + i
		}
	}
	return last
}

// nearby adds what is around the end of the last change and before the next one, at from. end is 0 if there was none.
func (b *build) nearby(text []byte, end, from int, near around) {
	start := near.before(text, end, from)
	if end > 0 {
		if last := near.behind(text, end, from); last < start {
			b.add(text[end:last], end, last, exactly)
			b.barrier()
		} else {
			start = end
		}
	}
	b.add(text[start:from], start, from, exactly)
}

// rest adds what is behind the last change; nil if there was none.
func (b *build) rest(text []byte, end int, near around) *build {
	if end == 0 {
		return nil
	}
	last := near.behind(text, end, len(text))
	b.add(text[end:last], end, last, exactly)
	return b
}
