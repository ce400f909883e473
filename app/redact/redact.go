package redact

import (
	"fmt"
	"slices"
	"sync"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact/decode"
	"github.com/computclaw/airlock/app/redact/derived"
)

// Value is a secret that must not get out, under the name the script knows it by.
type Value struct {
	Name   string
	Secret app.Secret
	// Placeholder is what a script holds instead of a sealed value; "" if it holds the value
	// itself. It is shown as [SEALED:NAME], which is no hit.
	Placeholder string
	// Unheld is set if the script doesn't hold the value either way, such as one that Vault gave to
	// another execution.
	Unheld bool
	// Anonymous masks show nothing of the value, not even the last characters, and its hits name a
	// rule: no key of the script has it.
	Anonymous bool
}

// held reports whether a script holds the value itself.
func (v Value) held() bool { return v.Placeholder == "" && !v.Unheld }

// Match is a place of a text that a pattern takes for a secret, in bytes, and the name of the
// pattern.
type Match struct {
	Start, End int
	Rule       string
}

// Options change what a Redactor does. The zero Options are the usual.
type Options struct {
	// Patterns finds what looks like a secret in a whole text, in order, without overlap. It must
	// be safe for concurrent use.
	Patterns func(text string) []Match
	// Ahead is Patterns for the beginning of a text that comes in pieces: from offset open on, what
	// follows may yet make a match. A Stream asks it; nil: a Stream masks known values only.
	Ahead func(text string) (found []Match, open int)
}

// Redactor knows the secrets of one execution. It is safe for concurrent use and prints none of
// them.
type Redactor struct {
	machine  *machine
	texts    []string // of the machine's values
	only     *lettersOnly
	cases    *anyCase
	alphabet decode.Alphabet
	blanks   bool // some value has a line of several words
	near     int  // bytes around an escape that may belong to the same value
	least    int  // bytes of the shortest form that counts in what was decoded, between derived.MinStretch and
	// derived.MaxStretch
	patterns func(text string) []Match
	ahead    func(text string) ([]Match, int)
	held     func() *Redactor // of what scripts hold; nil if that is all
}

// New returns a Redactor for the values. What is secret in a value counts as a value, too. Values of
// fewer than 4 characters, white space around them not counted, are ignored; plain credentials are
// not to be passed. Equal values under several names are one.
func New(values []Value, options ...Options) *Redactor {
	given := values
	values = withFields(values)
	texts, known, all := needles(values)
	fragments, seeds := newFragments(values, texts, known, len(all))
	r := &Redactor{machine: newMachine(known, slices.Concat(all, seeds)), texts: texts, only: &lettersOnly{},
		alphabet: decode.AlphabetOf(texts), blanks: slices.ContainsFunc(texts, hasWords)}
	r.machine.fragments = fragments
	r.cases = newAnyCase(r.machine, texts)
	r.least = derived.MaxStretch
	for _, n := range all {
		if !n.word {
			r.least = max(min(r.least, len(n.text)), derived.MinStretch)
		}
	}
	for _, text := range texts {
		r.near = min(max(r.near, minNear, 16*len(text)), maxNear)
	}
	if held := slices.DeleteFunc(slices.Clone(given),
		func(v Value) bool { return !v.held() }); len(held) < len(given) {
		r.held = sync.OnceValue(func() *Redactor { return New(held) })
	}
	for _, o := range options {
		if o.Patterns != nil {
			r.patterns = o.Patterns
		}
		if o.Ahead != nil {
			r.ahead = o.Ahead
		}
	}
	return r
}

// Text masks the secrets in a whole text and reports what was masked.
func (r *Redactor) Text(text string) (Clean, Hits) { return r.one(&leaf{text: text}) }

// Cut is Text for a text whose end was cut off: 4 bytes or more at the end that may begin a secret
// are masked, too. Values that scripts don't hold are no such secrets: what a script writes without
// holding them would show by its mask that one begins like that, and so be found byte by byte.
func (r *Redactor) Cut(text string) (Clean, Hits) { return r.one(&leaf{text: text, cut: true}) }

func (r *Redactor) one(l *leaf, joints ...[]part) (Clean, Hits) {
	r.findAll([]*leaf{l}, joints...)
	clean, hits := r.masked(l)
	return clean[0], hits
}

// Stream masks what is written to it piece by piece; emit gets the text as soon as no secret can
// begin in it, never empty, never with half a character. Not safe for concurrent use.
func (r *Redactor) Stream(emit func(Clean)) *Stream {
	s := &Stream{scan: newScan(r.machine), emit: emit}
	if r.ahead != nil {
		s.patterns = &patternStream{ahead: r.ahead}
	}
	return s
}

// KnowsValues reports whether there is any value to find.
func (r *Redactor) KnowsValues() bool { return len(r.texts) > 0 }

// Known returns a Stream for content that is not text, such as a file: it finds known values only, and
// emits nothing.
func (r *Redactor) Known() *Stream { return &Stream{scan: newScan(r.machine)} }

// Format writes a fixed text for every verb, so that no secret is ever printed.
func (Redactor) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(app.Masked)) }
