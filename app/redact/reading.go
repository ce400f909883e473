package redact

import (
	"sync"

	"github.com/computclaw/airlock/app/redact/decode"
	"github.com/computclaw/airlock/app/redact/derived"
)

// readerOf says who reads a code.
func readerOf(c *decode.Code) int {
	switch {
	case c.Bits > 0:
		return forBits
	case c.Digit['"'] < 0:
		return forB85
	}
	return forA85
}

// setView makes a view the one at hand, and settles what was spent and refused in the one before.
func (in *inspection) setView(v *derived.View) {
	for i := range in.decoders {
		d := &in.decoders[i]
		in.budget -= d.Granted - d.Budget
		for _, w := range derived.MergeWindows(d.Refused) {
			in.refuse(w.From, w.To)
		}
		d.Refused = d.Refused[:0]
	}
	in.at = v
	for i := range in.decoders {
		d := &in.decoders[i]
		d.Budget, d.Granted = in.budget, in.budget
	}
}

// manyBytes is how long a text is that is read by several processors at once, if there are any.
const manyBytes = 32 << 10

// reading is codes that are being read in the view at hand.
type reading struct {
	text   []byte
	codes  []*decode.Code
	runs   *decode.RunFinder
	builds []*derived.Builder // by code: what they stand for
	others sync.WaitGroup
}

// read begins to read codes in the view at hand; of a long text it doesn't wait for them.
func (in *inspection) read(list []*decode.Code) *reading {
	r := &reading{text: in.at.Text, codes: list, runs: &in.runs, builds: make([]*derived.Builder, len(list))}
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
	var wanted decode.CodeSet
	for _, c := range r.codes {
		wanted |= c.Bit()
	}
	r.runs.Find(r.text, wanted)
}

// read reads those codes that are for one decoder.
func (r *reading) read(in *inspection, who int) {
	for i, c := range r.codes {
		if readerOf(c) == who {
			r.builds[i] = c.Read(r.text, r.runs.Found[c.Nth], &in.decoders[who])
		}
	}
}

// pushAll makes the views of what was read, once it is, nil for those codes that there is nothing
// of.
func (in *inspection) pushAll(v *derived.View, r *reading) []*derived.View {
	r.others.Wait()
	out := make([]*derived.View, len(r.codes))
	for i, b := range r.builds {
		out[i] = in.push(v, b, r.codes[i].Name, derived.KindDecoded)
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
