package swap

import (
	"io"
	"net/http"
)

// watch has a body searched for placeholders while it is sent. Closing it closes closer.
func (o *outgoing) watch(req *http.Request, body io.Reader, closer io.Closer) {
	w := &watcher{outgoing: o, req: req}
	req.Body, req.GetBody = &filter{body: body, Closer: closer, step: w.step}, nil
}

// watcher refuses placeholders in a body. It holds back what may begin one.
type watcher struct {
	*outgoing
	req    *http.Request // its trailers come with the end of the body
	data   []byte        // read, and not yet passed on before the last step
	passed int           // bytes of it that the last step passed on
}

// step fails with a *Refusal where a placeholder begins.
func (w *watcher) step(piece []byte, last bool) ([]byte, error) {
	w.data = append(w.data[:copy(w.data, w.data[w.passed:])], piece...)
	for _, h := range hits(w.data) {
		c, refusal := w.swapper.judge(w.target, h, bodyPlace)
		if c != nil { // it would have been replaced in a smaller body
			refusal = refuseTooLarge(c.Key)
		}
		if refusal != nil {
			return nil, refusal
		}
	}
	w.passed = len(w.data) - begun(w.data)
	if last {
		w.passed = len(w.data)
		if refusal := w.trailer(w.req.Trailer); refusal != nil {
			return nil, refusal
		}
	}
	return w.data[:w.passed], nil
}
