// Package redact takes secrets out of whatever leaves a box. It makes Clean, the only text that the store accepts.
package redact

import (
	"encoding/json"

	"github.com/computclaw/airlock/app"
)

// Clean is text that a Redactor has seen. Only this package makes one; the zero Clean is empty text.
type Clean struct{ text string }

// String returns the redacted text, always valid UTF-8.
func (c Clean) String() string { return c.text }

// constant can't be named outside this package, so only untyped constants convert to it.
type constant string

// Fixed makes a Clean of a constant in Airlock's own source, such as an error message. It can't be called with a variable.
func Fixed(text constant) Clean { return Clean{string(text)} }

// Value is a secret that must not get out, under the name the script knows it by.
type Value struct {
	Name   string
	Secret app.Secret
}

// Redactor knows the secrets of one execution. It is safe for concurrent use.
type Redactor struct{}

// New returns a Redactor for the values. Empty values are ignored; plain credentials are not to be passed.
func New(values []Value) *Redactor { panic("not built") }

// Text masks the secrets in a whole text and reports how many places were masked.
func (r *Redactor) Text(text string) (Clean, int) { panic("not built") }

// JSON masks the secrets in the strings and keys of one JSON value, keeping its shape. The answer is compact JSON with sorted keys.
// Errors: the data is not one valid JSON value.
func (r *Redactor) JSON(data json.RawMessage) (Clean, int, error) { panic("not built") }

// Stream masks what is written to it piece by piece; emit gets the text as soon as no secret can begin in it. Not safe for concurrent use.
func (r *Redactor) Stream(emit func(Clean)) *Stream { panic("not built") }

// Stream is the streaming pass over one channel. It is an io.WriteCloser.
type Stream struct{}

// Write takes the next bytes; it never fails.
func (s *Stream) Write(p []byte) (int, error) { panic("not built") }

// Close emits what is held back.
func (s *Stream) Close() error { panic("not built") }

// Hits returns how many places were masked so far.
func (s *Stream) Hits() int { panic("not built") }
