package derived

import "github.com/computclaw/airlock/app/redact/charset"

// Visible leaves out what a reader doesn't see: white space, control and format characters, and
// what colours a terminal.
var Visible = filter{
	class: charset.ClassOf(func(c byte) uint8 {
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
