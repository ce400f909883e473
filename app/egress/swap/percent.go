package swap

import (
	"fmt"
	"strings"
)

// unreserved are the bytes, besides letters and digits, that the usual percent-encoders leave alone.
var unreserved = [...]string{
	"-._~",                 // RFC 3986; Go's QueryEscape; Python's quote(safe="")
	"-._~/",                // Python's quote
	"-._*",                 // HTML forms, Java
	"-._~!'()*",            // JavaScript's encodeURIComponent
	"-._~!'()*;,/?:@&=+$#", // JavaScript's encodeURI
	"-._~$&+=:@",           // Go's PathEscape
	"-._~$&+=:@/",          // Go's EscapedPath
	"-._~$&+,;=",           // Go's user information
	"-._*@+/",              // JavaScript's escape
	"-._~!$&'()*+,;=:@/?",  // RFC 3986 path and query
}

// percentForms returns the usual percent-encodings, with digits of either case and both spellings of a space; and those of the same once more.
func percentForms(text string) []string {
	var out []string
	for _, safe := range unreserved {
		for _, format := range []string{"%%%02x", "%%%02X"} {
			for _, space := range []string{"+", "%20"} {
				form := percent(text, safe, format, space)
				if form != text {
					out = append(out, form, strings.ReplaceAll(form, "%", "%25"))
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
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte(safe, c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, format, c)
		}
	}
	return b.String()
}
