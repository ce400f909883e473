package swap

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/computclaw/airlock/app/redact/encodings"
	"github.com/computclaw/airlock/app/redact/fields"
)

// minLine is the length of the shortest line of a value that is a secret of its own, in bytes.
const minLine = 16

// minPart is the length of the shortest part of a value that is looked for by itself, in bytes. A
// script can learn whether a text of its own is one, so shorter ones could be guessed.
const minPart = 12

// maxSwallowed is how many hex digits a host may take for the rest of an escape that a script began before
// a value, and not show. CSS has the longest one whose end is not fixed.
const maxSwallowed = 6

// pattern is a text by which a value is recognised, however its characters are written.
type pattern struct {
	text     string
	reversed bool
}

// patterns returns the texts by which a value is recognised, each once.
func patterns(value string) []pattern {
	var out []pattern
	seen := map[pattern]bool{}
	add := func(reversed bool, texts ...string) {
		for _, text := range texts {
			if p := (pattern{text, reversed}); len(text) >= minPart && !seen[p] {
				seen[p] = true
				out = append(out, p)
			}
		}
	}
	trimmed := strings.TrimSpace(value)
	parts := append([]string{trimmed, value}, encodings.Lines(value, minLine)...)
	for _, f := range fields.Of(value).Fields {
		parts = append(parts, f.Text)
	}
	for _, part := range parts {
		if len(part) < minPart {
			continue
		}
		add(false, encodings.JoinLines(part, "", " ")...)
		for _, text := range inForms(part) {
			add(false, text)
			if len(text) >= minLine { // hosts cut off the padding, or the last character
				_, first := utf8.DecodeRuneInString(text)
				_, last := utf8.DecodeLastRuneInString(text)
				add(false, strings.TrimRight(text, "="), strings.TrimRight(text[:len(text)-last], " "), text[first:])
			}
			add(false, encodings.Charsets(text)...)
		}
	}
	for _, text := range inForms(trimmed) {
		add(true, encodings.Reverse(text))
	}
	add(false, swallowed(trimmed)...)
	return out
}

// swallowed returns what is left of a value of which a host took the first hex digits for others.
func swallowed(value string) (rests []string) {
	line, _, _ := strings.Cut(value, "\n") // the others are looked for anyway
	rest := strings.TrimRight(line, "\r")
	for range maxSwallowed {
		if len(rest) <= minLine || !strings.Contains("0123456789abcdefABCDEF", rest[:1]) {
			break
		}
		rest = rest[1:]
		rests = append(rests, rest)
	}
	return rests
}

// inForms returns a text, and one with other than ASCII also in small letters and in capitals, with
// its accents as characters of their own and without. Of ASCII both cases are found anyway.
func inForms(text string) (forms []string) {
	if !encodings.IsForeign(text) {
		return []string{text}
	}
	for _, form := range []string{text, norm.NFC.String(text), norm.NFD.String(text)} {
		forms = append(append(forms, form, strings.ToLower(form)), encodings.Capitals(form)...)
	}
	return forms
}
