package mcphttp

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"net/http"

	"github.com/labstack/echo/v4"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/mcp"
	"github.com/computclaw/airlock/app/shares"
	"github.com/computclaw/airlock/app/web/httpx"
)

// maxCalls bounds concurrent calls; each may be held open.
const maxCalls = 1024

// Config is what a Handler needs.
type Config struct {
	API     http.Handler // the agent API
	Version string
	Origins httpx.Origins
	Drain   *httpx.Drain
}

// Handler serves /mcp. It keeps no sessions: each request is complete in itself. It is safe for
// concurrent use.
type Handler struct {
	cfg       Config
	messages  http.Handler
	addresses *shares.Shares // calls that are being answered, by address
	bearers   *shares.Shares // and by bearer
}

// New returns a Handler.
func New(cfg Config) *Handler {
	h := &Handler{cfg: cfg, addresses: shares.New(maxCalls), bearers: shares.New(maxCalls)}
	server := mcp.Server(h.loopback, app.Secret{}, cfg.Version)
	h.messages = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server },
		&sdk.StreamableHTTPOptions{
			Stateless:           true,
			MaxRequestBodyBytes: app.MaxBody,
			// A proxy on this host makes requests come from loopback under the public name. Being
			// local gives no authority, and browsers are refused.
			DisableLocalhostProtection: true,
		})
	return h
}

// Calls is how many requests are being answered.
func (h *Handler) Calls() int { return h.addresses.Taken() }

// Serve answers one POST.
func (h *Handler) Serve(c echo.Context) error {
	message, err := readMessage(c)
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
	ctx, carrier := httpx.CarryRequests(ctx)
	defer carrier.End()
	r := c.Request().WithContext(ctx)
	r.Body = io.NopCloser(bytes.NewReader(message))
	w := httpx.NewDeadlineWriter(c.Response(), r)
	h.messages.ServeHTTP(w, r.WithContext(context.WithValue(ctx, originKey{}, r)))
	return w.Extend()
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

// readMessage reads a whole message under the usual deadlines, before they are lifted.
func readMessage(c echo.Context) ([]byte, error) {
	if c.Request().Header.Get("Origin") != "" {
		return nil, app.E(app.CodeForbidden, "browsers are refused here",
			"No page speaks MCP, and programs send no Origin. "+
				"A page whose name was made to lead here would look like Airlock's own.")
	}
	body, err := io.ReadAll(httpx.RawBody(c, app.MaxBody))
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) {
		return nil, app.E(app.CodeInvalidJSON, "batches of messages are refused",
			"Send one message per request, as the protocol has it since 2025-06-18.")
	}
	return body, nil
}
