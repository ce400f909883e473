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

// UTF16Runs returns what Runs returns for a value in UTF-16, as it is and reversed.
//
// It does so only for a value with so little Latin that UTF-16 can't be recognised in what was
// decoded; others are found there.
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
	backLittle, backBig := UTF16(Reverse(text))
	return slices.Concat(Runs(little), Runs(big), Runs(backLittle), Runs(backBig))
}
