package httpx

import (
	"net/http"
	"time"
)

// minDownloadRate is what a reader has to take of a download in a second, in the long run: bytes.
const minDownloadRate = 32 << 10

// DownloadWriter writes a download whose deadline moves with what its reader took: the time that the
// server gives a whole answer, and a second for each minDownloadRate. It drops slower readers, since a download
// holds memory or a file. It is not safe for concurrent use.
type DownloadWriter struct {
	w     http.ResponseWriter
	until time.Time
}

// NewDownloadWriter returns a writer for a request that KeepOpen was called for.
func NewDownloadWriter(w http.ResponseWriter, r *http.Request) *DownloadWriter {
	return &DownloadWriter{w, time.Now().Add(writeTimeout(r))}
}

// Write implements io.Writer.
func (w *DownloadWriter) Write(p []byte) (int, error) {
	if err := http.NewResponseController(w.w).SetWriteDeadline(w.until); err != nil {
		return 0, err
	}
	n, err := w.w.Write(p)
	w.until = w.until.Add(time.Duration(n) * time.Second / minDownloadRate)
	return n, err
}
