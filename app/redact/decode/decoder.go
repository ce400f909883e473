package decode

import (
	"io"

	"github.com/computclaw/airlock/app/redact/derived"
)

// Decoder reads what is encoded in the view at hand. What would be too much work it refuses.
// Several can be at work in one view: each has buffers of its own, and what one spends doesn't show
// in another's budget until the next view, so what is found doesn't depend on who is faster.
type Decoder struct {
	MinText int              // bytes of readable text that are kept of what was decoded
	Budget  int              // bytes of work left
	Granted int              // budget at first
	Refused []derived.Window // of the view
	scratch []byte
	parts   []derived.Window // of a run
	sieve   sieve
	flate   io.ReadCloser
}

// refuse takes note of a part of the view that can't be looked at.
func (d *Decoder) refuse(from, to int) {
	d.Refused = append(d.Refused, derived.Window{From: from, To: to})
}
