package encodings

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"github.com/computclaw/airlock/app/redact/charset"
)

// MinWhole is the length, in characters, below which a value or a line isn't looked for inside
// words.
const MinWhole = 8

// MaxVariant is the length, in bytes, above which no Variants of a value are looked for.
const MaxVariant = 4096

// How many bytes of a value are looked for.
const (
	MaxRun  = 48 // in run-like encodings
	maxList = 24 // where each byte takes three characters and more
)

// Form is a value in an encoding.
type Form struct{ Encoding, Text string }

// RunForm is a form in an encoding whose text goes on in one alphabet.
type RunForm struct {
	Form
	Rest RunSet    // in which the value goes on; 0 if the text covers all of it
	Left Remainder // how far it does so over line breaks
}

// Runs returns the base64, hex, base32, base85 and percent-encoded forms.
func Runs(text string) []RunForm {
	whole := len(text) <= MaxRun
	head := []byte(text[:min(len(text), MaxRun)])
	var out []RunForm
	add := func(encoding, text string, rest RunSet, more Remainder) {
		if whole {
			rest, more = 0, Remainder{}
		}
		out = append(out, RunForm{Form{encoding, text}, rest, more})
	}
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		for shift, form := range base64Forms(enc, head, whole) {
			if len(form) >= minBase64 {
				add("base64", form, RunBase64, Remainder{text: text, shift: shift, next: 8 * (shift + len(head)) / 6})
			}
		}
	}
	lower := hex.EncodeToString(head)
	for _, form := range []string{lower, strings.ToUpper(lower)} {
		add("hex", form, RunHex, Remainder{text: text, shift: -1, next: 2 * len(head)})
	}
	for _, form := range []string{percentAll(lower), percentAll(strings.ToUpper(lower))} {
		add("percent", form, runPercentAll, Remainder{})
	}
	if len(head) >= MinWhole {
		for _, form := range base32Forms(head) {
			add("base32", form, runBase32, Remainder{})
		}
		for _, form := range base85Forms(head) {
			add("base85", form, 0, Remainder{})
		}
	}
	return append(out, percentSome(text)...)
}

// IsShort reports whether a text is looked for only where it stands as a word.
func IsShort(text string) bool { return utf8.RuneCountInString(text) < MinWhole }

// isPlain reports whether no encoder that leaves letters alone has anything to do: the usual case,
// and worth a shortcut.
func isPlain(text string) bool {
	for _, c := range []byte(text) {
		if !charset.IsWord(c) && c != '-' && c != '.' {
			return false
		}
	}
	return true
}
