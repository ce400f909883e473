package mcphttp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/computclaw/airlock/app/client"
	"github.com/computclaw/airlock/app/web/httpx"
)

// loopback lets a tool call the API as its carrying request. It ends with that request.
func (h *Handler) loopback(ctx context.Context, of *sdk.RequestExtra) (context.Context, client.Client) {
	ctx, cancel := context.WithCancel(ctx)
	var origin *http.Request
	if of != nil && of.TokenInfo != nil {
		origin, _ = of.TokenInfo.Extra[requestKey].(*http.Request)
	}
	if origin == nil {
		cancel()
		return ctx, client.Client{HTTP: &http.Client{}}
	}
	context.AfterFunc(origin.Context(), cancel)
	if end, ok := origin.Context().Deadline(); ok {
		ctx, cancel = context.WithDeadline(ctx, end)
		context.AfterFunc(origin.Context(), cancel)
	}
	transport := &loopbackTransport{api: h.cfg.API, origin: origin, drain: h.cfg.Drain}
	return ctx, client.Client{URL: h.cfg.Origins.BaseURL(origin), HTTP: &http.Client{Transport: transport}}
}

// loopbackTransport sends requests to the agent API in this process, in the name of origin.
type loopbackTransport struct {
	api    http.Handler
	origin *http.Request
	drain  *httpx.Drain
}

// errDraining ends calls before the server stops. Executions continue, or run after its next start.
var errDraining = errors.New( //nolint:staticcheck // begins with a name
	"Airlock is stopping; it will be back, and read_execution then tells how the execution stands")

// errAborted is for answers that a handler broke off. net/http closes the connection then.
var errAborted = errors.New("the answer broke off")

// RoundTrip implements http.RoundTripper.
func (t *loopbackTransport) RoundTrip(r *http.Request) (answer *http.Response, err error) {
	defer func() {
		if p := recover(); p == http.ErrAbortHandler { //nolint:errorlint // the sentinel itself, as in net/http
			answer, err = nil, errAborted
		} else if p != nil {
			panic(p)
		}
	}()
	select {
	case <-t.drain.Done():
		return nil, errDraining
	default:
	}
	r = r.Clone(httpx.LinkCarrier(r.Context(), t.origin.Context()))
	r.RemoteAddr, r.Host, r.TLS = t.origin.RemoteAddr, t.origin.Host, t.origin.TLS
	r.RequestURI = r.URL.RequestURI()
	for _, name := range []string{"X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "Traceparent"} {
		r.Header[name] = t.origin.Header[name]
	}
	if r.Body == nil {
		r.Body = http.NoBody
	}
	w := &memoryWriter{header: http.Header{}, status: http.StatusOK}
	t.api.ServeHTTP(w, r)
	return &http.Response{
		StatusCode: w.status, Header: w.header, Body: io.NopCloser(&w.body), Request: r, ProtoMajor: 1, ProtoMinor: 1,
	}, nil
}

// memoryWriter holds an answer in memory. The agent API bounds it.
type memoryWriter struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *memoryWriter) Header() http.Header         { return w.header }
func (w *memoryWriter) WriteHeader(status int)      { w.status = status }
func (w *memoryWriter) Write(p []byte) (int, error) { return w.body.Write(p) }

// Deadlines are those of the carrying request.
func (w *memoryWriter) SetReadDeadline(time.Time) error  { return nil }
func (w *memoryWriter) SetWriteDeadline(time.Time) error { return nil }
