package redact

import (
	"cmp"
	"slices"
	"sync/atomic"

	"github.com/computclaw/airlock/app/multimatch"
)

// headLen is how many bytes of a needle are looked up at once. No needle is shorter.
const headLen = 4

// machine finds the needles of values, and knows what each of them says about its value.
//
// It is safe for concurrent use.
type machine struct {
	*multimatch.Automaton
	values    []value
	forms     []form
	endings   []ending                 // by end: of the needles that end there and are equally long
	sums      []atomic.Pointer[ending] // by end, once known: with what all shorter needles say
	fragments *fragments               // nil: none
}

func newMachine(values []value, needles []needle) *machine {
	m := &machine{values: values, forms: make([]form, 0, len(needles))}
	texts := rawTexts(needles)
	raw := len(texts)
	for _, n := range needles {
		texts = append(texts, n.text)
	}
	automaton, ends := multimatch.New(headLen, texts)
	m.Automaton = automaton
	m.endings = make([]ending, automaton.Ends()+1)
	for i := range m.endings {
		m.endings[i] = ending{form: none, looseForm: none, quiet: none}
	}
	for i, end := range ends[raw:] {
		m.forms = append(m.forms, needles[i].form)
		m.endings[end] = combine(m.endings[end], needles[i].ending(int32(i)))
	}
	m.sums = make([]atomic.Pointer[ending], len(m.endings))
	return m
}

// rawTexts returns the values as they are, the longest first: where one begins with another, both
// take the states of one.
func rawTexts(needles []needle) []string {
	texts := make([]string, 0, len(needles))
	for _, n := range needles {
		if n.encoding == "" {
			texts = append(texts, n.text)
		}
	}
	slices.SortFunc(texts, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return texts
}

// ending returns the ending of a state, or nil if no needle ends there.
func (m *machine) ending(s multimatch.State) *ending {
	if end := m.End(s); end != 0 {
		return m.sum(end)
	}
	return nil
}

// sum returns what the needles that end with the same byte say together.
func (m *machine) sum(end multimatch.End) *ending {
	if known := m.sums[end].Load(); known != nil {
		return known
	}
	all := m.endings[end]
	if shorter := m.Shorter(end); shorter != 0 {
		all = combine(all, *m.sum(shorter))
	}
	m.sums[end].Store(&all)
	return &all
}

// formAt returns a form that goes on behind a state, or none.
func (m *machine) formAt(s multimatch.State) int32 {
	if end := m.Ahead(s); end != 0 {
		return m.sum(end).form
	}
	return none
}
