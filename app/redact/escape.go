package redact

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonStyle is how an encoder writes JSON strings.
type jsonStyle struct {
	ascii, html, slash, lineSeparators bool
	unicode                            string // format of a UTF-16 unit
}

func jsonForms(text string) []string {
	const lower, upper = `\u%04x`, `\u%04X`
	styles := []jsonStyle{
		{unicode: lower},                                                // JavaScript, Python with ensure_ascii=False
		{unicode: lower, lineSeparators: true},                          // Go without HTML escapes
		{unicode: lower, lineSeparators: true, html: true},              // Go
		{unicode: lower, slash: true},                                   // PHP with unescaped Unicode
		{unicode: lower, ascii: true},                                   // Python
		{unicode: upper, ascii: true},                                   //
		{unicode: lower, ascii: true, slash: true},                      // PHP
		{unicode: lower, ascii: true, html: true},                       //
		{unicode: upper, ascii: true, html: true},                       //
		{unicode: upper, lineSeparators: true, html: true},              //
		{unicode: lower, lineSeparators: true, html: true, slash: true}, //
	}
	var out []string
	for _, s := range styles {
		out = append(out, s.quote(text))
	}
	return out
}

// quote returns the text as it stands between the quotes.
func (s jsonStyle) quote(text string) string {
	short := strings.NewReplacer("\b", `\b`, "\f", `\f`, "\n", `\n`, "\r", `\r`, "\t", `\t`, `"`, `\"`, `\`, `\\`)
	var b strings.Builder
	for _, r := range text {
		switch {
		case strings.ContainsRune("\b\f\n\r\t\"\\", r):
			_, _ = short.WriteString(&b, string(r))
		case r == '/' && s.slash:
			b.WriteString(`\/`)
		case r < ' ', s.ascii && r > '~', s.html && strings.ContainsRune("<>&", r), s.lineSeparators && (r == '\u2028' || r == '\u2029'):
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, s.unicode, unit)
			}
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// pythonForms returns the text as repr, ascii and bytes literals have it between the quotes. Quotes are escaped only where
// a text has both kinds; as part of a larger repr they may be escaped in addition, so both spellings are returned.
func pythonForms(text string) []string {
	var out []string
	for _, quotes := range []string{"", "'", `"`} {
		out = append(out, pythonText(text, quotes, unicode.IsPrint), pythonText(text, quotes, func(r rune) bool { return ' ' <= r && r <= '~' }), pythonBytes(text, quotes))
	}
	return out
}

func pythonText(text, quotes string, printable func(rune) bool) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case pythonShort(&b, r, quotes):
		case printable(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return b.String()
}

func pythonBytes(text, quotes string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		switch {
		case c < utf8.RuneSelf && pythonShort(&b, rune(c), quotes):
		case ' ' <= c && c <= '~':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, `\x%02x`, c)
		}
	}
	return b.String()
}

// pythonShort writes r if Python has a short escape for it.
func pythonShort(b *strings.Builder, r rune, quotes string) bool {
	switch {
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\r':
		b.WriteString(`\r`)
	case r == '\t':
		b.WriteString(`\t`)
	case r == '\\', r < utf8.RuneSelf && strings.ContainsRune(quotes, r):
		b.WriteByte('\\')
		b.WriteRune(r)
	default:
		return false
	}
	return true
}
