package derived

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/computclaw/airlock/app/redact/charset"
)

// wide adds those parts of decoded bytes that may be UTF-16, as UTF-8, each character with its
// share of [from, to) of the parent. It looks around zero bytes, which every text has that is not
// foreign throughout, so what is no UTF-16 costs little.
func (b *Builder) wide(data []byte, from, to int, s Scale) {
	if bytes.IndexByte(data, 0) < 0 {
		return
	}
	b.units(data, binary.LittleEndian, 1, from, to, s)
	b.units(data, binary.BigEndian, 0, from, to, s)
}

// units is wide for one byte order; zero says which byte of a unit is the high one.
func (b *Builder) units(data []byte, order binary.ByteOrder, zero, from, to int, s Scale) {
	for i := 0; i < len(data); {
		next := bytes.IndexByte(data[i:], 0)
		if next < 0 {
			return
		}
		at := i + next - zero
		start, end := wideStretch(data, order, i, at)
		if end-start < 2*MinStretch || !mostlyNarrow(data[start:end], zero) {
			i = max(end, at+zero+1)
			continue
		}
		b.narrow(data[start:end], order, from, to, start, s)
		i = end
	}
}

// wideStretch returns where the text around the unit at an offset begins, not before first, and
// ends; they are equal if there is none.
func wideStretch(data []byte, order binary.ByteOrder, first, at int) (start, end int) {
	if at < first || at+2 > len(data) || !wideText(order.Uint16(data[at:])) {
		return at, at
	}
	start = at
	for n := 0; n < charset.MaxForeign && start-2 >= first && wideText(order.Uint16(data[start-2:])); n++ {
		start -= 2
	}
	for end, foreign := at, 0; ; end += 2 {
		if end+2 > len(data) {
			return start, end
		}
		u := order.Uint16(data[end:])
		if foreign++; u < 0x100 {
			foreign = 0
		}
		if foreign > charset.MaxForeign || !wideText(u) {
			return start, end
		}
	}
}

// mostlyNarrow says that enough units of UTF-16 have a zero as their high byte: in random bytes
// hardly any has.
func mostlyNarrow(text []byte, zero int) bool {
	n := 0
	for i := zero; i < len(text); i += 2 {
		if text[i] == 0 {
			n++
		}
	}
	return 6*n >= len(text)
}

// wideText says whether a unit may be in text.
func wideText(u uint16) bool {
	return u < utf8.RuneSelf && u != 0 && IsText[u] || u >= 0xa0 && u < 0xfffe
}

// narrow adds UTF-16 that begins at an offset of what was decoded.
func (b *Builder) narrow(text []byte, order binary.ByteOrder, from, to, offset int, s Scale) {
	var buf [utf8.UTFMax]byte
	for i := 0; i < len(text); {
		n := 2
		r := rune(order.Uint16(text[i:]))
		if utf16.IsSurrogate(r) && i+4 <= len(text) {
			if full := utf16.DecodeRune(r, rune(order.Uint16(text[i+2:]))); full != utf8.RuneError {
				r, n = full, 4
			}
		}
		b.Add(utf8.AppendRune(buf[:0], r), from+s.Floor(offset+i), min(to, from+s.Ceil(offset+i+n)), Whole)
		i += n
	}
	b.Barrier()
}
