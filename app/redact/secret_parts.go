package redact

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/computclaw/airlock/app/redact/charset"
)

// secretParts returns the parts of a value of which fragments count. Usually that is all of it. Of
// what is put together from several parts, such as a URL, a JSON document or a key in lines,
// ordinary text has the others, too: hosts, names of fields, armour. So only what looks random
// counts there, and the password of a URL.
func secretParts(value string) []string {
	if isOne(value) {
		return []string{value}
	}
	var parts []string
	separates := func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\"'`\\,;=&?<>(){}[]", r) }
	for token := range strings.FieldsFuncSeq(value, separates) {
		tokens := []string{token}
		if strings.Contains(token, "://") || isName(token) {
			tokens = strings.FieldsFunc(token, func(r rune) bool { return strings.ContainsRune("/:@.", r) })
		}
		for _, t := range tokens {
			if _, behind, found := strings.Cut(t, rsaKey); found {
				t = behind
			}
			if len(t) >= maxFragment && isRandom(t) {
				parts = append(parts, t)
			}
		}
	}
	for _, m := range urlPassword.FindAllStringSubmatch(value, -1) {
		if !isRandom(m[1]) {
			parts = append(parts, m[1])
		}
	}
	return parts
}

// isOne reports whether a value has no parts that are secret and others that aren't.
func isOne(value string) bool {
	switch {
	case strings.ContainsAny(value, "\r\n"), strings.Contains(value, `\n`), strings.Contains(value, "://"):
		return false
	case strings.HasPrefix(value, "{") && strings.HasSuffix(value, "}"):
		return false
	case strings.ContainsAny(value, "=:") && len(assignment.FindAllString(value, 2)) == 2:
		return false
	}
	return !isName(value)
}

var (
	assignment  = regexp.MustCompile(`[A-Za-z_]{4,}["']?\s*[=:]\s*[^\s=]`)
	urlPassword = regexp.MustCompile(`://[^\s/:@]*:([^\s/]{8,})@`)
)

// rsaKey ends what each RSA key begins with in PKCS #8. Public keys and certificates have the same
// characters.
const rsaKey = "hkiG9w0BAQEFAASC"

// isName reports whether a text may be the name of a host, an address, a path: words with signs
// between them.
func isName(text string) bool {
	turns, _ := turnsOf(text)
	return strings.ContainsAny(text, ".@/:") && 8*turns < len(text) &&
		strings.IndexFunc(text, func(r rune) bool {
			return r > unicode.MaxASCII || !charset.IsWord(byte(r)) && !strings.ContainsRune(".@/:-", r)
		}) < 0
}

// isRandom reports whether a text looks made at random. Long names put together from words have no
// digits, as a rule.
func isRandom(text string) bool {
	turns, digits := turnsOf(text)
	return 4*turns >= len(text) && (digits > 0 || len(text) >= 2*maxFragment)
}

// turnsOf counts how often small letters, capitals and digits follow each other, which in words
// they seldom do, and the digits.
func turnsOf(text string) (turns, digits int) {
	const small, capital, digit = 1, 2, 3
	last := 0
	for _, r := range text {
		class := 0
		switch {
		case r >= 'a' && r <= 'z':
			class = small
		case r >= 'A' && r <= 'Z':
			class = capital
		case r >= '0' && r <= '9':
			class = digit
			digits++
		}
		if class != 0 && last != 0 && class != last {
			turns++
		}
		last = class
	}
	return turns, digits
}
