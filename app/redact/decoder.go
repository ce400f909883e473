package redact

import (
	"io"
	"sync"
)

// decoder reads what is encoded in the view at hand. What would be too much work it refuses. Several can be at work in one view: each has buffers of its own, and
// what one spends doesn't show in another's budget until the next view, so what is found doesn't depend on who is faster.
type decoder struct {
	least   int      // bytes of readable text that are kept of what was decoded
	budget  int      // bytes of work left
	lent    int      // budget at first
	joined  bool     // the view is
	refused []window // of the view
	scratch []byte
	parts   []window // of a run
	sieve   sieve
	flate   io.ReadCloser
}

// refuse takes note of a part of the view that can't be looked at.
func (d *decoder) refuse(from, to int) { d.refused = append(d.refused, window{from, to}) }

// Who reads what.
const (
	forText = iota // numbers, and compressed data as it is
	forBits        // codes of so many bits a character
	for85
	decoders
)

// decoderOf is the one for a code.
func (in *inspection) decoderOf(c *code) *decoder {
	if c.bits == 0 {
		return &in.decoders[for85]
	}
	return &in.decoders[forBits]
}

// turnTo makes a view the one at hand, and settles what was spent and refused in the one before.
func (in *inspection) turnTo(v *view) {
	for i := range in.decoders {
		d := &in.decoders[i]
		in.budget -= d.lent - d.budget
		for _, w := range d.refused {
			in.refuse(w.from, w.to)
		}
		d.refused = d.refused[:0]
	}
	in.at = v
	for i := range in.decoders {
		d := &in.decoders[i]
		d.budget, d.lent, d.joined = in.budget, in.budget, v != nil && v.joined
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
	var wanted codeSet
	for _, c := range list {
		wanted |= c.bit()
	}
	in.runs.find(r.text, wanted)
	for _, who := range []*decoder{&in.decoders[forBits], &in.decoders[for85]} {
		if len(r.text) < manyBytes {
			r.read(in, who)
		} else {
			r.others.Go(func() { r.read(in, who) })
		}
	}
	return r
}

// read reads those codes that are for one decoder.
func (r *reading) read(in *inspection, who *decoder) {
	for i, c := range r.codes {
		if in.decoderOf(c) == who {
			r.builds[i] = c.decode(r.text, r.runs.found[c.nth], who)
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
