package encodings

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"github.com/computclaw/airlock/app/redact/charset"
)

// Lengths in bytes.
const (
	maxRun     = 48   // of a value that are looked for in run-like encodings
	maxList    = 24   // likewise, where each byte takes three characters and more
	MaxVariant = 4096 // of a value that are looked for turned round, in UTF-16 and in other case
)

// Form is a value in an encoding.
type Form struct{ Encoding, Text string }

// RunForm is a form in such an encoding.
type RunForm struct {
	Form
	Rest RunSet    // set if the text covers only the beginning of the value
	Left Remainder // likewise
}

// Runs returns the base64, hex, base32, base85 and percent-encoded forms.
func Runs(text string) []RunForm {
	whole := len(text) <= maxRun
	head := []byte(text[:min(len(text), maxRun)])
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
				add("base64", form, RunBase64, Remainder{Base64: 8*(shift+len(text))/6 - 8*(shift+len(head))/6})
			}
		}
	}
	lower := hex.EncodeToString(head)
	for _, form := range []string{lower, strings.ToUpper(lower)} {
		add("hex", form, RunHex, Remainder{Hex: 2 * (len(text) - len(head))})
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

func IsShort(text string) bool { return utf8.RuneCountInString(text) < MinWhole }

// isPlain reports whether no encoder that leaves letters alone has anything to do: the usual case, and worth a shortcut.
func isPlain(text string) bool {
	for _, c := range []byte(text) {
		if !charset.IsWord(c) && c != '-' && c != '.' {
			return false
		}
	}
	return true
}

// MinWhole is the length, in characters, below which a value or a line isn't looked for inside words.
const MinWhole = 8
