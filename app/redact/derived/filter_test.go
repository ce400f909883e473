package derived

import (
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact/charset"
)

// TestNothingIsLookedPast: the shortcuts for bytes that begin no character of interest know every
// such character.
func TestNothingIsLookedPast(t *testing.T) {
	t.Parallel()
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if r == 0x1b || !utf8.ValidRune(r) || r > 0x32000 && r < 0xe0000 { // planes without characters
			continue
		}
		text := utf8.AppendRune(nil, r)
		unseen := app.IsInvisible(r) || unicode.IsSpace(r)
		if b := Visible.Apply(text); unseen != (b != nil && len(b.Text) == 0) {
			t.Errorf("%U is not seen: %v", r, unseen)
		}
		letter := r < utf8.RuneSelf && charset.IsWord(byte(r)) && r != '_' || r >= utf8.RuneSelf &&
			(unicode.IsLetter(r) || unicode.IsDigit(r))
		if b := LettersOnly.Apply(text); letter != (b == nil) {
			t.Errorf("%U is a letter or digit: %v", r, letter)
		}
	}
}
