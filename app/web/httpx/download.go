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

// UnknownSize is the size of a download that is made while it is sent.
const UnknownSize = -1

// SandboxPolicy keeps what a script left from running, and out of Airlock's own origin.
const SandboxPolicy = "sandbox; default-src 'none'; frame-ancestors 'none'"

// Download is a content that an answer gives out.
type Download struct {
	Name   string // of the file
	Type   string // media type
	Size   int64  // bytes, or UnknownSize
	Inline bool   // shown by the browser, not stored
}

// SendDownload answers with what write writes. Slow readers have more time than with other answers.
// A failure half-way breaks the connection, so that a part is never taken for the whole.
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

// minDownloadRate is how many bytes a second a reader has to take, in the long run.
const minDownloadRate = 32 << 10

// downloadWriter writes a download whose deadline moves with what its reader took: the time that the
// server gives a whole answer, and a second for each minDownloadRate. It drops slower readers, since a download
// holds memory or a file. It is not safe for concurrent use.
type downloadWriter struct {
	w     http.ResponseWriter
	until time.Time
}

// newDownloadWriter returns a writer for a request that KeepOpen was called for.
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
