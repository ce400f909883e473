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

// leads are the bytes with which an escape begins.
const leads = "%\\&=\"'$\x00\r\n"

// leadBits has a bit for each lead, and follows the bits of the leads that each byte can follow in
// an escape.
var leadBits, follows = func() (lead, next [256]uint16) {
	for i, second := range []string{
		"%uU" + hexDigits, "", "#" + letters, "\r\n" + hexDigits, `"`, `'"\`, "$", "", "\n", " \t",
	} {
		lead[leads[i]] = 1 << i
		for b := range next {
			if second == "" || strings.IndexByte(second, byte(b)) >= 0 {
				next[b] |= 1 << i
			}
		}
	}
	return lead, next
}()

const (
	hexDigits = "0123456789abcdefABCDEF"
	letters   = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

func isLead(b byte) bool { return leadBits[b] != 0 }

// mayEscape reports whether an escape may begin at a place.
func mayEscape(data []byte, at int) bool {
	return mayFollow(data, at+1, data[at])
}

// mayFollow reports whether an escape may go on behind its lead.
func mayFollow(data []byte, at int, lead byte) bool {
	return at < len(data) && leadBits[lead]&follows[data[at]] != 0
}

// reading is one way to read the first n bytes of a text. No text means that they are passed over.
type reading struct {
	text [utf8.UTFMax]byte
	size uint8
	n    uint8
}

func (r *reading) bytes() []byte { return r.text[:r.size] }

// lead returns the lead for which the escape stands, if it is one other than zero.
func (r *reading) lead() (byte, bool) {
	b := r.text[0]
	return b, r.size == 1 && b != 0 && isLead(b)
}

// readings collects the ways to read the beginning of a text, apart from the first byte as it is.
type readings struct {
	list   [24]reading // no text has so many
	size   int
	wide   bool // other characters than those of ASCII count
	single bool // a lead that is written twice does not: the second begins all that the first does
}

func (r *readings) all() []reading { return r.list[:r.size] }

// add adds that the first n bytes stand for a character of ASCII, or are another byte.
func (r *readings) add(n int, b byte) {
	if n <= maxEscape && r.size < len(r.list) {
		r.list[r.size] = reading{text: [utf8.UTFMax]byte{b}, size: 1, n: uint8(n)}
		r.size++
	}
}

// addText adds that the first n bytes stand for a text, or are passed over.
func (r *readings) addText(n int, text string) {
	if n <= maxEscape && r.size < len(r.list) {
		v := &r.list[r.size]
		v.size, v.n = uint8(copy(v.text[:], text)), uint8(n)
		r.size++
	}
}

// addByte adds a byte that some write for itself and others for the character with that number.
func (r *readings) addByte(n int, b byte) {
	if b < utf8.RuneSelf {
		r.add(n, b)
	} else if r.wide {
		r.add(n, b)
		r.addRune(n, rune(b))
	}
}

func (r *readings) addRune(n int, c rune) {
	if c < utf8.RuneSelf {
		r.add(n, byte(c))
	} else if r.wide && utf8.ValidRune(c) {
		r.addText(n, string(c))
	}
}

// read makes the readings those of an escape at the beginning of data.
func (r *readings) read(data []byte) {
	if r.size = 0; mayEscape(data, 0) {
		r.escape(data[0], data, 1)
	}
}

// readNested also adds those of which the lead is escaped.
func (r *readings) readNested(data []byte) {
	r.read(data)
	for i := 0; i < r.size; i++ { // each is longer than its lead
		if lead, ok := r.list[i].lead(); ok {
			r.escape(lead, data, int(r.list[i].n))
		}
	}
}

// escape adds the readings of an escape of which the first at bytes of data are the lead.
func (r *readings) escape(lead byte, data []byte, at int) {
	if at >= len(data) {
		return
	}
	switch lead {
	case '%':
		r.hexByte(data, at)
		switch data[at] {
		case '%':
			r.doubled(at+1, '%') // as in formats of C
		case 'u', 'U':
			r.hexRune(data, at+1, 4)
		}
	case '\\':
		r.backslash(data, at)
	case '&':
		r.reference(data, at)
	case '=': // quoted-printable
		r.hexByte(data, at)
		r.lineBreak(data, at)
	case '"', '\'', '$':
		r.quote(data, at, lead)
	case 0:
		r.addText(at, "")
	case '\r', '\n':
		r.folded(data, at, lead)
	}
}

func (r *readings) doubled(n int, lead byte) {
	if !r.single {
		r.add(n, lead)
	}
}

// lineBreak passes over a line break, if there is one.
func (r *readings) lineBreak(data []byte, at int) bool {
	if data[at] == '\r' && at+1 < len(data) {
		at++
	}
	if data[at] == '\n' {
		r.addText(at+1, "")
	}
	return data[at] == '\n'
}

// folded passes over a line break and the blank behind it, as in LDIF, calendars and heads of mail.
func (r *readings) folded(data []byte, at int, lead byte) {
	if lead == '\r' {
		if data[at] != '\n' {
			return
		}
		at++
	}
	if at < len(data) && (data[at] == ' ' || data[at] == '\t') {
		r.addText(at+1, "")
	}
}

// quote reads a quote that is written twice, as in CSV, SQL and YAML, and the quotes of shells.
func (r *readings) quote(data []byte, at int, quote byte) {
	if data[at] == quote {
		r.doubled(at+1, quote)
	}
	if quote != '\'' {
		return
	}
	for _, shell := range []string{`\''`, `"'"'`} {
		if bytes.HasPrefix(data[at:], []byte(shell)) {
			r.add(at+len(shell), quote)
		}
	}
}

