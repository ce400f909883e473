package known

import (
	"strings"
	"unicode/utf8"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/match"
	"github.com/computclaw/airlock/app/redact/fields"
)

const (
	minValue    = 4   // characters of the shortest value that output is searched for
	minAnywhere = 8   // characters of the shortest one that also counts within words
	minUnheld   = 16  // characters of the shortest word of a value that scripts don't hold
	maxFields   = 500 // fields that count as values; others count as words do
	minStrength = 40  // bits from which a value is hard to guess
	minDistinct = 5   // different characters of a text of which parts count
)

// OutputPattern is a text that identifies a value in output.
type OutputPattern struct {
	match.Pattern
	Note string // how it differs from the value or its field, such as "reversed"; "" if it doesn't
}

// InOutput returns the texts by which a value is recognised in the output of scripts, some more than
// once. Parts count only of values that scripts hold: of others a script could find one character after
// the other by what is masked.
func InOutput(value string, held bool) []OutputPattern {
	o := output{held: held}
	parts := fields.Of(value)
	o.addValue(strings.TrimSpace(value), parts)
	for i, f := range parts.Fields {
		switch {
		case !held && !f.Unguessable():
		case i < maxFields:
			o.addValue(f.Text, fields.Of(f.Text))
		default:
			o.add(f.Text, "line", true)
		}
	}
	return o.list
}

type output struct {
	held bool
	list []OutputPattern
}

// addValue adds a value or field, with its secret part.
func (o *output) addValue(text string, parts fields.Parts) {
	if utf8.RuneCountInString(text) < minValue {
		return
	}
	o.add(text, "", parts.One)
	for _, word := range parts.Words {
		if o.held || utf8.RuneCountInString(word) >= minUnheld {
			o.add(word, "line", true)
		}
	}
	for _, joined := range JoinLines(text) {
		o.add(joined, "line breaks", false)
	}
	if classOf(text) != match.Strong || len(text) > maxVariant {
		return
	}
	o.add(Reverse(text), "reversed", false)
	if isForeign(text) {
		for _, form := range forms(text) {
			o.add(form, "letter case", false)
		}
		for _, bytes := range charsets(text) {
			o.add(bytes, "charset", false)
		}
	}
}

func (o *output) add(text, note string, parts bool) {
	p := match.Pattern{Text: text, Class: classOf(text)}
	if _, behind, found := strings.Cut(text, rsaKey); parts && o.held && found {
		o.add(behind, "line", true)
	} else {
		p.Parts = parts && o.held && hasParts(text)
	}
	o.list = append(o.list, OutputPattern{p, note})
}

// hasParts reports whether parts of a text can be told from rows of a few characters.
func hasParts(text string) bool {
	seen := map[rune]bool{}
	for _, r := range text {
		if seen[r] = true; len(seen) == minDistinct {
			return true
		}
	}
	return false
}

// rsaKey ends what each RSA key begins with in PKCS #8. Public keys and certificates have it, too.
const rsaKey = "hkiG9w0BAQEFAASC"

func classOf(text string) match.Class {
	switch {
	case utf8.RuneCountInString(text) < minAnywhere:
		return match.Word
	case isStrong(text):
		return match.Strong
	}
	return match.Weak
}

// isStrong reports whether a text is hard to guess. Hex keys have few different characters and are that
// nonetheless: no words run together into digits, or letters and digits, as long as these.
func isStrong(text string) bool {
	if app.Strength(text) >= minStrength {
		return true
	}
	seen := map[rune]bool{}
	for _, r := range text {
		seen[r] = true
	}
	return len(text) >= 24 && len(seen) >= 6 && strings.ContainsAny(text, "0123456789")
}
