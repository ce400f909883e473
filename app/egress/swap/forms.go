package swap

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
)

// mask is how a placeholder stands for a form of a value.
type mask int

const (
	maskPlain    mask = iota // also for forms with no exact counterpart
	maskHex                  // lower case
	maskHexUpper             //
	maskWide                 // UTF-16 without its outer zero byte, so that it fits both byte orders
	maskReversed
	masks // how many there are
)

func (k mask) write(placeholder string) string {
	switch k {
	case maskHex:
		return hex.EncodeToString([]byte(placeholder))
	case maskHexUpper:
		return strings.ToUpper(hex.EncodeToString([]byte(placeholder)))
	case maskWide:
		return wide(placeholder)
	case maskReversed:
		return reversed(placeholder)
	}
	return placeholder
}

// form is a text by which a value is recognised.
type form struct {
	text string
	mask mask
}

// minForm is the length of the shortest form that is looked for, in bytes: shorter ones turn up by chance.
const minForm = 8

// minLine is the length of the shortest line of a value that is a secret of its own, in bytes.
const minLine = 16

// maxThorough is the longest value for which all forms are looked for, in bytes: memory is proportional to all forms together.
const maxThorough = 1 << 10

// forms returns all forms of a value, each once. Of a very long one they are the most common.
func forms(value string) []form {
	c := collector{seen: map[string]bool{}}
	for _, text := range append([]string{strings.TrimSpace(value), value}, lines(value)...) {
		c.add(maskPlain, text, quoteJSON(text), strings.ReplaceAll(quoteJSON(text), "/", `\/`), percent(text, unreserved[0], "%%%02X", "%20"))
		c.base64(text)
		if len(value) <= maxThorough {
			c.thorough(text)
		}
	}
	return c.forms
}

// collector collects forms, each once.
type collector struct {
	forms []form
	seen  map[string]bool
}

func (c *collector) add(mask mask, texts ...string) {
	for _, text := range texts {
		if len(text) >= minForm && !c.seen[text] {
			c.seen[text] = true
			c.forms = append(c.forms, form{text, mask})
		}
	}
}

func (c *collector) base64(text string) {
	for shift := range 3 {
		c.add(maskPlain, interior(base64.StdEncoding, text, shift), interior(base64.URLEncoding, text, shift))
	}
}

func (c *collector) thorough(text string) {
	c.add(maskPlain, everyCharacter(text)...)
	for _, escaped := range escapes(text) {
		c.add(maskPlain, escaped, quoteJSON(escaped)) // such as JSON in JSON
	}
	c.base64(quoteJSON(text))
	digits := hex.EncodeToString([]byte(text))
	c.add(maskHex, digits)
	c.add(maskHexUpper, strings.ToUpper(digits))
	if c.add(maskWide, wide(text)); wide(text) == "" {
		c.add(maskPlain, utf16Bytes(text, false), utf16Bytes(text, true))
	}
	c.add(maskReversed, reversed(text))
	c.add(maskPlain, strings.ToLower(text), strings.ToUpper(text))
}

// lines returns the lines of a value that are secrets of their own. Armour lines, as of PEM, are not.
func lines(value string) []string {
	var out []string
	for line := range strings.FieldsFuncSeq(strings.ReplaceAll(value, `\n`, "\n"), func(r rune) bool { return r == '\n' || r == '\r' }) {
		line = strings.TrimSpace(line)
		if len(line) >= minLine && !(strings.HasPrefix(line, "-----") && strings.HasSuffix(line, "-----")) {
			out = append(out, line)
		}
	}
	return out
}

// escapes returns the forms in which most characters stay as they are, each once.
func escapes(text string) []string {
	if isPlain(text) {
		return nil
	}
	all := slices.Concat(jsonForms(text), percentForms(text), markupForms(text), pythonForms(text), goForms(text))
	slices.Sort(all)
	return slices.Compact(all)
}

// isPlain reports whether no such encoder has anything to do.
func isPlain(text string) bool {
	return strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-.") == ""
}

