package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/client"
	"github.com/computclaw/airlock/app/mcp"
	"github.com/computclaw/airlock/app/web/httpx"
)

// MCP clients of protocols before 2026-07-28 have sessions, which take memory until they end. So they end when nothing comes for a while, one address
// opens only so many, what opens one is short, and only the newest stay.
const (
	sessionIdle       = 10 * time.Minute
	sessionsPerMinute = 30
	maxSessions       = 256
	maxOpening        = 16 << 10
	maxModelCalls     = 1024 // requests to /mcp at once; each may be held open
)

// modelContext serves /mcp. Its tools call api, the agent API of this very server, in the name of whoever called the tool.
func (s *Server) modelContext(api http.Handler) echo.HandlerFunc {
	server, newest := mcp.Server(s.wayInside(api), app.Secret{}, s.cfg.Version), &newestSessions{most: maxSessions}
	server.AddReceivingMiddleware(newest.note)
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{
		SessionTimeout:      sessionIdle,
		MaxRequestBodyBytes: app.MaxBody,
		// Behind a proxy on this host a request comes from loopback with the public name. There is no authority in being local, and browsers are refused.
		DisableLocalhostProtection:   true,
		PropagateRequestCancellation: true,
	})
	return func(c echo.Context) error {
		if err := s.admitModel(c); err != nil {
			return err
		}
		release, err := s.modelCall(c)
		if err != nil {
			return err
		}
		defer release()
		if err := httpx.KeepOpen(c.Response()); err != nil {
			return err
		}
		ctx, cancel := s.drain.Context(c.Request().Context())
		defer cancel()
		ctx, reader := httpx.CarryRequests(ctx, c, cancel) // what is written after an eviction would have all its time again
		defer reader.Release()
		httpx.HoldBody(c, reader.Evict)
		answer := httpx.NewDeadlineWriter(c.Response(), c.Request())
		serveOwned(handler, answer, c.Request().WithContext(ctx))
		return answer.Extend()
	}
}

// modelCall takes a place for a request to /mcp. Neither one address nor one bearer has all of them, since what is asked there may take long.
func (s *Server) modelCall(c echo.Context) (release func(), err error) {
	digest := sha256.Sum256([]byte(c.Request().Header.Get(echo.HeaderAuthorization)))
	address, bearer := httpx.ClientNetwork(c.RealIP()), string(digest[:])
	if !s.modelCalls.Enter(address) {
		return nil, httpx.ErrBusy
	}
	if !s.modelUsers.Enter(bearer) {
		s.modelCalls.Leave(address)
		return nil, httpx.ErrBusy
	}
	return func() {
		s.modelUsers.Leave(bearer)
		s.modelCalls.Leave(address)
	}, nil
}

// errNoModelClient is for who looks at /mcp with a browser or curl.
func errNoModelClient() error {
	return app.E(app.CodeMethodNotAllowed, "this path is for clients of the Model Context Protocol", "Name its URL in your client's configuration, with Authorization: Bearer and the profile id as a header. Without such a client use the HTTP API: GET /skill.md shows every call.")
}

// admitModel judges a request before anything is kept open for it. It reads the message, so that a slow sender meets the limits that all requests have.
func (s *Server) admitModel(c echo.Context) error {
	r := c.Request()
	if r.Header.Get("Origin") != "" {
		return app.E(app.CodeForbidden, "browsers are refused here", "No page speaks MCP, and programs send no Origin. A page whose name was made to lead here would look like Airlock's own.")
	}
	if r.Method == http.MethodGet && !strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
		return errNoModelClient()
	}
	if r.Method != http.MethodPost {
		if r.ContentLength != 0 {
			return app.E(app.CodeInvalidField, "only POST takes a body here", "Send messages with POST.")
		}
		return nil
	}
	most := int64(app.MaxBody)
	if opens := r.Header.Get("Mcp-Session-Id") == ""; opens {
		if err := s.sessions.Allow(c); err != nil {
			return err
		}
		most = maxOpening
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, most+1))
	switch {
	case err != nil:
		return err
	case int64(len(body)) > most:
		return app.E(app.CodeTooLarge, "a message that opens a session is larger than 16 KiB", "Send initialize first, and all else with the Mcp-Session-Id of its answer.")
	case bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")):
		return app.E(app.CodeInvalidJSON, "batches of messages are refused", "Send one message per request, as the protocol has it since 2025-06-18.")
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return nil
}

// requestKey is where serveOwned leaves the request for the tools.
const requestKey = "request"

// serveOwned has the library know whose request it is: a session then answers to the bearer alone that opened it, and tools see who calls them.
func serveOwned(handler http.Handler, w http.ResponseWriter, r *http.Request) {
	who := sha256.Sum256([]byte(r.Header.Get("Authorization")))
	origin := r.WithContext(r.Context())
	origin.Body = nil // a session keeps the request that opened it
	info := &auth.TokenInfo{UserID: hex.EncodeToString(who[:]), Extra: map[string]any{requestKey: origin}}
	known := auth.RequireBearerToken(func(context.Context, string, *http.Request) (*auth.TokenInfo, error) { return info, nil },
		&auth.RequireBearerTokenOptions{AllowMissingExpiration: true})
	// Whether the bearer is a profile is for the agent API to say, so what is asked here always has one.
	asked := (&http.Request{Header: http.Header{"Authorization": {"Bearer -"}}}).WithContext(r.Context())
	known(http.HandlerFunc(func(w http.ResponseWriter, told *http.Request) {
		handler.ServeHTTP(w, r.WithContext(told.Context()))
	})).ServeHTTP(w, asked)
}

// wayInside has a tool's call act in the name of the request that carries it, and end with it: nobody would get the answer.
func (s *Server) wayInside(api http.Handler) mcp.Way {
	return func(ctx context.Context, req *sdk.CallToolRequest) (context.Context, client.Client) {
		ctx, cancel := context.WithCancel(ctx)
		var origin *http.Request
		if req.Extra != nil && req.Extra.TokenInfo != nil {
			origin, _ = req.Extra.TokenInfo.Extra[requestKey].(*http.Request)
		}
		if origin == nil {
			cancel()
			return ctx, client.Client{HTTP: &http.Client{}}
		}
		context.AfterFunc(origin.Context(), cancel)
		return ctx, client.Client{URL: s.origins.BaseURL(origin), HTTP: &http.Client{Transport: &inside{api: api, origin: origin, closing: s.drain.Done()}}}
	}
}

// newestSessions closes sessions when newer ones have taken their place. Their clients open others. It is safe for concurrent use.
type newestSessions struct {
	mu   sync.Mutex
	most int
	list []*sdk.ServerSession
}

func (n *newestSessions) note(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if session, ok := req.GetSession().(*sdk.ServerSession); ok && method == "initialize" {
			n.add(session)
		}
		return next(ctx, method, req)
	}
}

func (n *newestSessions) add(session *sdk.ServerSession) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if slices.Contains(n.list, session) {
		return
	}
	n.list = append(n.list, session)
	if len(n.list) > n.most {
		oldest := n.list[0]
		n.list = slices.Delete(n.list, 0, 1)
		go func() { _ = oldest.Close() }() // which waits for its calls
	}
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
	r = r.Clone(httpx.CarriedBy(r.Context(), i.origin.Context()))
	r.RemoteAddr, r.Host, r.TLS, r.RequestURI = i.origin.RemoteAddr, i.origin.Host, i.origin.TLS, r.URL.RequestURI()
	for _, name := range []string{"X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "Traceparent"} {
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
