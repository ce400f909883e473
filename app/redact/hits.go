package redact

import (
	"cmp"
	"slices"
)

// RuleNotGiven marks the hit of a value that the execution was not given. Name is its credential
// then.
const RuleNotGiven = "value that the execution was not given"

// Hit says what was masked, never its text. Exactly one of Name and Rule is set, but for
// RuleNotGiven both; or neither: then the place could not be checked.
type Hit struct {
	Name     string // key of a known value; of equal values under several names the first
	Rule     string // that found it, or RuleNotGiven
	Encoding string // in which the value stood there, such as base64; "" if it stood there as it is
	Count    int    // masked places
}

// Hits are counts by name, rule and encoding, each combination once, sorted. The zero Hits is ready
// for use.
type Hits []Hit

// Total returns the number of masked places.
func (h Hits) Total() int {
	total := 0
	for _, hit := range h {
		total += hit.Count
	}
	return total
}

// Plus returns the sums of both. Neither changes.
func (h Hits) Plus(more Hits) Hits {
	sum := slices.Clone(h)
	for _, hit := range more {
		at, found := slices.BinarySearchFunc(sum, hit, compareHits)
		if found {
			sum[at].Count += hit.Count
		} else {
			sum = slices.Insert(sum, at, hit)
		}
	}
	return sum
}

func compareHits(a, b Hit) int {
	return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Encoding, b.Encoding))
}

// tally collects hits.
type tally map[Hit]int

// count adds one place, if it is a hit.
func (t *tally) count(h Hit, ok bool) {
	if !ok {
		return
	}
	if *t == nil {
		*t = tally{}
	}
	h.Count = 0
	(*t)[h]++
}

func (t tally) hits() Hits {
	var out Hits
	for h, n := range t {
		h.Count = n
		out = append(out, h)
	}
	slices.SortFunc(out, compareHits)
	return out
}