// backslash reads the escapes of programming languages.
func (r *readings) backslash(data []byte, at int) {
	next := data[at]
	switch {
	case next == '\\':
		r.doubled(at+1, next)
		return
	case !isName(next):
		if !r.lineBreak(data, at) {
			r.add(at+1, next) // shells, and JSON for a slash
		}
		return
	case controls[next] != none8:
		r.add(at+1, controls[next])
	}
	if digits[next] < 16 {
		r.numbered(data, at)
	}
	switch at++; next {
	case 'x', 'X':
		r.hexByte(data, at)
		r.braced(data, at)
	case 'u':
		r.utf16(data, at)
		r.braced(data, at)
	case 'U':
		r.hexRune(data, at, 8)
	}
}

// none8 stands for no byte in tables of digits and control characters.
const none8 = 0xff

// controls has the control characters for which letters stand behind a backslash.
var controls = table("abtnvfre0", "\a\b\t\n\v\f\r\x1b\x00")

// table returns the values of some bytes, none8 for others.
func table(from, to string) (values [256]uint8) {
	for i := range values {
		values[i] = none8
	}
	for i := range len(from) {
		values[from[i]] = to[i]
	}
	return values
}

// braced reads {3d}, as after \u in JavaScript and \x in Perl.
func (r *readings) braced(data []byte, at int) {
	if at == len(data) || data[at] != '{' {
		return
	}
	if c, end := number(data, at+1, 16, 6); end > at+1 && end < len(data) && data[end] == '}' {
		r.addRune(end+1, c)
	}
}

// utf16 reads four digits, and of a pair of surrogates the second escape too.
func (r *readings) utf16(data []byte, at int) {
	c, end := number(data, at, 16, 4)
	if end != at+4 {
		return
	}
	r.addRune(end, c)
	if utf16.IsSurrogate(c) && bytes.HasPrefix(data[end:], []byte(`\u`)) {
		if low, end := number(data, end+2, 16, 4); end == at+10 {
			r.addRune(end, utf16.DecodeRune(c, low))
		}
	}
}

// numbered reads two or three octal digits, the three decimal ones of Lua, OCaml and DNS, the two
// hex ones of LDAP, and of CSS up to six with the one space that may end them.
func (r *readings) numbered(data []byte, at int) {
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

// reference reads a character reference of HTML, one by number also without its semicolon.
func (r *readings) reference(data []byte, at int) {
	if data[at] != '#' {
		r.named(data, at)
		return
	}
	base, most := 10, 7
	if at++; at < len(data) && data[at]|0x20 == 'x' {
		base, most = 16, 6
		at++
	}
	c, end := number(data, at, base, most)
	if end == at {
		return
	}
	r.addRune(end, c)
	if end < len(data) && data[end] == ';' {
		r.addRune(end+1, c)
	}
}

func (r *readings) named(data []byte, at int) {
	end := at
	for end < min(len(data), maxEscape) && isName(data[end]) {
		end++
	}
	if end < at+2 || end == len(data) || data[end] != ';' {
		return
	}
	text := "&"
	if name := data[at:end]; string(name) != "amp" { // by far the most frequent
		text = asciiNames[string(name)]
	}
	if text == "" && r.wide {
		if text = html.UnescapeString("&" + string(data[at:end+1])); text[0] == '&' || len(text) > utf8.UTFMax {
			return
		}
	}
	if text != "" {
		r.addText(end+1, text)
	}
}

// asciiNames are the characters of ASCII for which names stand in HTML.
var asciiNames = func() map[string]string {
	names := map[string]string{}
	for pair := range strings.FieldsSeq("amp& AMP& apos' ast* midast* bsol\\ colon: comma, commat@ dollar$ equals= " +
		"excl! grave` gt> GT> Hat^ lcub{ lbrace{ lowbar_ UnderBar_ lpar( lsqb[ lbrack[ lt< LT< num# percnt% period. " +
		"plus+ quest? quot\" QUOT\" rcub} rbrace} rpar) rsqb] rbrack] semi; sol/ verbar| vert|") {
		names[pair[:len(pair)-1]] = pair[len(pair)-1:]
	}
	names["fjlig"], names["NewLine"], names["Tab"] = "fj", "\n", "\t"
	return names
}()

// digits has the values of hex digits.
var digits = table(hexDigits,
	"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x0a\x0b\x0c\x0d\x0e\x0f")

// isName reports whether b may be part of a name: a letter or digit.
func isName(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z'
}

// number reads as many digits of a base as there are, up to most.
func number(data []byte, at, base, most int) (value rune, end int) {
	for end = at; end < min(len(data), at+most) && int(digits[data[end]]) < base; end++ {
		value = value*rune(base) + rune(digits[data[end]])
	}
	return value, end
}

// hexByte reads two hex digits.
func (r *readings) hexByte(data []byte, at int) {
	if at+1 < len(data) {
		if high, low := digits[data[at]], digits[data[at+1]]; high|low < 16 {
			r.addByte(at+2, high<<4|low)
		}
	}
}

// hexRune reads the number of a character in so many hex digits.
func (r *readings) hexRune(data []byte, at, count int) {
	if c, end := number(data, at, 16, count); end == at+count {
		r.addRune(end, c)
	}
}
