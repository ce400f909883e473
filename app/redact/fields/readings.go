package fields

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/computclaw/airlock/app"
)

const (
	minReading = 12      // characters of the shortest text that a whole value is read as
	maxLogin   = 8 << 10 // bytes of the longest text that may be a token, or a user and a password
)

// readings notes what programs read a secret text as. That is what it decodes to, of least
// characters or more, and the secret part of a single text.
func (r *reader) readings(name, text string, single bool, depth, least int) {
	if r.budget -= len(text); depth <= 0 || r.budget < 0 {
		return
	}
	for _, plain := range decodings(text) {
		if utf8.RuneCountInString(plain) >= least && (least < minReading || app.WeakValue(app.NewSecret(plain)) == "") {
			r.noteReading(name, plain, depth-1, least)
		}
	}
	if user, password := basicLogin(text); isUserName(user) {
		r.field("password", password, 1)
	}
	if part := secretPart(text); single && utf8.RuneCountInString(part) >= minReading {
		r.noteReading(name, part, depth-1, minReading)
	}
}

// noteReading takes note of a reading, and of what is secret in it.
func (r *reader) noteReading(name, text string, depth, least int) {
	if text = strings.TrimSpace(text); text == "" || isStandIn(text) || !r.add(name, text) {
		return
	}
	r.readings(name, text, !r.read(text, depth), depth, least)
}

// decodings returns the texts that a text may stand for. It may be percent-encoded, quoted or
// escaped as in JSON, XML, programs and settings, in base64 or hex. Unknown escapes are read as
// lenient programs do.
func decodings(text string) (plain []string) {
	add := func(decoded string, err error) {
		if err == nil && decoded != text && isPrintable(decoded) {
			plain = append(plain, decoded)
		}
	}
	add(unpercent(text), nil)
	if strings.Contains(text, "%") {
		add(unpercent(strings.ReplaceAll(text, "+", " ")), nil)
	}
	bare := unquote(text)
	for _, plain := range []string{bare, unescape(bare), unescapeShell.Replace(bare), unescapeTick.Replace(bare),
		undoubleQuotes.Replace(bare), strings.ReplaceAll(bare, `""`, `"`), undoubleSigns.Replace(text),
		html.UnescapeString(text)} {
		add(plain, nil)
	}
	if len(text) >= 8 {
		for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding,
			base64.RawURLEncoding} {
			raw, err := enc.DecodeString(text)
			add(string(raw), err)
		}
		raw, err := hex.DecodeString(strings.TrimPrefix(strings.TrimPrefix(text, "0x"), `\x`))
		add(string(raw), err)
	}
	return plain
}

// unquote takes the quotes off a text between quotes.
func unquote(text string) string {
	if n := len(text); n > 1 && isQuote(text[0]) && text[n-1] == text[0] {
		return text[1 : n-1]
	}
	return text
}

func isPrintable(text string) bool {
	return utf8.ValidString(text) && strings.IndexFunc(text, isControl) < 0
}

func isControl(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' }

// token is what a JSON web token may be, anyScheme a header's credentials behind a scheme of any
// name.
var (
	token     = regexp.MustCompile(`^([A-Za-z0-9_-]+)\.[A-Za-z0-9_-]*\.([A-Za-z0-9_-]+)$`)
	anyScheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]*[ \t]+(\S+)$`)
)

// signatureOf returns the signature of a JSON web token; "" for other texts.
func signatureOf(text string) string {
	m := token.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	header, err := base64.RawURLEncoding.DecodeString(m[1])
	if header = bytes.TrimSpace(header); err != nil || len(header) == 0 || header[0] != '{' {
		return ""
	}
	return m[2]
}

// credentialsOf returns what stands behind a scheme of any name, if it looks like a key; else "".
func credentialsOf(text string) string {
	if m := anyScheme.FindStringSubmatch(text); m != nil && isOpaque(m[1]) {
		return m[1]
	}
	return ""
}

// secretPart returns the part of a text that is secret by itself, or "". It is a JWT's signature,
// the credentials behind a scheme, or the text behind a name and a colon.
func secretPart(text string) string {
	if len(text) > maxLogin {
		return ""
	}
	if signature := signatureOf(text); signature != "" {
		return signature
	}
	if credentials := credentialsOf(text); credentials != "" {
		return credentials
	}
	if strings.ContainsAny(text, "\r\n") || json.Valid([]byte(text)) || isURL(text) {
		return ""
	}
	_, part, _ := strings.Cut(text, ":")
	return strings.TrimSpace(part)
}
