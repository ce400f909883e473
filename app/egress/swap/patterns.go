package swap

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/computclaw/airlock/app/redact/encodings"
)

// minLine is the length of the shortest line of a value that is a secret of its own, in bytes.
const minLine = 16

// minPart is the length of the shortest part of a value that is looked for by itself, in bytes. A
// script can learn whether a text of its own is one, so shorter ones could be guessed.
const minPart = 12

// pattern is a text by which a value is recognised, however its characters are written.
type pattern struct {
	text     string
	reversed bool
}

// patterns returns the texts by which a value is recognised, each once.
func patterns(value string) []pattern {
	var out []pattern
	add := func(texts ...string) {
		for _, text := range texts {
			if len(text) >= minPart && !slices.Contains(out, pattern{text: text}) {
				out = append(out, pattern{text: text})
			}
		}
	}
	trimmed := strings.TrimSpace(value)
	for _, text := range append([]string{trimmed, value}, encodings.Lines(value, minLine)...) {
		for _, text := range inCases(text) {
			add(text)
			if len(text) >= minLine { // hosts cut off the padding, or the last character
				_, first := utf8.DecodeRuneInString(text)
				_, last := utf8.DecodeLastRuneInString(text)
				add(strings.TrimRight(text, "="), text[:len(text)-last], text[first:])
			}
		}
	}
	add(inCases(innerSecret(trimmed))...)
	for _, text := range inCases(trimmed) {
		add(otherCharsets(text)...)
	}
	for _, text := range inCases(trimmed) {
		if len(text) >= minPart {
			out = append(out, pattern{encodings.Reverse(text), true})
		}
	}
	return out
}

// inCases returns a text, and one with other than ASCII also in small letters and in capitals: of
// ASCII both are found anyway. A character for which two stand in capitals (ß) stays.
func inCases(text string) []string {
	if isASCII(text) || !utf8.ValidString(text) {
		return []string{text}
	}
	return []string{text, strings.ToLower(text), strings.ToUpper(text)}
}

func isASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// innerSecret returns the secret part of a value, or "": the signature of a JWT, the password of a
// URL or of user:password.
func innerSecret(value string) string {
	if pieces := strings.Split(value, "."); len(pieces) == 3 && strings.HasPrefix(value, "eyJ") {
		if _, err := base64.RawURLEncoding.DecodeString(pieces[2]); err == nil {
			return pieces[2]
		}
	}
	if u, err := url.Parse(value); err == nil && u.User != nil {
		password, _ := u.User.Password()
		return password
	}
	if strings.ContainsAny(value, " \n{") {
		return ""
	}
	_, password, _ := strings.Cut(value, ":")
	return password
}

// otherCharsets returns a value with other than ASCII in UTF-16 and Latin-1. ASCII is found in
// UTF-16 anyway.
func otherCharsets(value string) []string {
	if isASCII(value) || !utf8.ValidString(value) {
		return nil
	}
	little, big := encodings.UTF16(value)
	out := []string{little, big}
	latin := make([]byte, 0, len(value))
	for _, r := range value {
		if r > 0xff {
			return out
		}
		latin = append(latin, byte(r))
	}
	return append(out, string(latin))
}
