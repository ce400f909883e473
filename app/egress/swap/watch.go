package swap

import (
	"io"
	"net/http"

	"github.com/computclaw/airlock/app/match"
)

// watch searches a body for placeholders while it is sent. Closing it closes closer.
func (o *outgoing) watch(req *http.Request, body io.Reader, closer io.Closer) {
	w := &watcher{outgoing: o, scanner: placeholders().Scanner()}
	req.Body, req.GetBody = &filter{body: body, Closer: closer, step: w.step}, nil
}

// watcher refuses placeholders in a body. It holds back possible beginnings.
type watcher struct {
	*outgoing
	scanner *match.Scanner
	data    []byte // read, and not yet passed on before the last step
	from    int    // where that begins in the body
	passed  int    // bytes of it that the last step passed on
}

// step fails with a *Refusal where a placeholder begins.
func (w *watcher) step(piece []byte, last bool) ([]byte, error) {
	w.data = append(w.data[:copy(w.data, w.data[w.passed:])], piece...)
	w.from += w.passed
	found := w.scanner.Write(piece)
	if last {
		found = append(found, w.scanner.Close()...)
	} else {
		found = append(found, w.scanner.Settle(w.scanner.Open())...)
	}
	for _, m := range found {
		c, refusal := w.swapper.judge(w.target, newHit(m, w.data[m.Start-w.from:m.End-w.from]), bodyPlace)
		if c != nil { // it would have been replaced in a smaller body
			refusal = refuseTooLarge(c.Key)
		}
		if refusal != nil {
			return nil, refusal
		}
	}
	w.passed = w.scanner.Settled() - w.from
	return w.data[:w.passed], nil
}
