package encodings

import (
	"encoding/base64"
	"strings"
)

// minBase64 is the shortest base64 text that is looked for: shorter ones turn up by chance.
const minBase64 = 6

// base64Forms returns, for each alignment that a value can have in a longer text, the characters
// that depend on nothing but the value; and, if it is the whole value, the complete text of the
// value alone, with and without padding.
func base64Forms(enc *base64.Encoding, value []byte, whole bool) []string {
	var out []string
	buf := make([]byte, 2+len(value))
	copy(buf[2:], value)
	for shift := range 3 {
		text := enc.EncodeToString(buf[2-shift:])
		from, to := (8*shift+5)/6, 8*(shift+len(value))/6
		out = append(out, text[from:to])
	}
	if whole {
		text := enc.EncodeToString(value)
		out = append(out, strings.TrimRight(text, "="), text)
	}
	return out
}
