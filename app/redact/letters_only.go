package redact

import (
	"slices"
	"sync"

	"github.com/computclaw/airlock/app/redact/derived"
	"github.com/computclaw/airlock/app/redact/encodings"
)

// lettersOnly finds values in text of which only letters and digits are left.
type lettersOnly struct {
	once    sync.Once
	machine *machine
	forms   []int32 // by its forms: those of the Redactor's machine
}

// letters returns the machine for text of which only letters and digits are left. It is made when
// first needed.
func (r *Redactor) letters() *machine {
	r.only.once.Do(func() {
		m := r.machine
		var list []needle
		for i, text := range r.texts {
			if !m.values[i].strong {
				continue
			}
			for _, n := range looseForms(int32(i), text) {
				n.text = derived.OnlyLetters(n.text)
				if len(n.text) >= encodings.MinWhole && (n.encoding != "" || hardToGuess(n.text)) {
					n.loose = true
					list = append(list, n)
					r.only.forms = append(r.only.forms, m.formLike(n.form))
				}
			}
		}
		r.only.machine = newMachine(m.values, list)
	})
	return r.only.machine
}

// looseForms are the forms that are worth looking for where separators were left out.
func looseForms(owner int32, text string) []needle {
	var out []needle
	add := func(encoding string, n needle) {
		n.owner, n.encoding = owner, encoding
		out = append(out, n)
	}
	add("", needle{text: text})
	add("reversed", needle{text: encodings.Reverse(text)})
	add("ROT13", needle{text: encodings.ROT13(text)})
	for _, f := range encodings.Runs(text) {
		if f.Encoding != "percent" && f.Encoding != "base85" && len(derived.OnlyLetters(f.Text)) >= minLooseRun {
			add(f.Encoding, needle{text: f.Text, runs: f.Rest, left: f.Left.Letters()})
		}
	}
	return out
}

// formOf returns the form of the Redactor's machine that stands for a form of m.
func (r *Redactor) formOf(m *machine, f int32) int32 {
	if m == r.machine || f == none {
		return f
	}
	return r.only.forms[f]
}

// formLike returns the first form of the same value in the same encoding, or the value's first.
func (m *machine) formLike(f form) int32 {
	i := slices.IndexFunc(m.forms, func(o form) bool { return o.owner == f.owner && o.encoding == f.encoding })
	if i < 0 {
		i = slices.IndexFunc(m.forms, func(o form) bool { return o.owner == f.owner })
	}
	return int32(i)
}
