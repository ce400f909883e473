package encodings

import (
	"strings"

	"github.com/computclaw/airlock/app/redact/charset"
)

// unreserved are the bytes, besides alphanumeric and digits, that common percent-encoders leave
// alone.
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

// percentSome returns the usual percent-encodings, in both cases of the digits and with both
// spellings of a space, where they differ from the value itself.
func percentSome(text string) []RunForm {
	if isPlain(text) {
		return nil
	}
	var out []RunForm
	head := text[:min(len(text), MaxRun)]
	seen := map[string]bool{text: true}
	for i, safe := range unreserved {
		for _, digits := range []string{charset.HexDigits, charset.UpperDigits} {
			for _, space := range []string{"+", "%20"} {
				r := RunForm{Form: Form{"percent", percent(head, safe, digits, space)}}
				switch {
				case r.Text == head: // nothing to encode so early: the whole value or nothing
					r.Text = percent(text, safe, digits, space)
				case len(head) < len(text):
					r.Rest = runPercent << i
				}
				if !seen[r.Text] {
					seen[r.Text] = true
					out = append(out, r)
				}
				if !strings.Contains(text, " ") {
					break
				}
			}
		}
	}
	return out
}

func percent(text, safe, digits, space string) string {
	out := make([]byte, 0, 2*len(text))
	for _, c := range []byte(text) {
		switch {
		case c == ' ':
			out = append(out, space...)
		case c != '_' && charset.IsWord(c), strings.IndexByte(safe, c) >= 0:
			out = append(out, c)
		default:
			out = append(out, '%', digits[c>>4], digits[c&15])
		}
	}
	return string(out)
}

// percentAll puts a percent sign before each two hex digits.
func percentAll(digits string) string {
	out := make([]byte, 0, len(digits)*3/2)
	for i := 0; i < len(digits); i += 2 {
		out = append(out, '%', digits[i], digits[i+1])
	}
	return string(out)
}
