package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/client"
	"github.com/computclaw/airlock/app/mcp"
)

// MCP clients of protocols before 2026-07-28 have sessions, which take memory until they end. So they end when nothing comes for a while, and one address
// opens only so many.
const (
	sessionIdle       = 10 * time.Minute
	sessionsPerMinute = 30
	maxModelCalls     = 1024 // requests to /mcp at once; each may be held open
)

// modelContext serves /mcp. Its tools call api, the agent API of this very server, in the name of whoever called the tool.
func (s *Server) modelContext(api http.Handler) echo.HandlerFunc {
	handler := sdk.NewStreamableHTTPHandler(func(r *http.Request) *sdk.Server {
		inside := &http.Client{Transport: &inside{api: api, origin: r.Clone(context.Background()), closing: s.closing}}
		return mcp.Server(client.Client{URL: s.baseOf(r), HTTP: inside}, app.Secret{}, s.cfg.Version)
	}, &sdk.StreamableHTTPOptions{
		SessionTimeout:      sessionIdle,
		MaxRequestBodyBytes: app.MaxBody,
		// Behind a proxy on this host a request comes from loopback with the public name. There is no authority in being local, and browsers are told apart by refuseCrossOrigin.
		DisableLocalhostProtection:   true,
		PropagateRequestCancellation: true,
	})
	return func(c echo.Context) error {
		if s.modelCalls.Add(1) > maxModelCalls {
			s.modelCalls.Add(-1)
			return errBusy
		}
		defer s.modelCalls.Add(-1)
		r := c.Request()
		if r.Method == http.MethodGet && !strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
			return errNoModelClient()
		}
		opens, err := opensSession(r)
		if err != nil {
			return err
		}
		if opens {
			if err := s.allow(c, s.sessions); err != nil {
				return err
			}
		}
		if err := keepOpen(c.Response()); err != nil {
			return err
		}
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		go func() {
			select {
			case <-s.closing:
				cancel()
			case <-ctx.Done():
			}
		}()
		handler.ServeHTTP(c.Response(), r.WithContext(ctx))
		return nil
	}
}

// errNoModelClient is for who looks at /mcp with a browser or curl.
func errNoModelClient() error {
	return app.E(app.CodeMethodNotAllowed, "this path is for clients of the Model Context Protocol", "Name its URL in your client's configuration, with Authorization: Bearer and the profile id as a header. Without such a client use the HTTP API: GET /skill.md shows every call.")
}

// opensSession tells whether a request may start a session. It reads the body, which limitBody has capped, and puts it back.
func opensSession(r *http.Request) (bool, error) {
	if r.Method != http.MethodPost || r.Header.Get("Mcp-Session-Id") != "" {
		return false, nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return false, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var message struct {
		Method string `json:"method"`
	}
	// What is not one message (a batch) counts as the worst.
	return json.Unmarshal(body, &message) != nil || message.Method == "initialize", nil
}

// inside is a transport that ends in this process: what it sends the agent API answers as if it had come from the client of origin.
type inside struct {
	api     http.Handler
	origin  *http.Request
	closing <-chan struct{}
}

// errClosing ends what waits when the server is about to stop. Executions go on, or run when it is back.
var errClosing = errors.New("Airlock is stopping; it will be back, and read_execution then tells how the execution stands") //nolint:staticcheck // a name

// RoundTrip implements http.RoundTripper.
func (i *inside) RoundTrip(r *http.Request) (*http.Response, error) {
	select {
	case <-i.closing:
		return nil, errClosing
	default:
	}
	r = r.Clone(r.Context())
	r.RemoteAddr, r.Host, r.TLS, r.RequestURI = i.origin.RemoteAddr, i.origin.Host, i.origin.TLS, r.URL.RequestURI()
	for _, name := range []string{"X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host"} {
		r.Header[name] = i.origin.Header[name]
	}
	if r.Body == nil {
		r.Body = http.NoBody
	}
	w := &recorded{header: http.Header{}, status: http.StatusOK}
	i.api.ServeHTTP(w, r)
	return &http.Response{StatusCode: w.status, Header: w.header, Body: io.NopCloser(&w.body), Request: r, ProtoMajor: 1, ProtoMinor: 1}, nil
}

// recorded keeps an answer. The agent API bounds how large its answers are.
type recorded struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *recorded) Header() http.Header         { return w.header }
func (w *recorded) WriteHeader(status int)      { w.status = status }
func (w *recorded) Write(p []byte) (int, error) { return w.body.Write(p) }
