package decode

import (
	"encoding/binary"
	"unicode/utf8"

	"github.com/computclaw/airlock/app/redact/charset"
	"github.com/computclaw/airlock/app/redact/derived"
)

// EveryOther takes out a sign that stands behind every single character, as in s-e-c-r-e-t. The
// rest of the text is left out. nil if there is no such thing.
func EveryOther(text []byte) *derived.Builder {
	b := derived.Builder{}
	for i := 0; i+2*derived.MinStretch <= len(text); i++ {
		sign := text[i+1]
		if !recurs(text[i+1:]) || !isSign(sign) {
			continue
		}
		at, n, from := len(b.Text), len(b.Spans), i
		for ; i < len(text); i += 2 {
			last := !isAt(text, i+1, sign)
			if last && text[i] == sign && isAt(text, i+2, sign) { // a space that stood here is gone already
				i--
				continue
			}
			b.Add(text[i:i+1], i, i+1, derived.Exact)
			if last {
				break
			}
		}
		if len(b.Text)-at < derived.MinStretch {
			b.Text, b.Spans, i = b.Text[:at], b.Spans[:n], from // it may begin one character on, with another sign
			continue
		}
		b.Barrier()
	}
	if len(b.Text) == 0 {
		return nil
	}
	return &b
}

// isAt reports whether a byte stands at an offset, which may be behind the text.
func isAt(text []byte, i int, c byte) bool { return i < len(text) && text[i] == c }

// isSign reports whether a byte is a sign of ASCII.
func isSign(c byte) bool {
	return c >= ' ' && c < utf8.RuneSelf && (c == '_' || !charset.IsWord(c))
}

// recurs reports whether the first of eight bytes or more is every other one of them.
func recurs(text []byte) bool {
	w := binary.LittleEndian.Uint64(text)
	return (w^w>>16)&0x0000_00ff_00ff_00ff == 0
}
