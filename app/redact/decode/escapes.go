package decode

import (
	"bytes"
	"html"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/computclaw/airlock/app/redact/charset"
	"github.com/computclaw/airlock/app/redact/derived"
)

// escapeReader reads one escape at the beginning of a text and returns what it stands for and its
// length; 0 if there is none. since is how many bytes before it the last one ended.
type escapeReader func(text, buf []byte, since int) (out []byte, n int)

// Escapes decodes all escapes that begin with mark, with what is near them; nil if there are none.
func Escapes(text []byte, near derived.Context, mark byte, read escapeReader) *derived.Builder {
	b := derived.Builder{}
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
		b.AddContext(text, end, i, near)
		b.Add(out, i, i+n, derived.Whole)
		i += n
		end, last = i, i
	}
	return b.Finish(text, end, near)
}

// hexValue returns the value of the first width hex digits; ok is false if they are not there.
func hexValue(text []byte, width int) (n rune, ok bool) {
	if len(text) < width {
		return 0, false
	}
	for _, c := range text[:width] {
		d := charset.HexDigit[c]
		if d < 0 {
			return 0, false
		}
		n = n<<4 | rune(d)
	}
	return n, true
}

// Backslash reads the escapes of JSON, JavaScript, Python, C and shells.
func Backslash(text, buf []byte, _ int) ([]byte, int) {
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
		if c < utf8.RuneSelf && !charset.IsWord(c) {
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

// Percent reads %53 and %u0053.
func Percent(text, buf []byte, _ int) ([]byte, int) {
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

// Plus reads + as forms write a space.
func Plus(_, buf []byte, _ int) ([]byte, int) { return append(buf, ' '), 1 }

// PlusSpaces returns a view with a space for each plus sign that was none of its escapes, as forms
// have it; nil if there is none.
func PlusSpaces(b *derived.Builder) *derived.Builder {
	out := &derived.Builder{Text: bytes.Clone(b.Text), Spans: b.Spans}
	found := false
	for _, s := range b.Spans {
		if s.How != derived.Exact {
			continue
		}
		part := out.Text[s.At : s.At+s.N]
		for i := bytes.IndexByte(part, '+'); i >= 0; i = bytes.IndexByte(part, '+') {
			part[i], found = ' ', true
		}
	}
	if !found {
		return nil
	}
	return out
}

// HTMLEntity reads what HTML writes as &…;.
func HTMLEntity(text, buf []byte, _ int) ([]byte, int) {
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
