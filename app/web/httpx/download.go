package httpx

import (
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"

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

// SendDownload answers with the output of write. Each piece has a deadline. A failure breaks the
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
	if err := write(NewDeadlineWriter(w, c.Request())); err != nil {
		panic(http.ErrAbortHandler)
	}
	return nil
}
