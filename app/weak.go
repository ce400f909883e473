package app

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// minStrength is the recommended strength of a secret, in bits.
const minStrength = 28

// WeakValue returns a sentence on why a value is hard to protect, or "". Nothing is refused because
// of it. Weak values look like ordinary text in output, and printed guesses show which one is
// masked.
func WeakValue(value Secret) string {
	text := strings.TrimSpace(value.Reveal())
	switch n := utf8.RuneCountInString(text); {
	case n == 0:
		return ""
	case n < 8:
		return "The value has fewer than 8 characters: in output it is masked only where it stands as a word of its own, " +
			"and it can be guessed."
	case slices.Contains(usual, strings.TrimRight(strings.ToLower(text), "0123456789!.")):
		return "The value is a word that many use as a password: ordinary output may be masked because of it, and it can " +
			"be guessed."
	case Strength(text) < minStrength:
		return "The value is easy to guess: use a longer one, with letters, digits and signs mixed."
	}
	return ""
}

// IsWide reports whether a trimmed value has characters other than ASCII.
func IsWide(value Secret) bool {
	return strings.ContainsFunc(strings.TrimSpace(value.Reveal()), func(r rune) bool { return r > unicode.MaxASCII })
}

// ValueWarnings returns warnings about a value under that mode, a sentence each. Nothing is refused
// because of them.
func ValueWarnings(mode Mode, value Secret) []string {
	var warnings []string
	if mode == ModeSealed && IsWide(value) {
		warnings = append(warnings,
			"The value has characters other than ASCII: Airlock can't put it into a header, except as user or password of "+
				"Authorization: Basic. Requests that need it elsewhere in a header are refused.")
	}
	if mode == ModeSealed && strings.ContainsAny(strings.TrimSpace(value.Reveal()), "\r\n") {
		warnings = append(warnings, "The value has several lines: Airlock can't put it into a header.")
	}
	if weak := WeakValue(value); weak != "" && mode != ModePlain {
		warnings = append(warnings, weak)
	}
	if scheme := AuthScheme(value); scheme != "" && mode != ModePlain {
		warnings = append(warnings, fmt.Sprintf("The value begins with %q. Scripts write that word themselves, "+
			"so hosts would get it twice: store only what follows it.", scheme))
	}
	return warnings
}

// AuthScheme returns a value's leading Authorization scheme in its usual spelling, or "".
func AuthScheme(value Secret) string {
	first, rest, _ := strings.Cut(strings.TrimSpace(value.Reveal()), " ")
	for _, scheme := range []string{"Bearer", "Basic", "Token"} {
		if rest != "" && strings.EqualFold(first, scheme) && !strings.Contains(strings.TrimSpace(rest), " ") {
			return scheme
		}
	}
	return ""
}

// usual are the beginnings of common passwords and of placeholders in documents.
var usual = []string{
	"password", "passwort", "passw0rd", "p@ssword", "p@ssw0rd", "qwerty", "qwertyui", "qwertyuiop", "qwertz", "letmein",
	"welcome", "administrator", "iloveyou",
	"sunshine", "princess", "football", "baseball", "superman", "changeme", "change-me", "changeit", "trustno", "starwars",
	"whatever", "computer", "internet",
	"secret", "topsecret", "default", "testtest", "testing", "example", "mypassword", "your-api-key", "your-password",
	"placeholder", "monday", "september",
}

// Strength estimates how hard to guess a text is, in bits. Letters of one case count as words, with
// little strength per letter.
func Strength(text string) int {
	var lower, upper, digit, other int
	seen := map[rune]bool{}
	var last rune
	turns := 0
	for _, r := range text {
		seen[r] = true
		class := 'o'
		switch {
		case unicode.IsDigit(r):
			digit++
			class = 'd'
		case unicode.IsUpper(r):
			upper++
			class = 'u'
		case unicode.IsLetter(r):
			lower++
			class = 'l'
		default:
			other++
		}
		if last != 0 && class != last {
			turns++
		}
		last = class
	}
	n := utf8.RuneCountInString(text)
	perRune := 2.0
	switch mixed := digit > 0 && lower+upper > 0; {
	case digit == n:
		perRune = 3.3
	case mixed && lower > 0 && upper > 0:
		perRune = 5.9
	case mixed:
		perRune = 5
	case lower > 0 && upper > 0 && turns > 3, other > 2:
		perRune = 4.5
	}
	// A text of few different characters repeats itself.
	if distinct := float64(len(seen)); distinct*3 < float64(n) {
		perRune = min(perRune, 1)
	}
	return int(perRune * float64(n))
}
