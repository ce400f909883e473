package decode

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact/derived"
)

// Alphabet is the characters beyond ASCII that values have, in either case, in one piece or
// several. Nearly every number is some character, so of what lists of numbers stand for only that
// counts as text which may have to do with a value.
type Alphabet map[rune]bool

// AlphabetOf returns the Alphabet of values.
func AlphabetOf(texts []string) Alphabet {
	a := Alphabet{}
	for _, text := range texts {
		for _, form := range []string{text, norm.NFD.String(text), norm.NFKC.String(text)} {
			for _, r := range form {
				for other := unicode.SimpleFold(r); r >= utf8.RuneSelf && !a[other]; other = unicode.SimpleFold(other) {
					a[other] = true
				}
			}
		}
	}
	return a
}

// has reports whether a character may be of a value.
func (a Alphabet) has(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= ' '
	}
	return a[r]
}

// parts are those parts of decoded bytes that are text with so many characters of the alphabet.
// Signs, marks and blanks between them may be anything; a letter that isn't of the alphabet ends a
// part.
func (a Alphabet) parts(data []byte) (out []derived.Window) {
	for i := 0; i < len(data); {
		from, known := i, 0
		for i < len(data) {
			n := derived.TextPrefix(data[i:min(i+utf8.UTFMax, len(data))])
			if n == 0 {
				break
			}
			r, size := utf8.DecodeRune(data[i:])
			own := a.has(r)
			if !own && unicode.IsLetter(r) && !app.IsInvisible(r) {
				break
			}
			if own {
				known++
			}
			i += size
		}
		if known >= derived.MinStretch {
			out = append(out, derived.Window{From: from, To: i})
		}
		i = max(i, from+1)
	}
	return out
}
