package redact

import (
	"encoding/json"
	"slices"
)

// Output is what was printed to one stream.
type Output struct {
	Raw []byte
	Cut bool // more would have followed
}

// Execution is everything that an execution gives out. It is looked at as one, because a value can
// be cut into pieces that go different ways.
type Execution struct {
	Stdout, Stderr Output
	Turns          []int // how the streams took turns: lengths in bytes, stdout first
	Error          string
	Result         json.RawMessage // nil if there is none
	Network        []string        // texts of the ledger, in its order
	// what went out before the end, such as questions, each text a channel; a value may go on from
	// there
	Said []string
}

// Cleaned is an Execution without secrets.
type Cleaned struct {
	Stdout, Stderr, Error Clean
	Result                *Clean
	Network               []Clean
	Turns                 []int           // of Stdout and Stderr as they are here; nil if only one of them has text
	Hits                  map[string]Hits // by channel: stdout, stderr, error, result, network
}

// Execution is the final pass over everything that an execution gives out. The result keeps its
// shape. Errors wrap ErrJSON: CheckJSON refuses the result, because it is not one valid JSON value
// in UTF-8, or is nested too deeply.
func (r *Redactor) Execution(x Execution) (Cleaned, error) {
	var result *tree
	var leaves, values, keys []*leaf
	var joints [][]part
	if x.Result != nil {
		var err error
		if result, err = newTree(x.Result); err != nil {
			return Cleaned{}, err
		}
		leaves, values, keys, joints = result.leaves, result.values, result.keys, result.joints()
	}
	stdout := &leaf{text: string(x.Stdout.Raw), cut: x.Stdout.Cut}
	stderr := &leaf{text: string(x.Stderr.Raw), cut: x.Stderr.Cut}
	failure := &leaf{text: x.Error}
	network := leavesOf(x.Network)
	channels := [][]*leaf{{stdout}, {stderr}, {failure}, values, keys, network}
	for _, said := range x.Said {
		channels = append(channels, []*leaf{{text: said}})
	}
	joints = append(joints, crossings(channels...)...)
	if parts := interleaved(stdout, stderr, x.Turns); len(parts) > 1 {
		joints = append(joints, parts)
	}
	r.findAll(slices.Concat([]*leaf{stdout, stderr, failure}, leaves, network), joints...)
	out := r.cleaned(stdout, stderr, failure, result, network)
	out.Turns = r.machine.turnsOf(stdout, stderr, x.Turns)
	return out, nil
}

func (r *Redactor) cleaned(stdout, stderr, failure *leaf, result *tree, network []*leaf) Cleaned {
	out := Cleaned{Hits: map[string]Hits{}}
	channel := func(name string, leaves ...*leaf) []Clean {
		clean, hits := r.masked(leaves...)
		if len(hits) > 0 {
			out.Hits[name] = hits
		}
		return clean
	}
	out.Stdout = channel("stdout", stdout)[0]
	out.Stderr = channel("stderr", stderr)[0]
	out.Error = channel("error", failure)[0]
	out.Network = channel("network", network...)
	if result == nil {
		return out
	}
	var t tally
	clean := result.encode(r.machine, &t)
	if hits := t.hits(); len(hits) > 0 {
		out.Hits["result"] = hits
	}
	out.Result = &clean
	return out
}

// Texts is Text for several texts that stand one after the other, such as the rows of a list.
func (r *Redactor) Texts(texts []string) ([]Clean, Hits) {
	leaves := leavesOf(texts)
	r.findAll(leaves)
	return r.masked(leaves...)
}

// masked returns the texts of leaves with masks in them.
func (r *Redactor) masked(leaves ...*leaf) ([]Clean, Hits) {
	var t tally
	clean := make([]Clean, len(leaves))
	for i, l := range leaves {
		clean[i] = Clean{r.machine.render(l.text, l.regions, &t)}
	}
	return clean, t.hits()
}

func leavesOf(texts []string) []*leaf {
	leaves := make([]*leaf, len(texts))
	for i, text := range texts {
		leaves[i] = &leaf{text: text}
	}
	return leaves
}

// After is Text for what goes out after something else did: a value may have begun there, and so
// may have been cut into pieces that each say nothing. What was said before, each text a channel of
// its own, is not looked at for its own sake, and only the last 4 KiB of each count.
func (r *Redactor) After(said []string, text string) (Clean, Hits) {
	l := &leaf{text: text}
	var joints [][]part
	for _, before := range said {
		joints = append(joints, crossings([]*leaf{{text: before}}, []*leaf{l})...)
	}
	return r.one(l, joints...)
}

// maxCrossing is how much of the end of one channel and of the beginning of another are looked at
// together, in bytes.
const maxCrossing = 4 << 10

// crossings puts the end of each channel before the beginning of each other one.
func crossings(channels ...[]*leaf) [][]part {
	var out [][]part
	for i, a := range channels {
		for j, b := range channels {
			if i == j {
				continue
			}
			last, first := lastParts(a), firstParts(b)
			if len(last) > 0 && len(first) > 0 {
				out = append(out, append(last, first...))
			}
		}
	}
	return out
}

func firstParts(leaves []*leaf) (parts []part) {
	room := maxCrossing
	for _, l := range leaves {
		if n := min(len(l.text), room); n > 0 {
			parts = append(parts, part{n: n, leaf: l})
			room -= n
		}
	}
	return parts
}

func lastParts(leaves []*leaf) (parts []part) {
	room := maxCrossing
	for _, l := range slices.Backward(leaves) {
		if n := min(len(l.text), room); n > 0 {
			parts = append(parts, part{n: n, leaf: l, off: len(l.text) - n})
			room -= n
		}
	}
	slices.Reverse(parts)
	return parts
}

// interleaved puts two streams together as they took turns.
func interleaved(stdout, stderr *leaf, turns []int) (parts []part) {
	if len(stdout.text) == 0 || len(stderr.text) == 0 {
		return nil
	}
	streams, done := [2]*leaf{stdout, stderr}, [2]int{}
	for i, n := range turns {
		l, from := streams[i%2], done[i%2]
		if n = min(n, len(l.text)-from); n > 0 {
			parts = append(parts, part{n: n, leaf: l, off: from})
			done[i%2] += n
		}
	}
	return parts
}
