package redact

import (
	"slices"

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
		if !slices.ContainsFunc(small, isSmall) || encodings.IsShort(text) || len(text) > encodings.MaxVariant ||
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

func isSmall(c byte) bool { return 'a' <= c && c <= 'z' }

// smallLetters returns a text with its ASCII letters in lower case. Others keep their length only as
// they are.
func smallLetters(text string) []byte {
	out := []byte(text)
	for i, c := range out {
		if 'A' <= c && c <= 'Z' {
			out[i] = c + 'a' - 'A'
		}
	}
	return out
}
