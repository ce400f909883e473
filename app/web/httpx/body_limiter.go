package httpx

import (
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
)

// SmallBody is how much of each body the budget doesn't count, in bytes: app/conns does. Most
// scripts are smaller.
const SmallBody = 64 << 10

// What the rest of all bodies may take in memory together. Anybody may send one: only its content
// says who sent it.
const (
	bodyBudget  = 64 << 20
	bodyPiece   = 64 << 10         // memory is reserved in pieces
	bodyMinHold = 10 * time.Second // then a body that is still coming, or is held for a long call, may be evicted
)

// ErrBodies refuses a body that doesn't fit the budget, or was evicted.
var ErrBodies = app.E(app.CodeRateLimited, "too much is being sent to Airlock at once",
	"Wait 5 s, then send it again, or send less than 64 KiB: data can be fetched from inside the script.")

// BodyLimiter bounds request bodies: each by app.MaxBody, and all of them by a Budget.
type BodyLimiter struct{ *Budget }

// NewBodyLimiter returns a limiter with the default budget.
func NewBodyLimiter() BodyLimiter { return BodyLimiter{NewBudget(bodyBudget, bodyMinHold)} }

// limitedBody is the body of one request. It reserves memory for what is beyond SmallBody.
type limitedBody struct {
	io.ReadCloser
	reservation *Reservation

	mu       sync.Mutex
	read     int64
	released bool
}

// Read implements io.Reader.
func (b *limitedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	// Eviction ends the read early, which must not look like the end of the body.
	if err != nil && b.reservation.forbidEviction() || !b.reserve(n) {
		return 0, ErrBodies
	}
	return n, err
}

// reserve takes memory for n more bytes; false if they don't fit.
func (b *limitedBody) reserve(n int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.read += int64(n)
	more := b.read - SmallBody - b.reservation.bytes
	if b.released || more <= 0 {
		return true
	}
	return b.reservation.grow((more + bodyPiece - 1) / bodyPiece * bodyPiece)
}

// release gives the memory back. What is read afterwards is not counted.
func (b *limitedBody) release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.released = true
	b.reservation.release()
}

const keyBody = "airlock.body"

// Middleware limits the bodies of all requests but those that unlimited picks, whose handlers limit
// them.
func (l BodyLimiter) Middleware(unlimited func(*http.Request) bool) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			r := c.Request()
			if r.Body == nil || unlimited(r) {
				return next(c)
			}
			evict := func() { _ = http.NewResponseController(c.Response()).SetReadDeadline(time.Now()) }
			b := &limitedBody{
				ReadCloser:  http.MaxBytesReader(c.Response(), r.Body, app.MaxBody),
				reservation: &Reservation{budget: l.Budget, address: ClientNetwork(c.RealIP()), evict: evict},
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

// HoldBody says that the body stays in memory for as long as the answer takes. evict ends the
// request.
func HoldBody(c echo.Context, evict func()) {
	if b, ok := c.Get(keyBody).(*limitedBody); ok {
		b.reservation.allowEviction(evict)
	}
}

// ReleaseBody says that the body is not needed any more, although the answer takes long.
func ReleaseBody(c echo.Context) {
	if b, ok := c.Get(keyBody).(*limitedBody); ok {
		b.release()
	}
}
