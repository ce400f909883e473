package redact

import (
	"encoding/binary"
	"unicode/utf8"
)

// alternate takes out a sign that stands behind every single character, as in s-e-c-r-e-t. The rest
// of the text is left out. nil if there is no such thing.
func alternate(text []byte) *build {
	b := build{}
	for i := 0; i+2*minStretch <= len(text); i++ {
		sign := text[i+1]
		if !recurs(text[i+1:]) || !isSign(sign) {
			continue
		}
		at, n, from := len(b.text), len(b.spans), i
		for ; i < len(text); i += 2 {
			last := !isAt(text, i+1, sign)
			if last && text[i] == sign && isAt(text, i+2, sign) { // a space that stood here is gone already
				i--
				continue
			}
			b.add(text[i:i+1], i, i+1, exactly)
			if last {
				break
			}
		}
		if len(b.text)-at < minStretch {
			b.text, b.spans, i = b.text[:at], b.spans[:n], from // it may begin one character on, with another sign
			continue
		}
		b.barrier()
	}
	if len(b.text) == 0 {
		return nil
	}
	return &b
}

// isAt reports whether a byte stands at an offset, which may be behind the text.
func isAt(text []byte, i int, c byte) bool { return i < len(text) && text[i] == c }

// isSign reports whether a byte is a sign of ASCII.
func isSign(c byte) bool {
	return c >= ' ' && c < utf8.RuneSelf && (c == '_' || !isWord(c))
}

// recurs reports whether the first of eight bytes or more is every other one of them.
func recurs(text []byte) bool {
	w := binary.LittleEndian.Uint64(text)
	return (w^w>>16)&0x0000_00ff_00ff_00ff == 0
}

// backwards turns a text round, character by character.
func backwards(text []byte) *build {
	out := make([]byte, 0, len(text))
	for rest := text; len(rest) > 0; {
		if n := len(rest) - 8; n >= 0 {
			if w := binary.LittleEndian.Uint64(rest[n:]); w&highBits == 0 {
				out = binary.BigEndian.AppendUint64(out, w)
				rest = rest[:n]
				continue
			}
		}
		size := 1
		if rest[len(rest)-1] >= utf8.RuneSelf {
			_, size = utf8.DecodeLastRune(rest)
		}
		out = append(out, rest[len(rest)-size:]...)
		rest = rest[:len(rest)-size]
	}
	return &build{text: out, spans: []span{{n: int32(len(out)), to: int32(len(text)), how: turned}}}
}

// rotated undoes ROT13.
func rotated(text []byte) *build {
	out := make([]byte, len(text))
	for i, c := range text {
		out[i] = rotate13[c]
	}
	return &build{text: out}
}

var rotate13 = func() (t [256]byte) {
	for i := range t {
		t[i] = rotate(byte(i))
	}
	return t
}()

// highBits are those of eight bytes that no ASCII character has.
const highBits = 0x8080808080808080
