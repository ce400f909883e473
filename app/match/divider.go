package match

import "bytes"

// divider finds where a text divides: behind a line that ends a top-level object, or an empty line
// of events. No match crosses that place. Brackets end nothing: rows of a list end with one.
type divider struct {
	at      int  // how much of the data was looked at
	depth   int  // brackets and braces that are open
	quoted  bool // in a string, which no line break is part of
	escaped bool // behind a backslash in it
	binary  bool // a zero byte came: nothing divides what is not text
}

// divides says which bytes matter to a divider.
var divides = func() (table [256]bool) {
	for _, b := range []byte("\"\\{}[]\n") {
		table[b] = true
	}
	return table
}()

// divide adds the places at which new data divides the text to ends. Data seen before may only have
// lost its beginning.
func (d *divider) divide(ends []int, data []byte, events bool) []int {
	if d.binary = d.binary || bytes.IndexByte(data[d.at:], 0) >= 0; d.binary {
		d.at = len(data) // large downloads end here; reading each byte takes as long as decrypting it
		return ends
	}
	at := d.at
	for ; at < len(data); at++ {
		for !d.escaped && at < len(data)-1 && !divides[data[at]] {
			at++
		}
		switch b := data[at]; {
		case b == '\n':
			d.quoted, d.escaped = false, false
			if d.endsObject(data[:at]) || events && endsBlank(data[:at]) {
				ends = append(ends, at+1)
			}
		case d.escaped:
			d.escaped = false
		case b == '\\':
			d.escaped = d.quoted
		case b == '"':
			d.quoted = !d.quoted
		case d.quoted:
		case b == '{' || b == '[':
			d.depth++
		case b == '}' || b == ']':
			d.depth = max(0, d.depth-1)
		}
	}
	d.at = at
	return ends
}

// endsObject reports whether a line ends with a top-level object's brace. A brace behind only hex
// digits may end an escape, as \u{3d}.
func (d *divider) endsObject(line []byte) bool {
	line = trimBlanks(line)
	n := len(line) - 1
	if n < 0 || line[n] != '}' || d.depth > 0 {
		return false
	}
	for n--; n >= 0 && digits[line[n]] < 16; n-- {
	}
	return n >= 0 && line[n] != '{'
}

func endsBlank(text []byte) bool {
	text = trimBlanks(text)
	return len(text) == 0 || text[len(text)-1] == '\n'
}

func trimBlanks(text []byte) []byte {
	for len(text) > 0 && (text[len(text)-1] == ' ' || text[len(text)-1] == '\t' || text[len(text)-1] == '\r') {
		text = text[:len(text)-1]
	}
	return text
}
