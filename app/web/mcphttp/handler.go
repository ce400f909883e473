package mcphttp

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/mcp"
	"github.com/computclaw/airlock/app/shares"
	"github.com/computclaw/airlock/app/web/httpx"
)

// Limits of sessions and calls.
const (
	sessionIdle       = 10 * time.Minute
	SessionsPerMinute = 30 // of one address
	MaxSessions       = 256
	MaxOpening        = 16 << 10 // bytes of a request that opens a session
	maxCalls          = 1024     // at once; each may be held open
)

// Config is what a Handler needs.
type Config struct {
	API     http.Handler // the agent API
	Version string
	Origins httpx.Origins
	Drain   *httpx.Drain
	Hub     *live.Hub
	Now     func() time.Time
}

// Handler serves /mcp. It is safe for concurrent use.
type Handler struct {
	cfg       Config
	streams   http.Handler
	announce  func() // that tools may have changed
	sessions  *httpx.RateLimiter
	addresses *shares.Shares // calls that are being answered, by address
	bearers   *shares.Shares // and by bearer
}

// New returns a Handler.
func New(cfg Config) *Handler {
	h := &Handler{
		cfg: cfg, sessions: httpx.NewRateLimiter(SessionsPerMinute, cfg.Now),
		addresses: shares.New(maxCalls), bearers: shares.New(maxCalls),
	}
	server, announce := mcp.Server(h.loopback, app.Secret{}, cfg.Version)
	h.announce = announce
	server.AddReceivingMiddleware((&sessionLimit{most: MaxSessions, open: server.Sessions}).middleware)
	h.streams = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server },
		&sdk.StreamableHTTPOptions{
			SessionTimeout:      sessionIdle,
			MaxRequestBodyBytes: app.MaxBody,
			// A proxy on this host makes requests come from loopback under the public name. Being
			// local gives no authority, and browsers are refused.
			DisableLocalhostProtection: true,
		})
	return h
}

// Calls is how many requests are being answered.
func (h *Handler) Calls() int { return h.addresses.Taken() }

// Serve answers one request.
func (h *Handler) Serve(c echo.Context) error {
	message, err := h.admit(c)
	if err != nil {
		return err
	}
	release, err := h.acquire(c)
	if err != nil {
		return err
	}
	defer release()
	if err := httpx.KeepOpen(c.Response()); err != nil {
		return err
	}
	ctx, cancel := h.cfg.Drain.Context(c.Request().Context())
	defer cancel()
	if len(message) > httpx.SmallBody { // it stays in memory, so the call may not wait long
		ctx, cancel = context.WithTimeout(ctx, httpx.AnswerTimeout(c.Request()))
		defer cancel()
	}
	ctx, end := httpx.CarryRequests(ctx)
	defer end()
	if c.Request().Method == http.MethodGet { // held open for notifications
		var watch sync.WaitGroup
		watch.Go(func() { h.watchSkills(ctx) })
		defer watch.Wait()
		defer cancel()
	}
	w := httpx.NewDeadlineWriter(c.Response(), c.Request())
	answer := &errorWriter{ResponseWriter: w, message: message}
	serveAs(h.streams, answer, c.Request().WithContext(ctx))
	answer.close()
	return w.Extend()
}

// watchSkills announces skill changes until ctx ends. The library combines simultaneous
// notifications.
func (h *Handler) watchSkills(ctx context.Context) {
	sub := h.cfg.Hub.Subscribe(live.Skills)
	defer sub.Close()
	for {
		select {
		case <-sub.C():
			sub.Topics()
			h.announce()
		case <-ctx.Done():
			return
		}
	}
}

// acquire takes a place for a call. No address or bearer gets all: calls may take long.
func (h *Handler) acquire(c echo.Context) (release func(), err error) {
	digest := sha256.Sum256([]byte(c.Request().Header.Get(echo.HeaderAuthorization)))
	address, bearer := httpx.ClientNetwork(c.RealIP()), string(digest[:])
	if !h.addresses.Enter(address) {
		return nil, httpx.ErrBusy
	}
	if !h.bearers.Enter(bearer) {
		h.addresses.Leave(address)
		return nil, httpx.ErrBusy
	}
	return func() {
		h.bearers.Leave(bearer)
		h.addresses.Leave(address)
	}, nil
}

// errNotMCP answers requests of a browser or curl.
func errNotMCP() error {
	return app.E(app.CodeMethodNotAllowed, "this path is for clients of the Model Context Protocol",
		"Name its URL in your client's configuration, with Authorization: Bearer and the profile id as a header. "+
			"Without such a client use the HTTP API: GET /skill.md shows every call.")
}

// admit checks a request before its deadlines are lifted. It reads the whole message under the
// usual deadlines, and returns that of a POST.
func (h *Handler) admit(c echo.Context) (message []byte, err error) {
	r := c.Request()
	if r.Header.Get("Origin") != "" {
		return nil, app.E(app.CodeForbidden, "browsers are refused here",
			"No page speaks MCP, and programs send no Origin. "+
				"A page whose name was made to lead here would look like Airlock's own.")
	}
	if r.Method == http.MethodGet && !strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
		return nil, errNotMCP()
	}
	if r.Method != http.MethodPost {
		return nil, httpx.RefuseBody(r)
	}
	most := int64(app.MaxBody)
	if opens := r.Header.Get("Mcp-Session-Id") == ""; opens {
		if err := h.sessions.Allow(c); err != nil {
			return nil, err
		}
		most = MaxOpening
	}
	body, err := io.ReadAll(io.LimitReader(httpx.RawBody(c, most+1), most+1))
	switch {
	case err != nil:
		return nil, err
	case int64(len(body)) > most:
		return nil, app.E(app.CodeTooLarge, "a message that opens a session is larger than 16 KiB",
			"Send initialize first, and all else with the Mcp-Session-Id of its answer.")
	case bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")):
		return nil, app.E(app.CodeInvalidJSON, "batches of messages are refused",
			"Send one message per request, as the protocol has it since 2025-06-18.")
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return body, nil
}

const requestKey = "request"

// serveAs tells the library whose request it is. A session answers only to the bearer that opened
// it, and tools know their caller.
//
// The agent API checks the bearer's profile, so the library's own check always gets one.
func serveAs(handler http.Handler, w http.ResponseWriter, r *http.Request) {
	who := sha256.Sum256([]byte(r.Header.Get("Authorization")))
	origin := r.WithContext(r.Context())
	origin.Body = nil // a session keeps the request that opened it
	info := &auth.TokenInfo{UserID: hex.EncodeToString(who[:]), Extra: map[string]any{requestKey: origin}}
	verify := func(context.Context, string, *http.Request) (*auth.TokenInfo, error) { return info, nil }
	checked := auth.RequireBearerToken(verify, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})
	bare := (&http.Request{Header: http.Header{"Authorization": {"Bearer -"}}}).WithContext(r.Context())
	checked(http.HandlerFunc(func(w http.ResponseWriter, known *http.Request) {
		handler.ServeHTTP(w, r.WithContext(known.Context()))
	})).ServeHTTP(w, bare)
}
