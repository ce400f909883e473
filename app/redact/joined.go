package redact

import (
	"slices"
	"strings"
)

// joined are parts of texts, put together because they may hold a value that was cut.
type joined struct {
	text  strings.Builder
	parts []part
}

// part is a part of a joined text: where it begins there and in its own text.
type part struct {
	at, from int
	text     int // number of the text
}

// add appends text[from:to] of the text with a number.
func (j *joined) add(number int, text string, from, to int) {
	if from < to {
		j.parts = append(j.parts, part{j.text.Len(), from, number})
		j.text.WriteString(text[from:to])
	}
}

// findJoined calls mask with each place that a value has in a text, if it goes on over parts. Only
// values that are hard to guess count: ordinary texts that stand together have words that nobody
// wrote.
func (r *Redactor) findJoined(j *joined, mask func(number int, g region)) {
	if len(j.parts) < 2 || r.finder.IsEmpty() {
		return
	}
	all := j.text.String()
	for _, g := range append(r.scan(all, r.isStrong), r.findSeparated(all)...) {
		first, _ := slices.BinarySearchFunc(j.parts, g.start, func(p part, at int) int { return p.at - at - 1 })
		first = max(first-1, 0)
		if first+1 == len(j.parts) || j.parts[first+1].at >= g.end || g.worth != ofValue {
			continue
		}
		for i := first; i < len(j.parts) && j.parts[i].at < g.end; i++ {
			p, end := j.parts[i], len(all)
			if i+1 < len(j.parts) {
				end = j.parts[i+1].at
			}
			own := g
			own.start, own.end = max(g.start, p.at)-p.at+p.from, min(g.end, end)-p.at+p.from
			own.layer, own.part = strings.TrimPrefix(g.layer+", split", ", "), false
			mask(p.text, own)
		}
	}
}

// interleave puts two texts together as they took turns, the first one first.
func interleave(texts [2]string, turns []int) *joined {
	j := &joined{}
	var done [2]int
	for i, n := range turns {
		k := i % 2
		to := min(done[k]+max(n, 0), len(texts[k]))
		j.add(k, texts[k], done[k], to)
		done[k] = to
	}
	for k, text := range texts {
		j.add(k, text, done[k], len(text))
	}
	return j
}
