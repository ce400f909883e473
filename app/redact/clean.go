package redact

import (
	"fmt"
	"unicode/utf8"
)

// Clean is text that a Redactor has seen. Only this package makes one; the zero Clean is empty
// text.
type Clean struct{ text string }

// String returns the redacted text, always valid UTF-8.
func (c Clean) String() string { return c.text }

// Len returns the length in bytes.
func (c Clean) Len() int { return len(c.text) }

// Truncate returns the first n bytes at most, cut at a character boundary.
func (c Clean) Truncate(n int) Clean {
	if n >= len(c.text) {
		return c
	}
	n = max(n, 0)
	for n > 0 && !utf8.RuneStart(c.text[n]) {
		n--
	}
	return Clean{c.text[:n]}
}

// Ends shortens a text to n bytes. It keeps beginning and end, cut between characters; a line
// between them tells how much is missing.
func (c Clean) Ends(n int) Clean {
	if n >= len(c.text) {
		return c
	}
	gap := fmt.Sprintf("\n… %d bytes …\n", len(c.text)-n)
	half := max(n-len(gap), 0) / 2
	from := len(c.text) - half
	for from < len(c.text) && !utf8.RuneStart(c.text[from]) {
		from++
	}
	return Clean{c.Truncate(half).text + gap + c.text[from:]}.Truncate(n)
}

// constant can't be named outside this package, so only untyped constants convert to it.
type constant string

// Fixed makes a Clean of a constant in Airlock's own source, such as an error message. It can't be
// called with a variable.
func Fixed(text constant) Clean { return Clean{string(text)} }
