package redact

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact/encodings"
	"github.com/computclaw/airlock/app/redact/fields"
)

// Lengths in characters.
const (
	minValue = 4  // shorter values are ignored
	minShown = 24 // shorter values show nothing in their mask
	// minUnheld is for words of values that scripts don't hold: shorter ones could be guessed by what
	// is masked.
	minUnheld = 16
)

// minStrength is how hard to guess a value must be, in bits, to be looked for in text that was
// joined: without its spaces and separators, ordinary text holds many words that nobody wrote.
const minStrength = 40

// maxFields is of how many fields of a value all forms are looked for.
const maxFields = 500

// minLooseRun is how long a form of an encoding of bytes is that is looked for in joined text.
const minLooseRun = 12

// hardToGuess reports whether a text is hard enough to guess to be looked for in joined text. Hex
// keys have few different characters and are that nonetheless: no words run together into digits,
// or letters and digits, as long as these.
func hardToGuess(text string) bool {
	if app.Strength(text) >= minStrength {
		return true
	}
	seen := map[rune]bool{}
	for _, r := range text {
		seen[r] = true
	}
	return len(text) >= 24 && len(seen) >= 6 && strings.ContainsAny(text, "0123456789")
}

// value has the name of a value, and what its masks may show.
type value struct {
	name      string
	anonymous bool
	show      string // its last characters; "" if its mask shows nothing
	strong    bool   // hard enough to guess to be looked for in joined text
	parts     fields.Parts
}

// form says what a needle is.
type form struct {
	owner    int32
	encoding string // "" for raw
	shows    bool   // its mask shows the value's last characters
	sealed   bool   // it is a placeholder
}

// needle is one form of a value.
type needle struct {
	form
	text  string
	quiet bool                // what it stands for must not be shown by other values' masks
	word  bool                // counts only as a word
	loose bool                // counts in joined text
	runs  encodings.RunSet    // in which it goes on; 0 if it is the whole value
	left  encodings.Remainder // how far it does so over line breaks
	seed  int32               // of fragments; 0 if it is none, and else nothing but that
}

func (n needle) ending(index int32) ending {
	out := ending{form: none, looseForm: none, quiet: none}
	switch {
	case n.seed != 0:
		out.form, out.seed = index, n.seed
		return out
	case n.word:
		out.words = []word{{int32(len(n.text)), index, n.owner}}
		return out
	case n.loose:
		out.looseLength, out.looseForm = int32(len(n.text)), index
	}
	out.length, out.form, out.runs = int32(len(n.text)), index, n.runs
	if !n.left.Empty() {
		out.left = []encodings.Remainder{n.left}
	}
	if n.quiet {
		out.quiet = n.owner
	}
	return out
}

// needles returns the values that count and all forms of them.
func needles(values []Value) (texts []string, known []value, all []needle) {
	texts, known = distinct(values)
	held := heldTexts(values)
	for i, text := range texts {
		if !known[i].anonymous {
			known[i].show = shownSuffix(text, texts)
		}
		known[i].strong = hardToGuess(text)
		known[i].parts = fields.Of(text)
		if !held[text] {
			known[i].parts.Words = longWords(known[i].parts.Words)
		}
		_, rest := fieldsOf(known[i].parts, held[text])
		for _, f := range rest {
			known[i].parts.Words = append(known[i].parts.Words, f.Text)
		}
		all = forms(all, int32(i), text, known[i])
	}
	for _, v := range values {
		if len(v.Placeholder) >= headLen {
			known = append(known, value{name: v.Name})
			all = append(all, needle{form: form{owner: int32(len(known) - 1), sealed: true}, text: v.Placeholder})
		}
	}
	return texts, known, all
}

// withFields adds what is secret in values as values of its own, under the same name. Anonymous ones
// come last, so that a text that the execution was given has its key's name.
func withFields(values []Value) (all []Value) {
	for _, anonymous := range []bool{false, true} {
		first := len(all)
		for _, v := range values {
			if v.Anonymous == anonymous {
				all = append(all, v)
			}
		}
		for _, v := range all[first:len(all):len(all)] {
			own, _ := fieldsOf(fields.Of(v.Secret.Reveal()), v.held())
			for _, f := range own {
				all = append(all, Value{Name: v.Name, Secret: app.NewSecret(f.Text), Unheld: !v.held(),
					Anonymous: v.Anonymous})
			}
		}
	}
	return all
}

