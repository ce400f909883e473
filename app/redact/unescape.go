package redact

import (
	"bytes"
	"html"
	"unicode/utf16"
	"unicode/utf8"
)

// unescaper reads one escape at the beginning of a text and returns what it stands for and its length; 0 if there is none. since is how many bytes before it
// the last one ended.
type unescaper func(text, buf []byte, since int) (out []byte, n int)

// nearEscape is how far from each other escapes may be to say that both are some, in bytes.
const nearEscape = 32

// unescape decodes all escapes that begin with mark, with what is near them; nil if there are none.
func unescape(text []byte, near around, mark byte, read unescaper) *build {
	b := build{}
	end, last := 0, -nearEscape-1 // of the last escape
	var buf [16]byte
	for i := 0; i < len(text); {
		next := bytes.IndexByte(text[i:], mark)
		if next < 0 {
			break
		}
		i += next
		out, n := read(text[i:], buf[:0], i-last)
		if n == 0 {
			i++
			continue
		}
		b.nearby(text, end, i, near)
		b.add(out, i, i+n, whole)
		i += n
		end, last = i, i
	}
	return b.rest(text, end, near)
}

// hexValue returns the value of the first width hex digits; ok is false if they are not there.
func hexValue(text []byte, width int) (n rune, ok bool) {
	if len(text) < width {
		return 0, false
	}
	for _, c := range text[:width] {
		d := hexDigit[c]
		if d < 0 {
			return 0, false
		}
		n = n<<4 | rune(d)
	}
	return n, true
}

// backslash reads the escapes of JSON, JavaScript, Python, C and shells.
func backslash(text, buf []byte, _ int) ([]byte, int) {
	if len(text) < 2 {
		return nil, 0
	}
	switch c := text[1]; c {
	case 'u':
		return unicodeEscape(text, buf)
	case 'U':
		if r, ok := hexValue(text[2:], 8); ok {
			return utf8.AppendRune(buf, r), 10
		}
	case 'x':
		if r, ok := hexValue(text[2:], 2); ok {
			return append(buf, byte(r)), 4
		}
	case 'a', 'b', 'f', 'n', 'r', 't', 'v':
		return append(buf, "\a\b\f\n\r\t\v"[bytes.IndexByte([]byte("abfnrtv"), c)]), 2
	case '\n':
		return nil, 2
	default:
		if c >= '0' && c <= '7' {
			return octal(text, buf)
		}
		if c < utf8.RuneSelf && !isWord(c) {
			return append(buf, c), 2
		}
	}
	return nil, 0
}

func octal(text, buf []byte) ([]byte, int) {
	n, value := 1, 0
	for n < 4 && n < len(text) && text[n] >= '0' && text[n] <= '7' {
		value = value<<3 | int(text[n]-'0')
		n++
	}
	return append(buf, byte(value)), n
}

// unicodeEscape reads \u0053, pairs of surrogates, and \u{53}.
func unicodeEscape(text, buf []byte) ([]byte, int) {
	if len(text) > 3 && text[2] == '{' {
		end := bytes.IndexByte(text[:min(len(text), 12)], '}')
		if end < 4 {
			return nil, 0
		}
		r, ok := hexValue(text[3:end], end-3)
		if !ok {
			return nil, 0
		}
		return utf8.AppendRune(buf, r), end + 1
	}
	r, ok := hexValue(text[2:], 4)
	if !ok {
		return nil, 0
	}
	if utf16.IsSurrogate(r) && len(text) >= 12 && text[6] == '\\' && text[7] == 'u' {
		if low, ok := hexValue(text[8:], 4); ok {
			if full := utf16.DecodeRune(r, low); full != utf8.RuneError {
				return utf8.AppendRune(buf, full), 12
			}
		}
	}
	return utf8.AppendRune(buf, r), 6
}

