package encodings

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/computclaw/airlock/app/redact/charset"
)

// jsonStyle is how an encoder writes JSON strings.
type jsonStyle struct {
	ascii, html, slash, lineSeparators bool
	digits                             string // of a UTF-16 unit
}

// jsonStyles returns the styles that differ for a text.
func jsonStyles(text string) []jsonStyle {
	const lower, upper = charset.HexDigits, charset.UpperDigits
	styles := []jsonStyle{
		{digits: lower},              // JavaScript, Python with ensure_ascii=False
		{digits: lower, slash: true}, // PHP with unescaped Unicode
	}
	html, wide := strings.ContainsAny(text, "<>&"), strings.ContainsFunc(text,
		func(r rune) bool { return r < ' ' || r > '~' })
	if html || wide {
		styles = append(styles,
			jsonStyle{digits: lower, lineSeparators: true},                          // Go without HTML escapes
			jsonStyle{digits: lower, lineSeparators: true, html: true},              // Go
			jsonStyle{digits: upper, lineSeparators: true, html: true},              //
			jsonStyle{digits: lower, lineSeparators: true, html: true, slash: true}, //
			jsonStyle{digits: lower, ascii: true, html: true},                       //
			jsonStyle{digits: upper, ascii: true, html: true},                       //
		)
	}
	if wide {
		styles = append(styles,
			jsonStyle{digits: lower, ascii: true},              // Python
			jsonStyle{digits: upper, ascii: true},              //
			jsonStyle{digits: lower, ascii: true, slash: true}, // PHP
		)
	}
	return styles
}

// quote returns the text as it stands between the quotes.
func (s jsonStyle) quote(text string) string {
	out := make([]byte, 0, len(text)+len(text)/4)
	for _, r := range text {
		switch at := strings.IndexRune("\b\f\n\r\t\"\\", r); {
		case at >= 0 && r < utf8.RuneSelf:
			out = append(out, '\\', `bfnrt"\`[at])
		case r == '/' && s.slash:
			out = append(out, '\\', '/')
		case r < ' ', s.ascii && r > '~',
			s.html && (r == '<' || r == '>' || r == '&'),
			s.lineSeparators && (r == '\u2028' || r == '\u2029'):
			for _, unit := range utf16.Encode([]rune{r}) {
				out = appendHex(append(out, '\\', 'u'), uint32(unit), 4, s.digits)
			}
		default:
			out = utf8.AppendRune(out, r)
		}
	}
	return string(out)
}
