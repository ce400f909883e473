package fields

import (
	"net/netip"
	"regexp"
	"strings"
	"unicode"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact/charset"
)

// minOpaque is how hard to guess, in bits, what has the name of a key must be to be secret.
const minOpaque = 40

// isOpaque reports whether a text looks like a key, not like a word or the name of something.
func isOpaque(text string) bool {
	return app.Strength(text) >= minOpaque && !isName(text) && !strings.ContainsAny(text, " \t")
}

// isEasy reports whether a line is easy to guess.
func isEasy(line string) bool {
	for word := range strings.FieldsFuncSeq(line, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if turns, _ := turnsOf(word[1:]); turns > 0 {
			return false
		}
	}
	return app.Strength(line) < minOpaque
}

// isHost reports whether a text is a host, an address or a mailbox, perhaps with a port behind it.
// Words with dots between them may as well be a password, so without a port the last must be usual.
func isHost(text string) bool {
	_, err := netip.ParseAddr(text)
	return err == nil || hostPort.MatchString(text)
}

var hostPort = regexp.MustCompile(`(?i)^(?:[\w.+-]+@)?(?:(?:[\w-]+\.)*[\w-]+:[0-9]{1,5}(?:/\S*)?|(?:[\w-]+\.)+` +
	`(?:[a-z]{2}|com|net|org|edu|gov|mil|int|info|biz|arpa|dev|app|cloud|svc|internal|local|lan|corp|test|example))$`)

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
	return 4*turns >= len(text) && (digits > 0 || len(text) >= 2*minWord)
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

// isStandIn reports whether a text stands for a secret that is elsewhere, or for none.
func isStandIn(text string) bool {
	switch strings.ToLower(text) {
	case "true", "false", "null", "none", "nil", "yes", "undefined", "disabled", "enabled", "required", "optional":
		return true
	}
	return strings.HasPrefix(text, "${") || strings.HasPrefix(text, "$(") || strings.HasPrefix(text, "{{") ||
		text[0] == '<' && text[len(text)-1] == '>' || strings.Trim(text, "*.x-") == ""
}

// scheme takes the word before the credentials of an Authorization header away.
func scheme(text string) (name, credentials string, ok bool) {
	name, credentials, ok = strings.Cut(text, " ")
	if !ok || strings.ContainsAny(credentials, " \t\r\n") {
		return "", "", false
	}
	switch strings.ToLower(name) {
	case "bearer", "basic", "token", "bot", "apikey", "api-key", "negotiate":
		return name, credentials, true
	}
	return "", "", false
}
