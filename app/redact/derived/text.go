package derived

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"

	"github.com/computclaw/airlock/app/redact/charset"
)

// How much readable text, in bytes, must stand together in what was decoded to be kept: as many as
// the shortest form that counts there has, within these bounds. Random bytes hold many short
// stretches and few long ones.
const (
	MinStretch = 8
	MaxStretch = 12
)

// TextPrefix returns how many bytes at the beginning may be text: UTF-8, or UTF-16 of ASCII, with
// little else.
func TextPrefix(data []byte) int {
	i := 0
	for i < len(data) {
		switch c := data[i]; {
		case IsText[c]:
			i++
		case c < 0xc2 || c > 0xf4:
			return i
		default:
			r, size := utf8.DecodeRune(data[i:])
			if r == utf8.RuneError {
				return i
			}
			i += size
		}
	}
	return i
}

// IsText says which ASCII characters are in text. NUL is in UTF-16, escape in what terminals show.
var IsText = func() (t [256]bool) {
	for c := ' '; c <= '~'; c++ {
		t[c] = true
	}
	t['\t'], t['\n'], t['\r'], t[0], t[0x1b] = true, true, true, true, true
	return t
}()

// broken returns how many of eight bytes, the first one highest, can't be in one text with the last
// of them: 0 if they may be UTF-8. It looks only at which bytes belong together, which is enough to
// pass over most of what is no text at all.
func broken(w uint64) int {
	const flags = charset.HighBits
	high := w & flags
	lead := high & (w << 1)
	more := high &^ lead
	bad := more&^(high>>8) | lead&^(more<<8)&^0x80 // a byte that goes on with nothing, or nothing goes on with it
	if bad == 0 {
		return 0
	}
	return MinStretch - bits.TrailingZeros64(bad)/8
}

// AddReadable adds those parts of decoded bytes that may be text, each with its share of [from, to)
// of the parent.
func (b *Builder) AddReadable(data []byte, least, from, to int, s Scale) {
	b.wide(data, from, to, s)
	for i := 0; i+least <= len(data); {
		if skip := broken(binary.BigEndian.Uint64(data[i:])); skip > 0 {
			i += skip
			continue
		}
		n := TextPrefix(data[i:])
		if n >= least {
			b.Spans = append(b.Spans,
				Span{At: int32(len(b.Text)), N: int32(n), From: int32(from), To: int32(to), How: share, scale: s,
					skip: int32(i)})
			b.Text = append(b.Text, data[i:i+n]...)
			b.Barrier()
		}
		i += max(n, 1)
	}
}
