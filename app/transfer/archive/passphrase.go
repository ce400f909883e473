package archive

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/computclaw/airlock/app"
)

// Requirements for a passphrase. Files can be attacked offline for years, so it must be harder to
// guess than a login's password.
const (
	MinPassphrase = 12 // characters
	maxPassphrase = 1024
	minStrength   = 50 // bits, as app.Strength estimates them
)

// advice is the way out of a weak passphrase.
const advice = "Use at least five random words, or a generated text such as from: openssl rand -base64 18. Keep it " +
	"where you keep passwords: without it the file is lost."

// CheckPassphrase refuses guessable passphrases, with advice. It is for new files only.
func CheckPassphrase(passphrase app.Secret) error {
	text := passphrase.Reveal()
	switch n := utf8.RuneCountInString(text); {
	case !utf8.ValidString(text):
		return app.Invalid("passphrase", "the passphrase is not valid UTF-8", "Type it as text.")
	case strings.ContainsAny(text, "\n\r\x00"):
		return app.Invalid("passphrase", "the passphrase has a line break in it", "Use one line.")
	case n > maxPassphrase:
		return app.Invalid("passphrase", fmt.Sprintf("the passphrase is longer than %d characters", maxPassphrase),
			"Use a shorter one.")
	case n < MinPassphrase:
		return app.Invalid("passphrase", fmt.Sprintf("the passphrase has fewer than %d characters", MinPassphrase), advice)
	case app.WeakValue(passphrase) != "", app.Strength(strings.TrimSpace(text)) < minStrength, oneWord(text), runs(text):
		return app.Invalid("passphrase", "the passphrase is easy to guess", advice)
	}
	return nil
}

// oneWord reports whether text is a short word with digits and signs, such as Summer2026!!.
func oneWord(text string) bool {
	core := strings.TrimFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
	return core != "" && utf8.RuneCountInString(core) < 8 &&
		strings.IndexFunc(core, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
}

// runs reports whether most of a text counts up or down or repeats. Examples are 12345678901234 and
// abcdefabcdef.
func runs(text string) bool {
	steps, n, last := 0, 0, rune(0)
	for _, r := range text {
		if d := r - last; n > 0 && d >= -1 && d <= 1 {
			steps++
		}
		last = r
		n++
	}
	return steps*2 > n
}
