package redact

import (
	"fmt"

	"github.com/computclaw/airlock/app"
)

// Value is a secret that must not get out, under the name the script knows it by.
type Value struct {
	Name   string
	Secret app.Secret
}

// Redactor knows the secrets of one execution. It is safe for concurrent use and prints none of them.
type Redactor struct{ machine *machine }

// New returns a Redactor for the values. Values of fewer than 4 characters, white space around them not counted, are ignored;
// plain credentials are not to be passed. Equal values under several names are one.
func New(values []Value) *Redactor { return &Redactor{machine: newMachine(needles(values))} }

// Text masks the secrets in a whole text and reports how many places were masked.
func (r *Redactor) Text(text string) (Clean, int) {
	masked, hits := r.machine.mask(text, true)
	return Clean{masked}, hits
}

// Cut is Text for a text whose end was cut off: 4 bytes or more at the end that may begin a secret are masked, too.
func (r *Redactor) Cut(text string) (Clean, int) {
	var out Clean
	s := r.Stream(func(c Clean) { out = Join(out, c) })
	s.take([]byte(text))
	s.Cut()
	return out, s.Hits()
}

// Stream masks what is written to it piece by piece; emit gets the text as soon as no secret can begin in it, never empty,
// never with half a character. Not safe for concurrent use.
func (r *Redactor) Stream(emit func(Clean)) *Stream {
	return &Stream{scan: scan{machine: r.machine}, emit: emit}
}

// Format writes a fixed text for every verb, so that no secret is ever printed.
func (Redactor) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(app.Masked)) }
