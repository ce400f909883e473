package web

import (
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
)

// What the bodies of all requests that are being answered may take in memory together. Anybody may send one: who it is from stands in it.
const (
	smallBody = 64 << 10         // of each request, which app/conns bounds: most scripts are smaller
	maxBodies = 64 << 20         // of what is beyond
	bodyPiece = 64 << 10         // room is taken by pieces
	bodyStay  = 10 * time.Second // after which a body that is still coming, or is held for a long call, gives way, if there is no room for another
)

// errBodies refuses a body for which there is no room, or no more.
var errBodies = app.E(app.CodeRateLimited, "too much is being sent to Airlock at once", "Wait 5 s, then send it again, or send less than 64 KiB: data can be fetched from inside the script.")

// countedBody is the body of one request, which takes of a room what is beyond smallBody.
type countedBody struct {
	io.ReadCloser
	stay     *stay // until it is released
	mu       sync.Mutex
	read     int64
	released bool
}

// Read implements io.Reader.
func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && b.stay.settle() || !b.hold(n) { // who gave way at the last moment too: the request could end in the middle otherwise
		return 0, errBodies
	}
	return n, err
}

// hold takes the room that what was read needs; false if there is none.
func (b *countedBody) hold(n int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.read += int64(n)
	more := b.read - smallBody - b.stay.bytes
	if b.released || more <= 0 {
		return true
	}
	return b.stay.grow((more + bodyPiece - 1) / bodyPiece * bodyPiece)
}

// release gives the room back. Nothing is counted any more then.
func (b *countedBody) release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.released = true
	b.stay.leave()
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
		giveWay := func() { _ = http.NewResponseController(c.Response()).SetReadDeadline(time.Now()) }
		b := &countedBody{ReadCloser: http.MaxBytesReader(c.Response(), r.Body, app.MaxBody), stay: &stay{room: &s.bodies, address: network(c.RealIP()), giveWay: giveWay}}
		defer b.release()
		r.Body = b
		c.Set(noteBody, b)
		return next(c)
	}
}

// bodyHeld says that a request's body stays in memory, whole, for as long as the answer takes, which may be long: it gives way to others by giveWay.
func bodyHeld(c echo.Context, giveWay func()) {
	if b, ok := c.Get(noteBody).(*countedBody); ok {
		b.stay.yield(giveWay)
	}
}

// bodyDone says that a request's body is not needed any more, although its answer takes long to come.
func bodyDone(c echo.Context) {
	if b, ok := c.Get(noteBody).(*countedBody); ok {
		b.release()
	}
}