// fieldsOf returns the fields that count as values of their own, and the rest, which count as words do:
// all forms of maxFields take 25 MB.
func fieldsOf(p fields.Parts, held bool) (values, rest []fields.Field) {
	if !held {
		p.Fields = slices.DeleteFunc(p.Fields, func(f fields.Field) bool { return !f.Unguessable() })
	}
	most := min(len(p.Fields), maxFields)
	return p.Fields[:most], p.Fields[most:]
}

// hasWords reports whether a value has a line of several words, the lines around a key apart.
func hasWords(text string) bool {
	for line := range strings.Lines(text) {
		if strings.Contains(strings.TrimSpace(line), " ") && !strings.HasPrefix(line, "-----") {
			return true
		}
	}
	return false
}

// longWords returns the words that can't be guessed by what is masked.
func longWords(words []string) []string {
	return slices.DeleteFunc(words, func(word string) bool { return utf8.RuneCountInString(word) < minUnheld })
}

func distinct(values []Value) (texts []string, known []value) {
	seen := map[string]bool{}
	for _, v := range values {
		text := strings.TrimSpace(v.Secret.Reveal())
		if utf8.RuneCountInString(text) >= minValue && !seen[text] {
			seen[text] = true
			texts, known = append(texts, text), append(known, value{name: v.Name, anonymous: v.Anonymous})
		}
	}
	return texts, known
}

// shownSuffix returns the last characters of a value that its mask may show.
func shownSuffix(text string, texts []string) string {
	if utf8.RuneCountInString(text) < minShown {
		return ""
	}
	at := len(text)
	for range 4 {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	last := text[at:]
	if !utf8.ValidString(last) ||
		strings.ContainsFunc(last, func(r rune) bool { return !unicode.IsGraphic(r) || unicode.IsSpace(r) }) {
		return ""
	}
	for _, other := range texts {
		if utf8.RuneCountInString(other) >= minShown {
			continue
		}
		if i := strings.LastIndex(text, other); strings.Contains(other, last) || (i >= 0 && i+len(other) > at) {
			return ""
		}
	}
	return last
}

// forms adds the forms of one value. The same text may come several times; the first says what it
// is.
func forms(all []needle, owner int32, text string, v value) []needle {
	add := func(encoding string, n needle) {
		if len(n.text) >= headLen {
			n.owner, n.encoding = owner, encoding
			all = append(all, n)
		}
	}
	short := encodings.IsShort(text)
	whole := needle{text: text, quiet: utf8.RuneCountInString(text) < minShown, word: short}
	whole.shows, whole.loose = true, v.strong && !short
	add("", whole)
	for _, joined := range encodings.JoinLines(text, "\n", "\r\n", " ", "<br>", "<br/>", "<br />") {
		if joined != text {
			add("line breaks", needle{text: joined, quiet: true, loose: v.strong})
		}
	}
	for _, word := range v.parts.Words {
		n := needle{quiet: true, loose: hardToGuess(word)}
		for _, f := range []encodings.Form{
			{Encoding: "line", Text: word},
			{Encoding: "reversed", Text: encodings.Reverse(word)},
			{Encoding: "ROT13", Text: encodings.ROT13(word)},
		} {
			n.text = f.Text
			add(f.Encoding, n)
		}
	}
	if !short && len(text) <= encodings.MaxVariant {
		for _, f := range encodings.Variants(text) {
			add(f.Encoding, needle{text: f.Text, quiet: true, loose: v.strong})
		}
	}
	for _, f := range encodings.Escaped(text) {
		word := encodings.IsShort(f.Text)
		add(f.Encoding, needle{text: f.Text, quiet: true, word: word, loose: v.strong && !word})
	}
	for _, f := range slices.Concat(encodings.Runs(text), encodings.UTF16Runs(text)) {
		loose := len(f.Text) >= minLooseRun && v.strong
		add(f.Encoding, needle{text: f.Text, quiet: true, runs: f.Rest, left: f.Left, loose: loose})
	}
	if !short {
		for _, f := range encodings.Lists(text) {
			add(f.Encoding, needle{text: f.Text, quiet: true})
		}
	}
	return all
}

// heldTexts returns the values that scripts hold themselves.
func heldTexts(values []Value) map[string]bool {
	held := map[string]bool{}
	for _, v := range values {
		if v.held() {
			held[strings.TrimSpace(v.Secret.Reveal())] = true
		}
	}
	return held
}
