package match

import (
	"bytes"
	"html"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxEscape is the length of the longest escape of one character that is read, in bytes.
const maxEscape = 12

// unit is one way to read the first n bytes of a text. An empty text means that they are passed over.
type unit struct {
	text [utf8.UTFMax]byte
	size uint8
	n    uint8
}

func (u *unit) bytes() []byte { return u.text[:u.size] }

// units collects the ways to read the beginning of a text, apart from the first byte as it is.
type units struct {
	list [24]unit
	size int
}

func (u *units) all() []unit { return u.list[:u.size] }

// full reports whether no more are kept: no text has so many.
func (u *units) full() bool { return u.size == len(u.list) }

func (u *units) add(n int, text ...byte) {
	if n <= maxEscape && !u.full() {
		v := &u.list[u.size]
		v.size, v.n = uint8(copy(v.text[:], text)), uint8(n)
		u.size++
	}
}

// addByte adds a byte that some write for itself and others for the character with that number.
func (u *units) addByte(n int, b byte) {
	u.add(n, b)
	if b >= utf8.RuneSelf {
		u.addRune(n, rune(b))
	}
}

func (u *units) addRune(n int, r rune) {
	if utf8.ValidRune(r) {
		u.add(n, utf8.AppendRune(nil, r)...)
	}
}

// leads are the bytes with which an escape begins.
const leads = "%\\&=\"'$\x00\r\n"

// class is a set of bytes.
type class uint8

const (
	classHex class = 1 << iota
	classOctal
	classDecimal
	className // letters and digits
	classLead
	classX
	classU
)

var classes = func() (table [256]class) {
	for i := range table {
		b := byte(i)
		letter := 'a' <= b|0x20 && b|0x20 <= 'z'
		digit := '0' <= b && b <= '9'
		for _, c := range []struct {
			in  bool
			set class
		}{
			{digit || letter && b|0x20 <= 'f', classHex}, {digit && b < '8', classOctal}, {digit, classDecimal}, {digit || letter, className},
			{strings.IndexByte(leads, b) >= 0, classLead}, {b|0x20 == 'x', classX}, {b|0x20 == 'u', classU},
		} {
			if c.in {
				table[i] |= c.set
			}
		}
	}
	return table
}()

func isLead(b byte) bool { return classes[b]&classLead != 0 }

// read makes the units all readings of an escape at the beginning of data; nested also those of which the lead is escaped.
func (u *units) read(data []byte, nested bool) {
	u.size = 0
	if len(data) == 0 || !isLead(data[0]) {
		return
	}
	u.escape(data, data[0], 1)
	for from := 0; nested && from < u.size; { // each is longer than its lead
		for to := u.size; from < to; from++ {
			if lead := &u.list[from]; lead.size == 1 && lead.text[0] != 0 && isLead(lead.text[0]) {
				u.escape(data, lead.text[0], int(lead.n))
			}
		}
	}
}

// escape adds the readings of an escape of which the first n bytes are the lead.
func (u *units) escape(data []byte, lead byte, n int) {
	c := cursor{data, n}
	switch lead {
	case '%':
		u.percent(c)
	case '\\':
		u.backslash(c)
	case '&':
		u.reference(c)
	case '=':
		u.quotedPrintable(c)
	case '"', '\'', '$':
		u.doubled(c, lead)
	case 0:
		u.add(n)
	case '\r', '\n':
		u.folded(c)
	}
}

func (u *units) percent(c cursor) {
	u.doubled(c, '%') // as in formats of C
	if b, end, ok := c.hexByte(); ok {
		u.addByte(end, b)
	}
	if c.take(classU) != 0 {
		if r, end, ok := c.hex(4, 4); ok {
			u.addRune(end, r)
		}
	}
}

func (u *units) quotedPrintable(c cursor) {
	if b, end, ok := c.hexByte(); ok {
		u.addByte(end, b)
	}
	if n := lineBreak(c.rest()); n > 0 {
		u.add(c.at + n)
	}
}

// folded passes over a line break and the blank behind it, as in LDIF, calendars and the heads of mail.
func (u *units) folded(c cursor) {
	end := c.at
	if c.data[end-1] == '\r' && end < len(c.data) && c.data[end] == '\n' {
		end++
	}
	if end < len(c.data) && (c.data[end] == ' ' || c.data[end] == '\t') && c.data[end-1] == '\n' {
		u.add(end + 1)
	}
}

// doubled reads a quote that is written twice, as in CSV, SQL and YAML, and the quotes of shells.
func (u *units) doubled(c cursor, quote byte) {
	rest := c.rest()
	if len(rest) > 0 && rest[0] == quote {
		u.add(c.at+1, quote)
	}
	for _, shell := range []string{`\''`, `"'"'`} {
		if quote == '\'' && bytes.HasPrefix(rest, []byte(shell)) {
			u.add(c.at+len(shell), quote)
		}
	}
}

// control returns the control character for which a letter stands after a backslash.
func control(letter byte) (byte, bool) {
	i := strings.IndexByte("abtnvfre0", letter)
	if i < 0 {
		return 0, false
	}
	return "\a\b\t\n\v\f\r\x1b\x00"[i], true
}

func (u *units) backslash(c cursor) {
	rest := c.rest()
	if len(rest) == 0 {
		return
	}
	if n := lineBreak(rest); n > 0 {
		u.add(c.at + n)
		return
	}
	if classes[rest[0]]&className == 0 {
		u.add(c.at+1, rest[0]) // shells, and JSON for a slash
	}
	if b, ok := control(rest[0]); ok {
		u.add(c.at+1, b)
	}
	u.octal(c)
	u.css(c)
	switch after := (cursor{c.data, c.at + 1}); rest[0] {
	case 'x', 'X':
		if b, end, ok := after.hexByte(); ok {
			u.addByte(end, b)
		}
		u.braced(after)
	case 'u':
		u.utf16(after)
		u.braced(after)
	case 'U':
		if r, end, ok := after.hex(8, 8); ok {
			u.addRune(end, r)
		}
	}
}

// braced reads {3d}, as after \u in JavaScript and \x in Perl.
func (u *units) braced(c cursor) {
	if !c.one('{') {
		return
	}
	if r, end, ok := c.hex(1, 6); ok {
		c.at = end
		if c.one('}') {
			u.addRune(c.at, r)
		}
	}
}

// utf16 reads four digits, and of a pair of surrogates the second escape too.
func (u *units) utf16(c cursor) {
	r, end, ok := c.hex(4, 4)
	if !ok {
		return
	}
	u.addRune(end, r)
	if c.at = end; utf16.IsSurrogate(r) && c.one('\\') && c.one('u') {
		if low, end, ok := c.hex(4, 4); ok {
			u.addRune(end, utf16.DecodeRune(r, low))
		}
	}
}

// octal reads two or three octal digits, and the three decimal ones of Lua, OCaml and DNS.
func (u *units) octal(c cursor) {
	value, decimal := 0, c
	for digits := 1; digits <= 3; digits++ {
		d := c.take(classOctal)
		if d == 0 {
			break
		}
		if value = 8*value + int(d-'0'); digits > 1 && value < 256 {
			u.addByte(c.at, byte(value))
		}
	}
	if value, end, digits := decimal.number(10, 3); digits == 3 && value < 0x80 {
		u.add(end, byte(value))
	}
}

// css reads up to six hex digits and the one space that may end them, and the two digits of LDAP.
func (u *units) css(c cursor) {
	if b, end, ok := c.hexByte(); ok {
		u.addByte(end, b)
	}
	r, end, ok := c.hex(2, 6)
	if !ok {
		return
	}
	u.addRune(end, r)
	if c.at = end; c.one(' ') || c.one('+') {
		u.addRune(c.at, r)
	}
}

// reference reads a character reference of HTML, also without its semicolon.
func (u *units) reference(c cursor) {
	if !c.one('#') {
		u.named(c)
		return
	}
	r, end, digits := c.number(10, 7)
	if c.take(classX) != 0 {
		r, end, digits = c.number(16, 6)
	}
	if digits == 0 {
		return
	}
	u.addRune(end, r)
	if c.at = end; c.one(';') {
		u.addRune(c.at, r)
	}
}

func (u *units) named(c cursor) {
	name := []byte("&")
	for len(name) < maxEscape {
		b := c.take(className)
		if b == 0 {
			break
		}
		name = append(name, b)
	}
	if len(name) < 3 || !c.one(';') {
		return
	}
	name = append(name, ';')
	if text := html.UnescapeString(string(name)); text != string(name) && len(text) <= utf8.UTFMax {
		u.add(c.at, []byte(text)...)
	}
}

// lineBreak returns the length of a line break at the beginning of data, 0 if there is none.
func lineBreak(data []byte) int {
	switch {
	case len(data) > 1 && data[0] == '\r' && data[1] == '\n':
		return 2
	case len(data) > 0 && data[0] == '\n':
		return 1
	}
	return 0
}

// cursor reads what follows the lead of an escape.
type cursor struct {
	data []byte
	at   int
}

func (c *cursor) rest() []byte { return c.data[min(c.at, len(c.data)):] }

// take reads one character of a class, and returns 0 if another follows.
func (c *cursor) take(of class) byte {
	if c.at >= len(c.data) || classes[c.data[c.at]]&of == 0 {
		return 0
	}
	c.at++
	return c.data[c.at-1]
}

// one reads a certain character.
func (c *cursor) one(want byte) bool {
	if c.at >= len(c.data) || c.data[c.at] != want {
		return false
	}
	c.at++
	return true
}

// unhex returns the value of a hex digit, and more than 15 for other bytes.
func unhex(b byte) byte {
	switch {
	case classes[b]&classHex == 0:
		return 0xff
	case b <= '9':
		return b - '0'
	}
	return (b | 0x20) - 'a' + 10
}

// number reads as many digits as there are, up to most.
func (c cursor) number(base, most int) (value rune, end, digits int) {
	digit := classHex
	if base == 10 {
		digit = classDecimal
	}
	for ; digits < most; digits++ {
		d := c.take(digit)
		if d == 0 {
			break
		}
		value = value*rune(base) + rune(unhex(d))
	}
	return value, c.at, digits
}

func (c cursor) hex(least, most int) (rune, int, bool) {
	value, end, digits := c.number(16, most)
	return value, end, digits >= least
}

func (c cursor) hexByte() (byte, int, bool) {
	value, end, ok := c.hex(2, 2)
	return byte(value), end, ok
}
