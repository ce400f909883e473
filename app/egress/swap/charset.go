package swap

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// asciiCharsets are those in which every ASCII byte always is that character.
var asciiCharsets = []string{"", "utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1", "latin1", "windows-1252"}

// xmlEncoding finds the charset in an XML declaration.
var xmlEncoding = regexp.MustCompile(`^\s*<\?xml[^>]*?encoding\s*=\s*["']([^"']*)["']`)

// checkCharset refuses a placeholder in text that may be read in a charset other than ASCII. The
// value would become other characters, which an answer could show.
func checkCharset(text, media, charset string) *Refusal {
	const hint = "Send it as UTF-8."
	names := []string{charset}
	if m := xmlEncoding.FindStringSubmatch(text); m != nil {
		names = append(names, m[1])
	}
	for _, name := range names {
		if !slices.Contains(asciiCharsets, strings.ToLower(strings.TrimSpace(name))) {
			return refuseBody(RuleBody, "the body holds a placeholder, and is in another charset than UTF-8", hint)
		}
	}
	if (strings.HasPrefix(media, "multipart/") || media == mediaForm) && namesCharset(text) {
		return refuseBody(RuleBody, "the body holds a placeholder, and a field _charset_",
			"Send the form in UTF-8, without that field.")
	}
	return nil
}

// namesCharset reports whether a form has the field in which HTML forms name their charset.
func namesCharset(text string) bool {
	plain, err := url.QueryUnescape(text)
	return strings.Contains(text, "_charset_") || err == nil && strings.Contains(plain, "_charset_")
}
