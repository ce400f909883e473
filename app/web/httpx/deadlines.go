package httpx

import (
	"net/http"
	"time"

	"github.com/computclaw/airlock/app"
)

// RequestTimeout bounds a request from its first byte to its answer's last. It covers the longest
// wait and both bodies.
const RequestTimeout = app.MaxPollWait + 60*time.Second

// KeepOpen lifts the deadlines of one request, for streams.
//
// The stream must end with the request's context and when the server drains. The body must have
// been read, or refused with RefuseBody: net/http would wait for its rest without end.
func KeepOpen(w http.ResponseWriter) error {
	rc := http.NewResponseController(w)
	if err := rc.SetReadDeadline(time.Time{}); err != nil {
		return err
	}
	return rc.SetWriteDeadline(time.Time{})
}

// DeadlineWriter gives each piece of an answer a deadline. It drops stalled readers.
type DeadlineWriter struct {
	http.ResponseWriter
	timeout time.Duration
}

// NewDeadlineWriter returns a writer for a request after KeepOpen. Each piece gets the server's
// time for a whole answer.
func NewDeadlineWriter(w http.ResponseWriter, r *http.Request) DeadlineWriter {
	return DeadlineWriter{w, AnswerTimeout(r)}
}

// AnswerTimeout returns the server's time for a whole answer.
func AnswerTimeout(r *http.Request) time.Duration {
	if server, ok := r.Context().Value(http.ServerContextKey).(*http.Server); ok && server.WriteTimeout > 0 {
		return server.WriteTimeout
	}
	return RequestTimeout
}

// Unwrap is for http.ResponseController.
func (w DeadlineWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Write implements io.Writer.
func (w DeadlineWriter) Write(p []byte) (int, error) {
	if err := w.Extend(); err != nil {
		return 0, err
	}
	return w.ResponseWriter.Write(p)
}

// FlushError is for http.ResponseController.
func (w DeadlineWriter) FlushError() error {
	if err := w.Extend(); err != nil {
		return err
	}
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Extend starts the next piece's time, or the rest's at the end.
func (w DeadlineWriter) Extend() error {
	return http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(w.timeout))
}
