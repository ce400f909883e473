package swap

import "strings"

var xmlEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;", "\t", "&#9;",
	"\n", "&#10;", "\r", "&#13;")

// fitXML escapes for text and attribute values. A text with CDATA gets only values without escapes
// that can't end it.
func fitXML(text string) fit {
	literal := strings.Contains(text, "<![CDATA[")
	return func(value string, _ int) (string, string) {
		escaped := xmlEscapes.Replace(value)
		switch {
		case strings.ContainsFunc(value, func(r rune) bool { return isControl(r) && !strings.ContainsRune("\t\n\r\x7f", r) }):
			return "", "it contains a control character, which XML can't"
		case literal && (escaped != value || strings.Contains(value, "]")):
			return "", "it would have to be escaped, and the body has CDATA"
		}
		return escaped, ""
	}
}
