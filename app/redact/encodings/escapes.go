package encodings

import "unicode"

// Escaped returns the forms in which most characters stay as they are.
func Escaped(text string) []Form {
	if isPlain(text) {
		return nil
	}
	var out []Form
	seen := map[string]bool{text: true}
	add := func(encoding, form string) {
		if !seen[form] {
			seen[form] = true
			out = append(out, Form{encoding, form})
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

func appendHex(out []byte, n uint32, width int, digits string) []byte {
	for i := width - 1; i >= 0; i-- {
		out = append(out, digits[n>>(4*i)&15])
	}
	return out
}
