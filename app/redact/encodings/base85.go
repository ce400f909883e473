package encodings

import (
	"encoding/binary"

	"github.com/computclaw/airlock/app/redact/charset"
)

// base85Forms returns, for each of the four alignments in a longer text, the groups that depend on
// nothing but the value.
func base85Forms(value []byte) []string {
	var out []string
	for _, alphabet := range []string{charset.AlphabetA85, charset.AlphabetB85} {
		for shift := range 4 {
			from := (4 - shift) % 4
			if form := encode85(value[min(from, len(value)):], alphabet); len(form) >= 10 {
				out = append(out, form)
			}
		}
	}
	return out
}

// encode85 encodes whole groups of four bytes.
func encode85(value []byte, alphabet string) string {
	out := make([]byte, 0, len(value)/4*5)
	for ; len(value) >= 4; value = value[4:] {
		n := binary.BigEndian.Uint32(value)
		var group [5]byte
		for i := 4; i >= 0; i-- {
			group[i] = alphabet[n%85]
			n /= 85
		}
		out = append(out, group[:]...)
	}
	return string(out)
}
