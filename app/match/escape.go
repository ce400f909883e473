package match

import (
	"bytes"
	"strings"
)

// maxEscape is the length of the longest escape of one character that is read, in bytes.
const maxEscape = 12

// leads are the first bytes of escapes, beginning with those that may stand for a line break.
const leads = "%\\&=<`\x00\r\n\"'$~_^"

// breaking has the bits of leads up to the line break.
const breaking = 1<<9 - 1

// leadBits has a bit for each lead, and follows the bits of the leads that each byte can follow in
// an escape.
var leadBits, follows = func() (lead, next [256]uint16) {
	for i, second := range []string{
		"%uU" + hexDigits, "", "#" + letters, "\r\n" + hexDigits, "bB", signs, "", "", "",
		`"`, `'"\`, "$" + hexDigits, hexDigits, "xX", signs,
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
	signs     = " !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~\r\n"
)

func isLead(b byte) bool { return leadBits[b] != 0 }

func mayEscape(data []byte, at int) bool {
	return mayFollow(data, at+1, data[at])
}

func mayFollow(data []byte, at int, lead byte) bool {
	return at < len(data) && leadBits[lead]&follows[data[at]] != 0
}

func (r *readings) read(data []byte) {
	if r.size = 0; mayEscape(data, 0) {
		r.readEscape(data[0], data, 1)
	}
}

// readNested also adds readings with an escaped lead.
func (r *readings) readNested(data []byte) {
	r.read(data)
	for i := 0; i < r.size; i++ { // each is longer than its lead
		if lead, ok := r.list[i].lead(); ok {
			r.readEscape(lead, data, int(r.list[i].n))
		}
	}
}

// readEscape adds the readings of an escape. lead: its first at bytes.
func (r *readings) readEscape(lead byte, data []byte, at int) {
	if at >= len(data) {
		return
	}
	switch lead {
	case '%':
		r.readHexByte(data, at)
		switch data[at] {
		case '%':
			r.readDoubled(at+1, '%') // as in formats of C
		case 'u', 'U':
			r.readHexRune(data, at+1, 4)
		}
	case '\\':
		r.readBackslash(data, at)
	case '&':
		r.readReference(data, at)
	case '=': // quoted-printable
		r.readHexByte(data, at)
		r.readLineBreak(data, at)
	case '$':
		r.readHexByte(data, at)
		r.readQuote(data, at, lead)
	case '"', '\'':
		r.readQuote(data, at, lead)
	case '~':
		r.readTilde(data, at)
	case '_':
		r.readXMLName(data, at)
	case '`', '^': // of PowerShell and cmd.exe
		r.readSign(data, at, lead)
	case 0:
		r.addText(at, "")
	case '\r', '\n':
		r.readWrapped(data, at)
	case '<':
		if n := tagLength(data[at:]); n > 0 {
			r.addText(at+n, "")
		}
	}
}

// readSign reads a sign behind its lead, or passes over a line break.
func (r *readings) readSign(data []byte, at int, lead byte) {
	switch next := data[at]; {
	case next == lead:
		r.readDoubled(at+1, next)
	case next == 0 || isName(next): // in UTF-16 the rest is yet to come
	case !r.readLineBreak(data, at):
		r.add(at+1, next)
	}
}

// readTilde reads the escapes of JSON Pointer, and two hex digits as Datasette writes them.
func (r *readings) readTilde(data []byte, at int) {
	r.readHexByte(data, at)
	switch data[at] {
	case '0':
		r.add(at+1, '~')
	case '1':
		r.add(at+1, '/')
	}
}

// readXMLName reads _x002F_, as .NET and Office write what may not stand in names of XML.
func (r *readings) readXMLName(data []byte, at int) {
	if data[at]|0x20 != 'x' {
		return
	}
	c, end := readNumber(data, at+1, 16, 8)
	if (end == at+5 || end == at+9) && end < len(data) && data[end] == '_' {
		r.addRune(end+1, c)
	}
}

func (r *readings) readDoubled(n int, lead byte) {
	if !r.single {
		r.add(n, lead)
	}
}

// readQuote reads a quote that is written twice, as in CSV, SQL and YAML, and the quotes of shells.
func (r *readings) readQuote(data []byte, at int, quote byte) {
	if data[at] == quote {
		r.readDoubled(at+1, quote)
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
