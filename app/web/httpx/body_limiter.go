package httpx

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/shares"
)

// Limits of request bodies. Anybody may send one: only its content says who sent it.
const (
	SmallBody   = 64 << 10         // bytes; most scripts are smaller, and such a body needs no place
	largeBodies = 16               // at once, each of at most app.MaxBody
	bodyQueue   = 64               // that wait for a place
	bodyWait    = 10 * time.Second // for a place
)

// ErrBodies refuses a body that found no place.
var ErrBodies = app.E(app.CodeRateLimited, "too much is being sent to Airlock at once",
	"Wait 5 s, then send it again, or send less than 64 KiB: data can be fetched from inside the script.")

// BodyLimiter bounds each request body by app.MaxBody, and how many large ones are in memory.
// Addresses take turns. It is safe for concurrent use.
type BodyLimiter struct {
	places *shares.Turns
	wait   time.Duration
}

// NewBodyLimiter returns a limiter under which a body waits for at most wait; 0 is the default.
func NewBodyLimiter(wait time.Duration) *BodyLimiter {
	if wait == 0 {
		wait = bodyWait
	}
	return &BodyLimiter{shares.NewTurns(largeBodies, shares.New(bodyQueue), ErrBodies), wait}
}

// Taken returns how many places are taken.
func (l *BodyLimiter) Taken() int { return l.places.Taken() }

// limitedBody is the body of one request. It takes a place when it turns out to be large.
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
		if err := b.take(); err != nil {
			return 0, err
		}
	}
	return n, err
}

func (b *limitedBody) take() error {
	ctx, cancel := context.WithTimeoutCause(b.ctx, b.limiter.wait, ErrBodies)
	defer cancel()
	if err := b.limiter.places.Take(ctx, b.address); err != nil {
		return err
	}
	b.give = sync.OnceFunc(func() { b.limiter.places.Give(b.address) })
	return nil
}

// release gives the place back.
func (b *limitedBody) release() {
	if b.give != nil {
		b.give()
	}
}

const keyBody = "airlock.body"

// Middleware limits the bodies of requests. Handlers limit those that unlimited picks, and a
// request that another carries uses its place.
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

// DiscardBody reads what is left of a body before an error is answered. The server would close the
// connection on it otherwise, and a client that is still sending would never see the answer. A client
// that waits for 100 Continue has sent nothing yet.
func DiscardBody(c echo.Context) {
	if b, ok := c.Get(keyBody).(*limitedBody); ok && c.Request().Header.Get("Expect") == "" {
		_, _ = io.Copy(io.Discard, b.ReadCloser)
	}
}

// ReleaseBody says that the body is not needed any more, although the answer takes long.
func ReleaseBody(c echo.Context) {
	if b, ok := c.Get(keyBody).(*limitedBody); ok {
		b.release()
	}
}
