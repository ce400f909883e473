package fields

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/computclaw/airlock/app"
)

const (
	minReading = 12      // characters of the shortest text that a whole value is read as
	maxLogin   = 8 << 10 // bytes of the longest text that may be a token, or a user and a password
)

// readings takes note of what programs read a secret text as: what it decodes to, from a length on
// that is given in characters, and of a single text the part that is secret by itself.
func (r *reader) readings(name, text string, single bool, depth, least int) {
	if r.budget -= len(text); depth <= 0 || r.budget < 0 {
		return
	}
	for _, plain := range decodings(text) {
		if utf8.RuneCountInString(plain) >= least && (least < minReading || app.WeakValue(app.NewSecret(plain)) == "") {
			r.reading(name, plain, depth-1, least)
		}
	}
	if part := secretPart(text); single && utf8.RuneCountInString(part) >= minReading {
		r.reading(name, part, depth-1, minReading)
	}
}

// reading takes note of a reading, and of what is secret in it.
func (r *reader) reading(name, text string, depth, least int) {
	if text = strings.TrimSpace(text); text == "" || isStandIn(text) || !r.add(name, text) {
		return
	}
	r.readings(name, text, !r.read(text, depth), depth, least)
}

// decodings returns the texts for which a text may be written: percent-encoded, quoted or escaped as
// in JSON and programs, in base64 or hex.
func decodings(text string) (plain []string) {
	add := func(decoded string, err error) {
		if err == nil && decoded != text && isPrintable(decoded) {
			plain = append(plain, decoded)
		}
	}
	if strings.Contains(text, "%") {
		add(url.PathUnescape(text))
		add(url.QueryUnescape(text))
	}
	if quoted := quotedAs(text); quoted != "" {
		var decoded string
		add(decoded, json.Unmarshal([]byte(quoted), &decoded))
		add(strconv.Unquote(quoted))
	}
	if len(text) >= 8 {
		for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding,
			base64.RawURLEncoding} {
			raw, err := enc.DecodeString(text)
			add(string(raw), err)
		}
		raw, err := hex.DecodeString(text)
		add(string(raw), err)
	}
	return plain
}

// quotedAs returns a text as a quoted string, "" if it is none and has no escapes.
func quotedAs(text string) string {
	n := len(text)
	switch {
	case n < 2:
		return ""
	case isQuote(text[0]) && text[n-1] == text[0]:
		if text[0] == '`' || text[0] == '"' {
			return text
		}
		return `"` + strings.ReplaceAll(text[1:n-1], `"`, `\"`) + `"`
	case strings.Contains(text, `\`):
		return `"` + text + `"`
	}
	return ""
}

func isPrintable(text string) bool {
	return utf8.ValidString(text) && strings.IndexFunc(text, isControl) < 0
}

func isControl(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' }

// jwt is a JSON web token, anyScheme a header's credentials behind a scheme of any name.
var (
	jwt       = regexp.MustCompile(`^eyJ[A-Za-z0-9_-]*\.[A-Za-z0-9_-]*\.([A-Za-z0-9_-]+)$`)
	anyScheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]*[ \t]+(\S+)$`)
)

// secretPart returns the part of a text that is secret by itself: the signature of a JWT, the
// credentials behind a scheme, or what stands behind a name and a colon; "" if there is none.
func secretPart(text string) string {
	if len(text) > maxLogin {
		return ""
	}
	if m := jwt.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	if m := anyScheme.FindStringSubmatch(text); m != nil && isOpaque(m[1]) {
		return m[1]
	}
	if strings.ContainsAny(text, "\r\n") || json.Valid([]byte(text)) || strings.Contains(text, "://") {
		return ""
	}
	_, part, _ := strings.Cut(text, ":")
	return strings.TrimSpace(part)
}
