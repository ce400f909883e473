package httpx

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/shares"
)

// Limits of request bodies. Anybody may send one: only its content identifies the sender.
const (
	SmallBody   = 64 << 10         // bytes; such a body needs no place
	largeBodies = 16               // at once, each of at most app.MaxBody
	bodyQueue   = 64               // that wait for a place
	bodyWait    = 10 * time.Second // for a place
)

// ErrBodies refuses a body that found no place.
var ErrBodies = app.E(app.CodeRateLimited, "too much is being sent to Airlock at once",
	"Wait 5 s, then send it again, or send less than 64 KiB: data can be fetched from inside the script.")

// BodyLimiter bounds each body by app.MaxBody, and the large ones in memory. Addresses take turns.
// It is safe for concurrent use.
type BodyLimiter struct {
	places *shares.Turns
	wait   time.Duration
}

// NewBodyLimiter returns a limiter whose bodies wait at most wait; 0 is the default.
func NewBodyLimiter(wait time.Duration) *BodyLimiter {
	if wait == 0 {
		wait = bodyWait
	}
	return &BodyLimiter{shares.NewTurns(largeBodies, shares.New(bodyQueue), ErrBodies), wait}
}

// Taken returns how many places are taken.
func (l *BodyLimiter) Taken() int { return l.places.Taken() }

// limitedBody is one request's body. It takes a place once it is large.
type limitedBody struct {
	io.ReadCloser
	ctx     context.Context //nolint:containedctx // of the request that it belongs to
	limiter *BodyLimiter
	address string
	read    int64
	give    func() // nil before a place is taken
}

// Read implements io.Reader.
func (b *limitedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.read += int64(n); b.read > SmallBody && b.give == nil {
		var full error
		if b.give, full = b.limiter.places.TakeWithin(b.ctx, b.address, b.limiter.wait); full != nil {
			return 0, full
		}
	}
	return n, err
}

// release gives the place back.
func (b *limitedBody) release() {
	if b.give != nil {
		b.give()
	}
}

const keyBody = "airlock.body"

// Middleware limits request bodies. Handlers limit those that unlimited selects. A carried request
// uses its carrier's place.
func (l *BodyLimiter) Middleware(unlimited func(*http.Request) bool) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			r := c.Request()
			if r.Body == nil || unlimited(r) || carrierOf(r.Context()) != nil {
				return next(c)
			}
			b := &limitedBody{
				ReadCloser: http.MaxBytesReader(c.Response(), r.Body, app.MaxBody),
				ctx:        r.Context(), limiter: l, address: ClientNetwork(c.RealIP()),
			}
			defer b.release()
			r.Body = b
			c.Set(keyBody, b)
			return next(c)
		}
	}
}

// DiscardBody reads the rest of a body before an error is answered. Otherwise the connection closes
// and a client that is still sending misses the answer. A client that waits for 100 Continue has
// sent nothing yet.
func DiscardBody(c echo.Context) {
	if b, ok := c.Get(keyBody).(*limitedBody); ok && c.Request().Header.Get("Expect") == "" {
		_, _ = io.Copy(io.Discard, b.ReadCloser)
	}
}

// ReleaseBody gives up the body's place before a slow answer.
func ReleaseBody(c echo.Context) {
	if b, ok := c.Get(keyBody).(*limitedBody); ok {
		b.release()
	}
}
