package match

// maxLayout bounds the blanks that a window holds beyond Reach, in bytes.
const maxLayout = 64 << 10

// Reach is the most bytes that lie between the beginning and the end of a match. Blanks behind a
// blank or a line break don't count: hosts indent lines.
func (f *Finder) Reach() int { return (maxEscape + maxPassed) * (f.longest + f.tail.length) }

// Window returns how many bytes at the end of data may belong to a match that goes on behind them.
// It depends on lengths and blanks only.
func (f *Finder) Window(data []byte) int {
	at, left, layout := len(data), f.Reach(), maxLayout
	for ; at > 0 && left > 0; at-- {
		if layout > 0 && isSqueezed(data[:at]) {
			layout--
		} else {
			left--
		}
	}
	return len(data) - at
}

// isSqueezed reports whether the last byte is a blank behind another one or behind a line break.
func isSqueezed(data []byte) bool {
	n := len(data)
	return n > 1 && (data[n-1] == ' ' || data[n-1] == '\t') &&
		(data[n-2] == ' ' || data[n-2] == '\t' || data[n-2] == '\n')
}

// Ends reports whether no match goes on behind the last byte of data: no pattern has it, no layer
// is written with it or passes over it, and it ends no escape.
func (f *Finder) Ends(data []byte) bool {
	b := data[len(data)-1]
	switch b {
	case '}':
		return !f.alphabet[b] && !endsBraced(data)
	case '[', ']': // which stand around the names of a list, each in the line of what it names
		return !f.alphabet[b]
	}
	return f.near[b]|hexLayer.rows[b]|numbersLayer.rows[b] == 0 && !f.alphabet[b]
}

// endsBraced reports whether data may end with the braces of an escape such as \u{3d}.
func endsBraced(data []byte) bool {
	at := len(data) - 2
	for at >= 0 && digits[data[at]] < 16 {
		at--
	}
	return at < len(data)-2 && at >= 0 && data[at] == '{'
}

// HasLines reports whether a pattern has a line break in it.
func (f *Finder) HasLines() bool { return f.alphabet['\n'] }
