package redact

import (
	"bytes"
	"encoding/binary"
	"unicode"
	"unicode/utf8"
)

// alternate takes out a sign that stands behind every single character, as in s-e-c-r-e-t. The rest of the text is left out. nil if
// there is no such thing.
func alternate(text []byte) *build {
	b := build{}
	for i := 0; i+2*minStretch <= len(text); i++ {
		if !maySign(text[i+1:]) {
			continue
		}
		sign := signAt(text[i+1:])
		step := 1 + len(sign)
		if len(sign) == 0 || !recurs(text[i+1:], sign, step) {
			continue
		}
		at, n, from := len(b.text), len(b.spans), i
		for ; i < len(text); i += step {
			follows := bytes.HasPrefix(text[i+1:], sign)
			last := !follows
			if bytes.HasPrefix(text[i:], sign) && !follows {
				if bytes.HasPrefix(text[min(i+step, len(text)):], sign) { // a space that stood here is gone already
					i--
					continue
				}
				last = true // the sign itself stands here, with nothing behind it
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

// maySign says of eight bytes or more whether what they begin with may be a sign: one of one byte stands there four times, and that with which another one
// begins stands there again, behind it and a character.
func maySign(text []byte) bool {
	switch c := text[0]; {
	case c < utf8.RuneSelf:
		w := binary.LittleEndian.Uint64(text)
		return (w^w>>16)&0x0000_00ff_00ff_00ff == 0
	case c < 0xe0:
		return c == text[3]
	case c < 0xf0:
		return c == text[4]
	default:
		return c == text[5]
	}
}

// signAt returns the sign with which a text begins: of ASCII, or a character that is no letter; a mark over or through the character before it is one. It is empty if there is none.
func signAt(text []byte) []byte {
	switch c := text[0]; {
	case c < ' ' || c < utf8.RuneSelf && isWord(c) && c != '_':
		return nil
	case c < utf8.RuneSelf:
		return text[:1]
	}
	r, size := utf8.DecodeRune(text)
	if size == 1 || unicode.IsLetter(r) {
		return nil
	}
	return text[:size]
}

// recurs says whether a sign with which a text begins stands there four times, so many bytes apart.
func recurs(text, sign []byte, step int) bool {
	for at := step; at <= 3*step; at += step {
		if at > len(text) || !bytes.HasPrefix(text[at:], sign) {
			return false
		}
	}
	return true
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
