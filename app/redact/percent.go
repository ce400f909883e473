package redact

import (
	"encoding/hex"
	"fmt"
	"strings"
)

// unreserved are the bytes, besides letters and digits, that common percent-encoders leave alone.
var unreserved = [...]string{
	"-._~",                   // RFC 3986; Go's QueryEscape; Python's quote(safe="")
	"-._~/",                  // Python's quote
	"-._*",                   // HTML forms, Java
	"-._~!'()*",              // JavaScript's encodeURIComponent
	"-._~!'()*;,/?:@&=+$#",   // JavaScript's encodeURI
	"-._~$&+=:@",             // Go's PathEscape
	"-._~$&+,;=",             // Go's user information
	"-._*@+/",                // JavaScript's escape
	"-._~!$&'()*+,;=:@/?",    // RFC 3986 path and query
	"-._~!$&'()*+,;=:@/?[]%", // as before, in texts that are escaped already
}

// percentSome returns the usual percent-encodings, in both cases of the digits and with both spellings of a space, where they
// differ from the value itself.
func percentSome(text string) []run {
	if isPlain(text) {
		return nil
	}
	var out []run
	head := text[:min(len(text), maxRun)]
	for i, safe := range unreserved {
		for _, format := range []string{"%%%02x", "%%%02X"} {
			for _, space := range []string{"+", "%20"} {
				form := percent(head, safe, format, space)
				switch {
				case form == head: // nothing to encode so early: the whole value or nothing
					if form = percent(text, safe, format, space); form != text {
						out = append(out, run{text: form})
					}
				case len(head) == len(text):
					out = append(out, run{text: form})
				default:
					out = append(out, run{text: form, rest: runPercent << i})
				}
			}
		}
	}
	return out
}

func percent(text, safe, format, space string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		switch {
		case c == ' ':
			b.WriteString(space)
		case c != '_' && isWord(c), strings.IndexByte(safe, c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, format, c)
		}
	}
	return b.String()
}

// percentAll encodes every byte, with lower-case digits.
func percentAll(value []byte) string {
	var b strings.Builder
	for _, c := range value {
		b.WriteByte('%')
		b.WriteString(hex.EncodeToString([]byte{c}))
	}
	return b.String()
}
