package derived

import (
	"sort"
	"unicode/utf8"
)

// filter says what a view leaves out of its parent.
type filter struct {
	class *[256]uint8 // of each byte: drop, keep, ask or oddity
	alone uint8       // class of a byte that begins a character of which the rest isn't there
	// ask says, of the character or sequence with which a text begins, its length in bytes and
	// whether it stays.
	ask func(text []byte) (n int, stays bool)
}

const (
	drop uint8 = iota
	keep
	ask
	oddity = 4 // dropped, and in no ordinary text
)

// mark ties a place of a filtered view to its parent. What is between two marks is found by
// filtering again, which is needed only where there is a value; a list of all places would be
// larger than the text.
type mark struct{ at, from int32 }

const markEvery = 1 << 10 // bytes of the parent

// Apply returns what a filter leaves; nil if that is all of it. odd says that something was left
// out that is in no ordinary text.
func (f *filter) Apply(text []byte) *Builder {
	first := f.firstDropped(text)
	if first == len(text) {
		return nil
	}
	b := &Builder{Text: make([]byte, len(text)), Filter: f}
	i, n := first, copy(b.Text, text[:first])
	for at := 0; at < first; at += markEvery {
		b.Marks = append(b.Marks, mark{int32(at), int32(at)})
	}
	for i < len(text) {
		b.Marks = append(b.Marks, mark{int32(n), int32(i)})
		for limit := min(i+markEvery, len(text)); i < limit; {
			var odd bool
			i, n, odd = f.fast(b.Text, text[:limit], i, n)
			b.Odd = b.Odd || odd
			if i == limit {
				break
			}
			size, stays := f.next(text[i:])
			if stays {
				n += copy(b.Text[n:], text[i:i+size])
			} else {
				b.Odd = true
			}
			i += size
		}
	}
	b.Text = b.Text[:n]
	return b
}

// fast filters until it has to ask. It writes every byte, so that it needn't guess which stay.
func (f *filter) fast(out, text []byte, i, n int) (int, int, bool) {
	var all uint8
	for ; i < len(text); i++ {
		k := f.class[text[i]]
		if k == ask {
			break
		}
		all |= k
		out[n] = text[i]
		n += int(k & keep)
	}
	return i, n, all&oddity != 0
}

// firstDropped returns the offset of the first thing that doesn't stay.
func (f *filter) firstDropped(text []byte) int {
	for i := 0; i < len(text); {
		if f.class[text[i]] == keep {
			i++
			continue
		}
		size, stays := f.next(text[i:])
		if !stays {
			return i
		}
		i += size
	}
	return len(text)
}

// next says of what a text begins with how long it is, and whether it stays.
func (f *filter) next(text []byte) (n int, stays bool) {
	k := f.class[text[0]]
	if k == ask && text[0] >= utf8.RuneSelf && !goesOn(text[1:]) {
		k = f.alone
	}
	if k != ask {
		return 1, k == keep
	}
	return f.ask(text)
}

// source returns the offset in the parent of a byte of a filtered view.
func (v *View) source(at int) int {
	k := sort.Search(len(v.Marks), func(k int) bool { return int(v.Marks[k].at) > at }) - 1
	n, i := int(v.Marks[k].at), int(v.Marks[k].from)
	for {
		size, stays := v.Filter.next(v.Parent.Text[i:])
		if stays {
			if at < n+size {
				return i + at - n
			}
			n += size
		}
		i += size
	}
}
