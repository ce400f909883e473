package encodings

import (
	"encoding/binary"
	"slices"
	"unicode/utf16"

	"github.com/computclaw/airlock/app/redact/charset"
)

// UTF16 returns a text in UTF-16, in both orders of bytes.
func UTF16(text string) (little, big string) {
	units := utf16.Encode([]rune(text))
	low, high := make([]byte, 0, 2*len(units)), make([]byte, 0, 2*len(units))
	for _, u := range units {
		low = binary.LittleEndian.AppendUint16(low, u)
		high = binary.BigEndian.AppendUint16(high, u)
	}
	return string(low), string(high)
}

// UTF16Runs returns the forms of a value in UTF-16 in an encoding, if it has so little Latin that what was decoded can't be told for UTF-16 (see wide).
func UTF16Runs(text string) []RunForm {
	foreign, most, narrow := 0, 0, 0
	units := utf16.Encode([]rune(text))
	for _, u := range units {
		if foreign++; u < 0x100 {
			foreign, narrow = 0, narrow+1
		}
		most = max(most, foreign)
	}
	if most < charset.MaxForeign && 6*narrow >= len(units) {
		return nil
	}
	little, big := UTF16(text)
	return slices.Concat(Runs(little), Runs(big))
}
