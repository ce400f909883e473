package swap

import (
	"io"
	"net/http"
)

// watchBuffer is how much of a body is read at once, in bytes.
const watchBuffer = 32 << 10

// watch has a body searched while it is read. Body is all of req.Body.
func (o *outgoing) watch(req *http.Request, body io.Reader) {
	req.Body, req.GetBody = &watched{
		body:   body,
		closer: req.Body,
		judge:  o.judgeWatched,
		end:    func() *Refusal { return o.trailer(req.Trailer) },
	}, nil
}

// judgeWatched refuses also what would have been replaced in a smaller body.
func (o *outgoing) judgeWatched(h hit) *Refusal {
	c, refusal := o.swapper.judge(o.target, h, bodyPlace)
	if c != nil {
		return refuseTooLarge(c.Key)
	}
	return refusal
}

// watched is a body in which placeholders are refused. It holds back what may begin one.
type watched struct {
	body   io.Reader
	closer io.Closer
	judge  func(h hit) *Refusal // of a placeholder
	end    func() *Refusal      // at the end of the body

	buffer []byte
	data   []byte // of the buffer: read and not yet passed on
	safe   int    // bytes of data that may be passed on
	err    error
}

// Read fails with a *Refusal where a placeholder begins.
func (w *watched) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for w.safe == 0 {
		if w.err != nil {
			return 0, w.err
		}
		w.fill()
	}
	n := copy(p, w.data[:w.safe])
	w.data = w.data[n:]
	w.safe -= n
	return n, nil
}

func (w *watched) fill() {
	if w.buffer == nil {
		w.buffer = make([]byte, watchBuffer+maxHeld)
	}
	held := copy(w.buffer, w.data)
	n, err := w.body.Read(w.buffer[held:])
	w.data, w.err = w.buffer[:held+n], err
	if refusal := w.look(err == io.EOF); refusal != nil {
		w.data, w.safe, w.err = nil, 0, refusal
	}
}

// look searches what is new and sets what is safe.
func (w *watched) look(last bool) *Refusal {
	for _, h := range hits(w.data) {
		if refusal := w.judge(h); refusal != nil {
			return refusal
		}
	}
	w.safe = len(w.data) - begun(w.data)
	if !last {
		return nil
	}
	w.safe = len(w.data)
	return w.end()
}

// Close closes the body.
func (w *watched) Close() error { return w.closer.Close() }
