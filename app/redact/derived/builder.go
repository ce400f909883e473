package derived

import "slices"

// Builder collects a view.
type Builder struct {
	Text   []byte
	Spans  []Span
	Marks  []mark  // instead, and
	Filter *filter // what made it
	Odd    bool    // what was left out is in no ordinary text
}

// Add maps bytes to [from, to) of the parent.
func (b *Builder) Add(text []byte, from, to int, how how) {
	if len(text) == 0 {
		return
	}
	at := len(b.Text)
	b.Text = append(Grow(b.Text, len(text)), text...)
	if n := len(b.Spans); n > 0 && how == Exact {
		last := &b.Spans[n-1]
		if last.How == Exact && int(last.To) == from && int(last.At+last.N) == at {
			last.N += int32(len(text))
			last.To = int32(to)
			return
		}
	}
	b.Spans = append(Grow(b.Spans, 1),
		Span{At: int32(at), N: int32(len(text)), From: int32(from), To: int32(to), How: how})
}

// Grow doubles a list that has no room for so many more. What append would do copies a long one
// five times.
func Grow[T any](list []T, more int) []T {
	if len(list)+more <= cap(list) {
		return list
	}
	return slices.Grow(list, len(list)+more)
}

// Barrier ends a part of the view: nothing is found across it.
func (b *Builder) Barrier() {
	if n := len(b.Text); n > 0 && b.Text[n-1] != Barrier {
		b.Text = append(b.Text, Barrier)
	}
}

// Barrier is a byte in no value and no code.
const Barrier = 0xff
