package redact

import (
	"cmp"
	"io"
	"slices"
	"sync"
)

// decoder reads what is encoded in the view at hand. What would be too much work it refuses. Several can be at work in one view: each has buffers of its own, and
// what one spends doesn't show in another's budget until the next view, so what is found doesn't depend on who is faster.
type decoder struct {
	least   int      // bytes of readable text that are kept of what was decoded
	budget  int      // bytes of work left
	lent    int      // budget at first
	refused []window // of the view
	scratch []byte
	parts   []window // of a run
	sieve   sieve
	flate   io.ReadCloser
}

// refuse takes note of a part of the view that can't be looked at.
func (d *decoder) refuse(from, to int) { d.refused = append(d.refused, window{from, to}) }

// overlaid makes one window of those that overlap, and puts them in order. Compressed data is refused up to the end of its run, so of a long run with many heads
// most is refused again and again, and to find where it came from takes as long each time.
func overlaid(list []window) (out []window) {
	slices.SortFunc(list, func(a, b window) int { return cmp.Compare(a.from, b.from) })
	for _, w := range list {
		if n := len(out); n > 0 && w.from < out[n-1].to {
			out[n-1].to = max(out[n-1].to, w.to)
		} else {
			out = append(out, w)
		}
	}
	return out
}

// Who reads what.
const (
	forText = iota // numbers, and compressed data as it is
	forBits        // codes of so many bits a character
	forB85
	forA85
	decoders
)

// readerOf says who reads a code.
func readerOf(c *code) int {
	switch {
	case c.bits > 0:
		return forBits
	case c.digit['"'] < 0:
		return forB85
	}
	return forA85
}

// turnTo makes a view the one at hand, and settles what was spent and refused in the one before.
func (in *inspection) turnTo(v *view) {
	for i := range in.decoders {
		d := &in.decoders[i]
		in.budget -= d.lent - d.budget
		for _, w := range overlaid(d.refused) {
			in.refuse(w.from, w.to)
		}
		d.refused = d.refused[:0]
	}
	in.at = v
	for i := range in.decoders {
		d := &in.decoders[i]
		d.budget, d.lent = in.budget, in.budget
	}
}

// manyBytes is how long a text is that is read by several processors at once, if there are any.
const manyBytes = 32 << 10

// reading is codes that are being read in the view at hand.
type reading struct {
	text   []byte
	codes  []*code
	runs   *finder
	builds []*build // by code: what they stand for
	others sync.WaitGroup
}

// read begins to read codes in the view at hand; of a long text it doesn't wait for them.
func (in *inspection) read(list []*code) *reading {
	r := &reading{text: in.at.text, codes: list, runs: &in.runs, builds: make([]*build, len(list))}
	if len(r.text) < manyBytes {
		r.find()
		for who := forBits; who < decoders; who++ {
			r.read(in, who)
		}
		return r
	}
	r.others.Go(func() {
		r.find()
		r.others.Go(func() { r.read(in, forB85) })
		r.others.Go(func() { r.read(in, forA85) })
		r.read(in, forBits)
	})
	return r
}

// find finds the runs of the codes.
func (r *reading) find() {
	var wanted codeSet
	for _, c := range r.codes {
		wanted |= c.bit()
	}
	r.runs.find(r.text, wanted)
}

// read reads those codes that are for one decoder.
func (r *reading) read(in *inspection, who int) {
	for i, c := range r.codes {
		if readerOf(c) == who {
			r.builds[i] = c.decode(r.text, r.runs.found[c.nth], &in.decoders[who])
		}
	}
}

// pushAll makes the views of what was read, once it is, nil for those codes that there is nothing of.
func (in *inspection) pushAll(v *view, r *reading) []*view {
	r.others.Wait()
	out := make([]*view, len(r.codes))
	for i, b := range r.builds {
		out[i] = in.push(v, b, r.codes[i].name, kindDecoded)
	}
	return out
}
