package match

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// readBackslash reads the escapes of programming languages.
func (r *readings) readBackslash(data []byte, at int) {
	next := data[at]
	if !isName(next) { // shells, and JSON for a slash
		r.readSign(data, at, '\\')
		return
	}
	if controls[next] != none8 {
		r.add(at+1, controls[next])
	}
	if digits[next] < 16 {
		r.readNumbered(data, at)
	}
	switch at++; next {
	case 'x', 'X':
		r.readHexByte(data, at)
		r.readBraced(data, at)
	case 'u':
		r.readUTF16(data, at)
		r.readBraced(data, at)
	case 'U':
		r.readHexRune(data, at, 8)
	}
}

// controls has the control characters of letters behind a backslash.
var controls = table("abtnvfre0", "\a\b\t\n\v\f\r\x1b\x00")

// readBraced reads {3d}, as after \u in JavaScript and \x in Perl.
func (r *readings) readBraced(data []byte, at int) {
	if at == len(data) || data[at] != '{' {
		return
	}
	if c, end := readNumber(data, at+1, 16, 6); end > at+1 && end < len(data) && data[end] == '}' {
		r.addRune(end+1, c)
	}
}

// readUTF16 reads four digits, and a surrogate pair's second escape.
func (r *readings) readUTF16(data []byte, at int) {
	c, end := readNumber(data, at, 16, 4)
	if end != at+4 {
		return
	}
	r.addRune(end, c)
	if utf16.IsSurrogate(c) && bytes.HasPrefix(data[end:], []byte(`\u`)) {
		if low, end := readNumber(data, end+2, 16, 4); end == at+10 {
			r.addRune(end, utf16.DecodeRune(c, low))
		}
	}
}

// readNumbered reads a backslash and digits: two or three octal, three decimal (Lua, OCaml, DNS) or
// two hex (LDAP). CSS has up to six hex digits and one optional space.
func (r *readings) readNumbered(data []byte, at int) {
	var octal, decimal, hex, most rune
	n := 0
	for n < 6 && at < len(data) && digits[data[at]] < 16 {
		digit := rune(digits[data[at]])
		octal, decimal, hex, most = 8*octal+digit, 10*decimal+digit, 16*hex+digit, max(most, digit)
		n++
		at++
		if (n == 2 || n == 3) && most < 8 && octal < 256 {
			r.addByte(at, byte(octal))
		}
		if n == 3 && most < 10 && decimal < utf8.RuneSelf {
			r.add(at, byte(decimal))
		}
		if n == 2 {
			r.addByte(at, byte(hex))
		}
	}
	if n > 2 {
		r.addRune(at, hex)
	}
	if n > 1 && at < len(data) && (data[at] == ' ' || data[at] == '+') {
		r.addRune(at+1, hex)
	}
}
