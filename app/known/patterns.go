package known

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"

	"github.com/computclaw/airlock/app/match"
	"github.com/computclaw/airlock/app/redact/fields"
)

// Lengths in bytes.
const (
	// MinPart is the shortest part of a value that is searched. A script can test guesses of parts,
	// so shorter ones could be guessed.
	MinPart = 12
	// minLine is the length of the shortest line that is its own secret.
	minLine = 16
	// maxVariant is the longest text that is also searched in another order.
	maxVariant = 4096
	// maxSwallowed is how many of a value's hex digits an escape begun before it can take. CSS has
	// the longest escape without a fixed end.
	maxSwallowed = 6
)

// Pattern is a text that identifies a value.
type Pattern struct {
	match.Pattern
	Reversed bool // the text is the value in reverse order
}

// Patterns returns a value's distinct patterns.
func Patterns(value string) []Pattern {
	p := &patterns{seen: map[Pattern]bool{}}
	trimmed := strings.TrimSpace(value)
	parts := append([]string{trimmed, value}, Lines(value, minLine)...)
	for _, f := range fields.Of(value).Fields {
		parts = append(parts, f.Text)
	}
	for _, part := range parts {
		if len(part) >= MinPart {
			p.addPart(part)
		}
	}
	if len(trimmed) <= maxVariant {
		for _, text := range forms(trimmed) {
			p.add(true, Reverse(text))
		}
	}
	p.add(false, restsOfSwallowed(trimmed)...)
	return p.list
}

type patterns struct {
	list []Pattern
	seen map[Pattern]bool
}

func (p *patterns) add(reversed bool, texts ...string) {
	for _, text := range texts {
		if n := (Pattern{match.Pattern{Text: text}, reversed}); len(text) >= MinPart && !p.seen[n] {
			p.seen[n] = true
			p.list = append(p.list, n)
		}
	}
}

// addPart adds a part on one line, without padding, first or last character, which hosts cut off.
func (p *patterns) addPart(part string) {
	if len(part) <= maxVariant {
		p.add(false, JoinLines(part)...)
	}
	for _, text := range forms(part) {
		p.add(false, text)
		p.add(false, charsets(text)...)
		if isForeign(text) { // servlets read Basic so
			misread, _ := charmap.ISO8859_1.NewDecoder().String(text) // which knows all bytes
			p.add(false, misread)
		}
		if len(text) < minLine {
			continue
		}
		// A long one's other blocks are found anyway.
		head, tail := text[:min(len(text), match.MaxBlock)], text[max(0, len(text)-match.MaxBlock):]
		_, first := utf8.DecodeRuneInString(head)
		_, last := utf8.DecodeLastRuneInString(tail)
		p.add(false, strings.TrimRight(tail, "="), strings.TrimRight(tail[:len(tail)-last], " "), head[first:])
	}
}

// restsOfSwallowed returns the rests of a value whose first hex digits an escape took.
func restsOfSwallowed(value string) (rests []string) {
	line, _, _ := strings.Cut(value, "\n") // the others are looked for anyway
	rest := strings.TrimRight(line, "\r")
	rest = rest[:min(len(rest), match.MaxBlock)]
	for range maxSwallowed {
		if len(rest) <= minLine || !strings.Contains("0123456789abcdefABCDEF", rest[:1]) {
			break
		}
		rest = rest[1:]
		rests = append(rests, rest)
	}
	return rests
}

// forms returns a text and, beyond ASCII, its small letters, capitals, decomposed and unaccented
// forms. Both cases of ASCII are found anyway.
func forms(text string) (out []string) {
	if !isForeign(text) {
		return []string{text}
	}
	for _, form := range []string{text, norm.NFC.String(text), norm.NFD.String(text)} {
		out = append(append(out, form, strings.ToLower(form)), capitals(form)...)
	}
	return out
}
