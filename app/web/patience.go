package web

import (
	"net/http"
	"time"
)

// keepOpen lifts the time limits of one request, for event streams. The stream must end when the request's context or s.closing does. Nothing of the request's body may be left to
// read: it would be waited for without end.
func keepOpen(w http.ResponseWriter) error {
	rc := http.NewResponseController(w)
	if err := rc.SetReadDeadline(time.Time{}); err != nil {
		return err
	}
	return rc.SetWriteDeadline(time.Time{})
}

// patient is the writer of an answer that may take any time to come, but each piece of it as long as a whole answer of the server at most to be taken: who reads nothing
// would hold it for ever.
type patient struct {
	http.ResponseWriter
	most time.Duration
}

// patiently is w for a request that keepOpen was called for.
func patiently(w http.ResponseWriter, r *http.Request) patient {
	most := requestTime
	if server, ok := r.Context().Value(http.ServerContextKey).(*http.Server); ok && server.WriteTimeout > 0 {
		most = server.WriteTimeout
	}
	return patient{w, most}
}

// Unwrap is for http.ResponseController.
func (p patient) Unwrap() http.ResponseWriter { return p.ResponseWriter }

func (p patient) Write(b []byte) (int, error) {
	if err := p.limit(); err != nil {
		return 0, err
	}
	return p.ResponseWriter.Write(b)
}

// FlushError is what http.ResponseController calls.
func (p patient) FlushError() error {
	if err := p.limit(); err != nil {
		return err
	}
	return http.NewResponseController(p.ResponseWriter).Flush()
}

// limit begins the time of the next piece, or of what is left when the handler returns.
func (p patient) limit() error {
	return http.NewResponseController(p.ResponseWriter).SetWriteDeadline(time.Now().Add(p.most))
}
