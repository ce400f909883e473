package redact

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/computclaw/airlock/app/redact/charset"
	"github.com/computclaw/airlock/app/redact/encodings"
)

// anyCase finds values whatever the case of their letters: those that are hard to guess even then.
// The forms have the usual other cases, also encoded; this finds every other in text as it is. nil
// finds nothing.
type anyCase struct {
	machine *machine // for text in small letters
	forms   []int32  // of the Redactor's machine, by its own
}

func newAnyCase(m *machine, texts []string) *anyCase {
	a := &anyCase{}
	var list []needle
	for owner, text := range texts {
		small := smallLetters(text)
		if !hasCase(small) || encodings.IsShort(text) || len(text) > encodings.MaxVariant ||
			!hardToGuess(string(small)) {
			continue
		}
		list = append(list, needle{form: form{owner: int32(owner)}, text: string(small)})
		a.forms = append(a.forms, m.formLike(form{owner: int32(owner), encoding: "swapped case"}))
	}
	if list == nil {
		return nil
	}
	a.machine = newMachine(m.values, list)
	return a
}

// places returns where values are in a text, besides those that are masked already.
func (a *anyCase) places(l *leaf) (found []region) {
	if a == nil || l.number || len(l.text) < encodings.MinWhole {
		return nil
	}
	for _, g := range a.machine.places(smallLetters(l.text), false, false) {
		if !l.covers(g) {
			found = append(found, region{start: g.start, end: g.end, form: none, by: a.forms[g.by], quiet: several})
		}
	}
	return found
}

// hasCase reports whether a text in small letters has any.
func hasCase(small []byte) bool { return bytes.ContainsFunc(small, unicode.IsLower) }

// smallLetters returns a text with its letters in lower case, but for those that have another length
// then.
func smallLetters(text string) []byte {
	out := []byte(text)
	foreign := false
	for i, c := range out {
		if 'A' <= c && c <= 'Z' {
			out[i] = c + 'a' - 'A'
		}
		foreign = foreign || c >= utf8.RuneSelf
	}
	if foreign {
		charset.LowerForeign(out)
	}
	return out
}