// percentEscape reads %53 and %u0053.
func percentEscape(text, buf []byte, _ int) ([]byte, int) {
	if len(text) > 1 && (text[1] == 'u' || text[1] == 'U') {
		if r, ok := hexValue(text[2:], 4); ok {
			return utf8.AppendRune(buf, r), 6
		}
		return nil, 0
	}
	if r, ok := hexValue(text[1:], 2); ok {
		return append(buf, byte(r)), 3
	}
	return nil, 0
}

// plusSpaces returns the view with a space for each plus sign that was none of its escapes, as forms have it; nil if there is none.
func (b *build) plusSpaces() *build {
	out := &build{text: bytes.Clone(b.text), spans: b.spans}
	found := false
	for _, s := range b.spans {
		if s.how != exactly {
			continue
		}
		part := out.text[s.at : s.at+s.n]
		for i := bytes.IndexByte(part, '+'); i >= 0; i = bytes.IndexByte(part, '+') {
			part[i], found = ' ', true
		}
	}
	if !found {
		return nil
	}
	return out
}

// entity reads what HTML writes as &…;.
func entity(text, buf []byte, _ int) ([]byte, int) {
	end := bytes.IndexByte(text[:min(len(text), 34)], ';')
	if end < 2 {
		return nil, 0
	}
	name := string(text[:end+1])
	if out := html.UnescapeString(name); out != name {
		return append(buf, out...), end + 1
	}
	return nil, 0
}

// printable reads the escapes of quoted-printable, soft line breaks among them. An equals sign before a number is no escape:
// escapes come at least in twos, but for that of the equals sign itself.
func printable(text, buf []byte, since int) ([]byte, int) {
	r, ok := printableByte(text)
	if !ok {
		return softBreak(text)
	}
	if _, another := printableByte(text[3:]); since == 0 || another || r == '=' {
		return append(buf, byte(r)), 3
	}
	return nil, 0
}

// printableAlone is printable with escapes that stand alone, if something near says that they are some. Base 85 behind an equals sign may look like that, so neither
// can do without the other.
func printableAlone(text, buf []byte, since int) ([]byte, int) {
	r, ok := printableByte(text)
	if !ok {
		return softBreak(text)
	}
	if since <= nearEscape || printableNear(text) {
		return append(buf, byte(r)), 3
	}
	return nil, 0
}

// softBreak returns the length of the soft line break with which a text begins.
func softBreak(text []byte) ([]byte, int) {
	for i, c := range text[1:min(len(text), 4)] {
		if c == '\n' {
			return nil, i + 2
		}
		if c != '\r' && c != ' ' {
			break
		}
	}
	return nil, 0
}

// printableNear says, of a text that begins with what may be an escape, whether something near says so too: the same three times, two side by side, or one of a
// digit and a letter, as punctuation has: =5F.
func printableNear(text []byte) bool {
	if bytes.Count(text[:min(len(text), 2*nearEscape)], text[:3]) >= 3 {
		return true
	}
	text = text[:min(len(text), nearEscape)]
	for next := 0; next >= 0; next = bytes.IndexByte(text, '=') {
		text = text[next:]
		if _, ok := printableByte(text); ok {
			if _, another := printableByte(text[3:]); another || text[1] < 'A' && text[2] >= 'A' {
				return true
			}
		}
		text = text[1:]
	}
	return false
}

func printableByte(text []byte) (rune, bool) {
	if len(text) < 3 || text[0] != '=' || text[1] >= 'a' || text[2] >= 'a' {
		return 0, false
	}
	return hexValue(text[1:], 2)
}

// hexDigit is the value of each byte as a hex digit, or -1.
var hexDigit = digitTable("0123456789abcdef", "0123456789ABCDEF")

// digitTable returns, for each byte, its place in one of the alphabets, or -1.
func digitTable(alphabets ...string) (t [256]int8) {
	for i := range t {
		t[i] = -1
	}
	for _, a := range alphabets {
		for i := range len(a) {
			t[a[i]] = int8(i)
		}
	}
	return t
}
