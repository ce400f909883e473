package decode

import (
	"encoding/binary"
	"unicode/utf8"

	"github.com/computclaw/airlock/app/redact/charset"
	"github.com/computclaw/airlock/app/redact/derived"
	"github.com/computclaw/airlock/app/redact/encodings"
)

// Reversed turns a text round, character by character.
func Reversed(text []byte) *derived.Builder {
	out := make([]byte, 0, len(text))
	for rest := text; len(rest) > 0; {
		if n := len(rest) - 8; n >= 0 {
			if w := binary.LittleEndian.Uint64(rest[n:]); w&charset.HighBits == 0 {
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
	whole := derived.Span{N: int32(len(out)), To: int32(len(text)), How: derived.Turned}
	return &derived.Builder{Text: out, Spans: []derived.Span{whole}}
}

// ROT13 undoes ROT13.
func ROT13(text []byte) *derived.Builder {
	out := make([]byte, len(text))
	for i, c := range text {
		out[i] = rotate13[c]
	}
	return &derived.Builder{Text: out}
}

var rotate13 = func() (t [256]byte) {
	for i := range t {
		t[i] = encodings.RotateByte(byte(i))
	}
	return t
}()
