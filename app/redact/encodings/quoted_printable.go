package encodings

import (
	"strings"

	"github.com/computclaw/airlock/app/redact/charset"
)

// quotedPrintable encodes what is not printable ASCII, the equals sign, and such spaces as are
// named, which encoders may leave alone.
func quotedPrintable(text, spaces string) string {
	return quotedBytes(text, func(c byte) bool {
		return c != '=' && (c >= ' ' && c <= '~' || c == '\t' || c == '\n' || c == '\r') &&
			strings.IndexByte(spaces, c) < 0
	})
}

func quotedBytes(text string, plain func(byte) bool) string {
	var out []byte
	for _, c := range []byte(text) {
		if plain(c) {
			out = append(out, c)
		} else {
			out = append(out, '=', charset.UpperDigits[c>>4], charset.UpperDigits[c&15])
		}
	}
	return string(out)
}
