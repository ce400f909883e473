package encodings

import (
	"encoding/base32"
	"strings"
)

// base32Forms returns, for each of the five alignments in a longer text, the characters that depend
// on nothing but the value, in either case: host names are in lower case.
func base32Forms(value []byte) []string {
	out := make([]string, 0, 10)
	buf := make([]byte, 4+len(value))
	copy(buf[4:], value)
	for shift := range 5 {
		text := base32.StdEncoding.EncodeToString(buf[4-shift:])[(8*shift+4)/5 : 8*(shift+len(value))/5]
		out = append(out, text, strings.ToLower(text))
	}
	return out
}
