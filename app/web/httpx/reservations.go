package httpx

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
)

// Reader is the client that takes the answer to one request, and the memory that is held until it
// has.
type Reader struct {
	Evict func() // ends the answer

	mu      sync.Mutex
	carrier bool         // the request carries others, one after the other
	held    *Reservation // of the last answer that a carried request got
}

type readerKey struct{}

// CarryRequests returns the reader of a request that carries others, and a context for those.
//
// Memory for the answer to a carried request stays reserved until the next one has its answer, or
// until Release. evict is called beside what ends every answer.
func CarryRequests(ctx context.Context, c echo.Context, evict func()) (context.Context, *Reader) {
	r := newReader(c)
	r.carrier = true
	late := r.Evict
	r.Evict = func() { late(); evict() }
	return context.WithValue(ctx, readerKey{}, r), r
}

// CarriedBy has a request carried by the one whose context carrier is.
func CarriedBy(ctx, carrier context.Context) context.Context {
	return context.WithValue(ctx, readerKey{}, carrier.Value(readerKey{}))
}

// readerOf is the reader of a request, or of the one that carries it.
func readerOf(c echo.Context) *Reader {
	if carrier, ok := c.Request().Context().Value(readerKey{}).(*Reader); ok {
		return carrier
	}
	return newReader(c)
}

func newReader(c echo.Context) *Reader {
	w := http.NewResponseController(c.Response())
	return &Reader{Evict: func() {
		_ = w.SetReadDeadline(time.Now()) // the rest of a body is read before an answer is written
		_ = w.SetWriteDeadline(time.Now())
	}}
}

// keep takes over the memory of an answer that was handed on. A carrier holds it, any other reader
// releases it.
func (r *Reader) keep(held *Reservation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.carrier {
		held.release()
		return
	}
	if r.held != nil {
		r.held.release()
	}
	r.held = held
}

// Release gives back the memory that is held, and from now on that of each answer at once.
func (r *Reader) Release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held != nil {
		r.held.release()
	}
	r.held, r.carrier = nil, false
}
