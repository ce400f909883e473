package encodings

import (
	"strings"
	"unicode/utf8"

	"github.com/computclaw/airlock/app/redact/charset"
)

// quoteStyles returns the quotes that may be escaped. Python escapes them only where a text has
// both kinds; as part of a larger repr they may be escaped in addition.
func quoteStyles(text string) []string {
	styles := []string{""}
	for _, quote := range []string{"'", `"`} {
		if strings.Contains(text, quote) {
			styles = append(styles, quote)
		}
	}
	return styles
}

// pythonText returns the text as repr and ascii have it between the quotes.
func pythonText(text, quotes string, printable func(rune) bool) string {
	out := make([]byte, 0, len(text)+len(text)/4)
	for _, r := range text {
		short, ok := pythonShort(r, quotes)
		switch {
		case ok:
			out = append(out, '\\', short)
		case printable(r):
			out = utf8.AppendRune(out, r)
		case r < 0x100:
			out = appendHex(append(out, `\x`...), uint32(r), 2, charset.HexDigits)
		case r < 0x10000:
			out = appendHex(append(out, `\u`...), uint32(r), 4, charset.HexDigits)
		default:
			out = appendHex(append(out, `\U`...), uint32(r), 8, charset.HexDigits)
		}
	}
	return string(out)
}

// pythonBytes returns the text as a bytes literal has it between the quotes.
func pythonBytes(text, quotes string) string {
	out := make([]byte, 0, len(text)+len(text)/4)
	for _, c := range []byte(text) {
		short, ok := pythonShort(rune(c), quotes)
		switch {
		case ok && c < utf8.RuneSelf:
			out = append(out, '\\', short)
		case ' ' <= c && c <= '~':
			out = append(out, c)
		default:
			out = appendHex(append(out, `\x`...), uint32(c), 2, charset.HexDigits)
		}
	}
	return string(out)
}

// pythonShort returns the letter of Python's short escape for r, if it has one.
func pythonShort(r rune, quotes string) (byte, bool) {
	switch {
	case r == '\n':
		return 'n', true
	case r == '\r':
		return 'r', true
	case r == '\t':
		return 't', true
	case r == '\\', r < utf8.RuneSelf && strings.ContainsRune(quotes, r):
		return byte(r), true
	}
	return 0, false
}
