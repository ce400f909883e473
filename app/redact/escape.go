package redact

import (
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// escaped returns the forms in which most characters stay as they are.
func escaped(text string) []coded {
	if isPlain(text) {
		return nil
	}
	var out []coded
	seen := map[string]bool{text: true}
	add := func(encoding, form string) {
		if !seen[form] {
			seen[form] = true
			out = append(out, coded{encoding, form})
		}
	}
	for _, s := range jsonStyles(text) {
		add("JSON", s.quote(text))
	}
	for _, quotes := range quoteStyles(text) {
		add("Python", pythonText(text, quotes, unicode.IsPrint))
		add("Python", pythonText(text, quotes, func(r rune) bool { return ' ' <= r && r <= '~' }))
		add("Python", pythonBytes(text, quotes))
	}
	for _, r := range markup {
		add("HTML", r.Replace(text))
	}
	for _, r := range shells {
		add("shell", r.Replace(text))
	}
	for _, spaces := range []string{"", " \t", " \t\r\n"} {
		add("quoted-printable", quotedPrintable(text, spaces))
	}
	return out
}

// markup and shells are how XML, HTML, shells and SQL have a text between quotes.
var (
	markup = []*strings.Replacer{
		strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;"),
		strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;"),
		strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;"),
		strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#x27;"),
		strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;"),
		strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;"),
	}
	shells = []*strings.Replacer{
		strings.NewReplacer("'", `'"'"'`),
		strings.NewReplacer("'", `'\''`),
		strings.NewReplacer("'", `''`),
		strings.NewReplacer(`"`, `""`),
		strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`"),
	}
)

// quotedPrintable encodes what is not printable ASCII, the equals sign, and such spaces as are named, which encoders may leave alone.
func quotedPrintable(text, spaces string) string {
	return quotedBytes(text, func(c byte) bool {
		return c != '=' && (c >= ' ' && c <= '~' || c == '\t' || c == '\n' || c == '\r') && strings.IndexByte(spaces, c) < 0
	})
}

func quotedBytes(text string, plain func(byte) bool) string {
	var out []byte
	for _, c := range []byte(text) {
		if plain(c) {
			out = append(out, c)
		} else {
			out = append(out, '=', upperDigits[c>>4], upperDigits[c&15])
		}
	}
	return string(out)
}

// jsonStyle is how an encoder writes JSON strings.
type jsonStyle struct {
	ascii, html, slash, lineSeparators bool
	digits                             string // of a UTF-16 unit
}

// jsonStyles returns the styles that differ for a text.
func jsonStyles(text string) []jsonStyle {
	const lower, upper = hexDigits, upperDigits
	styles := []jsonStyle{
		{digits: lower},              // JavaScript, Python with ensure_ascii=False
		{digits: lower, slash: true}, // PHP with unescaped Unicode
	}
	html, wide := strings.ContainsAny(text, "<>&"), strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
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
		case r < ' ', s.ascii && r > '~', s.html && (r == '<' || r == '>' || r == '&'), s.lineSeparators && (r == '\u2028' || r == '\u2029'):
			for _, unit := range utf16.Encode([]rune{r}) {
				out = appendHex(append(out, '\\', 'u'), uint32(unit), 4, s.digits)
			}
		default:
			out = utf8.AppendRune(out, r)
		}
	}
	return string(out)
}

func appendHex(out []byte, n uint32, width int, digits string) []byte {
	for i := width - 1; i >= 0; i-- {
		out = append(out, digits[n>>(4*i)&15])
	}
	return out
}

// quoteStyles returns the quotes that may be escaped. Python escapes them only where a text has both kinds; as part of a larger repr they may
// be escaped in addition.
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
			out = appendHex(append(out, `\x`...), uint32(r), 2, hexDigits)
		case r < 0x10000:
			out = appendHex(append(out, `\u`...), uint32(r), 4, hexDigits)
		default:
			out = appendHex(append(out, `\U`...), uint32(r), 8, hexDigits)
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
			out = appendHex(append(out, `\x`...), uint32(c), 2, hexDigits)
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
