package web

import (
	"io"
	"net/http"
	"sync"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
)

// What the bodies of all requests that are being answered may take in memory together. Anybody may send one: who it is from stands in it.
const (
	smallBody = 64 << 10 // of each request, which always has room: most scripts are smaller
	maxBodies = 64 << 20 // of what is beyond
	bodyPiece = 64 << 10 // room is taken by pieces
)

// errBodies refuses a body for which there is no room.
var errBodies = app.E(app.CodeRateLimited, "too much is being sent to Airlock at once", "Wait 5 s, then send it again, or send less than 64 KiB: data can be fetched from inside the script.")

// bodies counts what bodies take in memory. An address gets more as long as more is free than it has, so that one alone has half. It is safe for concurrent use.
type bodies struct {
	mu        sync.Mutex
	all       int64
	addresses map[string]int64
}

// countedBody is the body of one request.
type countedBody struct {
	io.ReadCloser
	bodies   *bodies
	address  string
	read     int64
	held     int64 // of bodies, until it is released; the bodies' mu guards it
	released bool  // likewise
}

// Read implements io.Reader.
func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.read += int64(n); !b.bodies.hold(b) {
		return 0, errBodies
	}
	return n, err
}

// hold takes the room that what was read needs; false if there is none.
func (all *bodies) hold(b *countedBody) bool {
	all.mu.Lock()
	defer all.mu.Unlock()
	if b.released || b.read <= smallBody+b.held {
		return true
	}
	more := (b.read - smallBody - b.held + bodyPiece - 1) / bodyPiece * bodyPiece
	if all.addresses[b.address]+more > maxBodies-all.all {
		return false
	}
	if all.addresses == nil {
		all.addresses = map[string]int64{}
	}
	all.all += more
	all.addresses[b.address] += more
	b.held += more
	return true
}

// release gives the room back. Nothing is counted any more then.
func (b *countedBody) release() {
	all := b.bodies
	all.mu.Lock()
	defer all.mu.Unlock()
	b.released = true
	if b.held == 0 {
		return
	}
	all.all -= b.held
	if all.addresses[b.address] -= b.held; all.addresses[b.address] == 0 {
		delete(all.addresses, b.address)
	}
	b.held = 0
}

// noteBody is where the countedBody of a request is kept.
const noteBody = "airlock.body"

// limitBody caps every body at app.MaxBody, and what all of them take together. Routes that take more replace c.Request().Body themselves.
func (s *Server) limitBody(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if r.Body == nil || isUpload(r) {
			return next(c)
		}
		b := &countedBody{ReadCloser: http.MaxBytesReader(c.Response(), r.Body, app.MaxBody), bodies: &s.bodies, address: network(c.RealIP())}
		defer b.release()
		r.Body = b
		c.Set(noteBody, b)
		return next(c)
	}
}

// bodyDone says that a request's body is not needed any more, although its answer takes long to come.
func bodyDone(c echo.Context) {
	if b, ok := c.Get(noteBody).(*countedBody); ok {
		b.release()
	}
}
