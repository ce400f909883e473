package redact

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/match"
	"github.com/computclaw/airlock/app/secrets"
)

// Match is a place of a text that a rule takes for a secret, in bytes, and the name of the rule.
type Match struct {
	Start, End int
	Rule       string
}

// Options change what a Redactor does. The zero Options are the usual.
type Options struct {
	// Rules finds what looks like a secret in a whole text, in order, without overlap. It must
	// be safe for concurrent use.
	Rules func(text string) []Match
	// Ahead is Rules for the beginning of a text that comes in pieces: from offset open on, what
	// follows may yet make a match. A Stream asks it; nil: a Stream masks known values only.
	Ahead func(text string) (found []Match, open int)
}

// Redactor knows the secrets of one execution. It is safe for concurrent use and prints none of
// them.
type Redactor struct {
	finder   *match.Finder
	values   []secrets.Resolved
	needles  []needle        // by pattern
	patterns []match.Pattern // of the finder
	parts    string          // the texts of which parts count, in lower case
	lines    bool            // some values have several lines
	rules    func(text string) []Match
	ahead    func(text string) ([]Match, int)
}

// isHeldByScript reports whether a script holds the value itself, and no placeholder.
func isHeldByScript(v secrets.Resolved) bool {
	return v.Placeholder == "" && v.Held == secrets.ByScript
}

// New returns a Redactor for the values. What is secret in a value counts as a value, too. Values
// of fewer than 4 characters, white space around them not counted, are ignored; plain credentials
// are not to be passed. Equal values under several names are one.
func New(values []secrets.Resolved, options ...Options) *Redactor {
	r := &Redactor{values: values}
	r.needles, r.patterns = needlesOf(values)
	r.finder = match.New(r.patterns)
	r.parts = partsOf(r.patterns)
	r.lines = slices.ContainsFunc(r.patterns, func(p match.Pattern) bool { return strings.Contains(p.Text, "\n") })
	for _, o := range options {
		if o.Rules != nil {
			r.rules = o.Rules
		}
		if o.Ahead != nil {
			r.ahead = o.Ahead
		}
	}
	return r
}

// Text masks the secrets in a whole text and reports what was masked.
func (r *Redactor) Text(text string) (Clean, Hits) {
	var t tally
	clean := Clean{r.render(text, r.find(text), &t)}
	return clean, t.hits()
}

// Texts is Text for several texts.
func (r *Redactor) Texts(texts []string) ([]Clean, Hits) {
	var t tally
	clean := make([]Clean, len(texts))
	for i, text := range texts {
		clean[i] = Clean{r.render(text, r.find(text), &t)}
	}
	return clean, t.hits()
}

// Cut is Text for a text whose end was cut off. It also masks 4 or more last bytes that may begin a
// secret.
func (r *Redactor) Cut(text string) (Clean, Hits) {
	var t tally
	clean := Clean{r.render(text, r.findCut(text), &t)}
	return clean, t.hits()
}

// Stream masks what is written to it piece by piece. emit gets text once no secret can begin in it,
// never empty, in whole characters. Not safe for concurrent use.
func (r *Redactor) Stream(emit func(Clean)) *Stream {
	s := &Stream{redactor: r, scanner: r.finder.Scanner(), emit: emit}
	if r.ahead != nil {
		s.rules = &ruleStream{ahead: r.ahead}
	}
	return s
}

// KnowsValues reports whether there is any value to find.
func (r *Redactor) KnowsValues() bool { return !r.finder.IsEmpty() }

// KnownStream returns a Stream for content that is not text, such as a file: it finds known values
// only, and emits nothing.
func (r *Redactor) KnownStream() *Stream { return &Stream{redactor: r, scanner: r.finder.Scanner()} }

// Format writes a fixed text for every verb, so that no secret is ever printed.
func (Redactor) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(app.Masked)) }

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