// jsonForms returns the text as encoders write it between the quotes.
func jsonForms(text string) []string {
	plain := quoteJSON(text)
	var out []string
	for _, slash := range []string{"/", `\/`} {
		for _, base := range []string{
			plain,
			strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`).Replace(plain), // Go
			strings.NewReplacer("\u2028", `\u2028`, `\u2028`, "\u2028").Replace(plain),      // not escaped by most
			strings.NewReplacer(`\b`, `\u0008`, `\f`, `\u000c`).Replace(plain),              // older Go
		} {
			form := strings.ReplaceAll(base, "/", slash)
			out = append(out, form, asciiOnly(form, `\u%04x`), asciiOnly(form, `\u%04X`))
		}
	}
	return out
}

// asciiOnly writes other characters as UTF-16 units.
func asciiOnly(text, format string) string {
	var b strings.Builder
	for _, r := range text {
		if r <= '~' {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, format, unit)
		}
	}
	return b.String()
}

// markupForms returns the usual spellings in HTML and XML.
func markupForms(text string) []string {
	minimal := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	out := []string{html.EscapeString(text), xmlEscapes.Replace(text), minimal.Replace(text)}
	for _, quote := range []string{"&quot;", "&#34;", "&#x22;"} {
		for _, apostrophe := range []string{"'", "&apos;", "&#39;", "&#039;", "&#x27;"} {
			out = append(out, strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, quote, "'", apostrophe).Replace(text))
		}
	}
	return out
}

// pythonForms returns the text as repr, ascii and bytes literals have it between the quotes.
func pythonForms(text string) []string {
	var out []string
	for _, quotes := range []string{"", "'", `"`} {
		escape := strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`, "\t", `\t`)
		if quotes != "" {
			escape = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`, "\t", `\t`, quotes, `\`+quotes)
		}
		short := escape.Replace(text)
		out = append(out, pythonText(short, unicode.MaxASCII), pythonText(short, unicode.MaxRune), pythonBytes(short))
	}
	return out
}

// goForms returns the text as %q and %+q write it between the quotes.
func goForms(text string) []string {
	return []string{inside(strconv.Quote(text)), inside(strconv.QuoteToASCII(text))}
}

// inside takes the quotes off.
func inside(quoted string) string { return quoted[1 : len(quoted)-1] }

// pythonText escapes what isn't printable or lies beyond most.
func pythonText(text string, most rune) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r <= most && unicode.IsPrint(r):
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

func pythonBytes(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		if ' ' <= c && c <= '~' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, `\x%02x`, c)
		}
	}
	return b.String()
}

// everyCharacter returns the spellings that escape all characters.
func everyCharacter(text string) []string {
	var out []string
	for _, format := range []string{"%%%02x", "%%%02X", `\x%02x`, `\x%02X`} {
		var b strings.Builder
		for _, c := range []byte(text) {
			fmt.Fprintf(&b, format, c)
		}
		out = append(out, b.String())
	}
	for _, format := range []string{`\u%04x`, `\u%04X`} {
		var b strings.Builder
		for _, unit := range utf16.Encode([]rune(text)) {
			fmt.Fprintf(&b, format, unit)
		}
		out = append(out, b.String())
	}
	for _, format := range []string{"&#%d;", "&#x%x;", "&#x%X;"} {
		var b strings.Builder
		for _, r := range text {
			fmt.Fprintf(&b, format, r)
		}
		out = append(out, b.String())
	}
	return out
}

// wide returns ASCII in UTF-16 without its outer zero byte, and "" for other texts.
func wide(text string) string {
	var b strings.Builder
	for i, c := range []byte(text) {
		if c > unicode.MaxASCII {
			return ""
		}
		if i > 0 {
			b.WriteByte(0)
		}
		b.WriteByte(c)
	}
	return b.String()
}

func reversed(text string) string {
	runes := []rune(text)
	slices.Reverse(runes)
	return string(runes)
}
