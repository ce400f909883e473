package httpx

import (
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"
)

// UnknownSize is the size of a download that is made while sent.
const UnknownSize = -1

// SandboxPolicy keeps artifacts from running, and out of Airlock's own origin.
const SandboxPolicy = "sandbox; default-src 'none'; frame-ancestors 'none'"

// Download describes content to send.
type Download struct {
	Name   string // of the file
	Type   string // media type
	Size   int64  // bytes, or UnknownSize
	Inline bool   // shown by the browser, not stored
}

// SendDownload answers with the output of write. Slow readers get extra time. A failure breaks the
// connection, so that a part never passes for the whole.
func SendDownload(c echo.Context, d Download, write func(io.Writer) error) error {
	if err := RefuseBody(c.Request()); err != nil {
		return err
	}
	w := c.Response()
	if err := KeepOpen(w); err != nil {
		return fmt.Errorf("httpx: send %s: %w", d.Name, err)
	}
	disposition := "attachment"
	if d.Inline {
		disposition = "inline"
	}
	header := w.Header()
	header.Set(echo.HeaderContentType, d.Type)
	header.Set(echo.HeaderContentDisposition, mime.FormatMediaType(disposition, map[string]string{"filename": d.Name}))
	if d.Size != UnknownSize {
		header.Set(echo.HeaderContentLength, strconv.FormatInt(d.Size, 10))
	}
	w.WriteHeader(http.StatusOK)
	if err := write(newDownloadWriter(w, c.Request())); err != nil {
		panic(http.ErrAbortHandler)
	}
	return nil
}

// minDownloadRate is the least bytes a second that a reader takes in the long run.
const minDownloadRate = 32 << 10

// downloadWriter extends a download's deadline as its reader takes bytes. The reader has the
// server's time for an answer, plus a second per minDownloadRate. Slower ones are dropped, since a
// download holds memory or a file. It is not safe for concurrent use.
type downloadWriter struct {
	w     http.ResponseWriter
	until time.Time
}

// newDownloadWriter returns a writer for a request after KeepOpen.
func newDownloadWriter(w http.ResponseWriter, r *http.Request) *downloadWriter {
	return &downloadWriter{w, time.Now().Add(AnswerTimeout(r))}
}

// Write implements io.Writer.
func (w *downloadWriter) Write(p []byte) (int, error) {
	if err := http.NewResponseController(w.w).SetWriteDeadline(w.until); err != nil {
		return 0, err
	}
	n, err := w.w.Write(p)
	w.until = w.until.Add(time.Duration(n) * time.Second / minDownloadRate)
	return n, err
}
