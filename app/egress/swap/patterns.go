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
		add(text)
		if len(text) >= minLine { // hosts cut off the padding, or the last character
			add(strings.TrimRight(text, "="), text[:len(text)-1], text[1:])
		}
	}
	add(innerSecret(trimmed))
	add(otherCharsets(trimmed)...)
	if len(trimmed) >= minPart {
		out = append(out, pattern{encodings.Reverse(trimmed), true})
	}
	return out
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
	if !utf8.ValidString(value) || strings.IndexFunc(value, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
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
