package httpx

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/shares"
)

// Limits of large bodies and answers. Anybody may send a body: only its content identifies the
// sender. An answer may be many MiB, and its reader slow.
const (
	SmallBody    = 64 << 10         // bytes; such a body needs no place
	smallAnswer  = 64 << 10         // bytes; such an answer holds no place while read
	largeBodies  = 16               // at once, each of at most app.MaxBody
	largeAnswers = 8                // at once, until they are read
	placeQueue   = 64               // that wait for a place
	placeWait    = 10 * time.Second // for a place
	answerGrace  = 10 * time.Second // to read an answer, plus a second per leastRate bytes
	leastRate    = 32 << 10         // bytes a second
)

var (
	// ErrBodies refuses a body that found no place.
	ErrBodies = app.E(app.CodeRateLimited, "too much is being sent to Airlock at once",
		"Wait 5 s, then send it again, or send less than 64 KiB: data can be fetched from inside the script.")

	// ErrAnswers refuses an answer that found no place.
	ErrAnswers = app.E(app.CodeRateLimited, "too many large answers are being read at once",
		"Wait 5 s, then ask again, and read one answer to its end before the next.")
)

// Places bound the large bodies, or the large answers, in memory. It is safe for concurrent use.
type Places struct {
	*shares.Turns
	wait, grace time.Duration
}

// NewBodyPlaces returns places of bodies; addresses take turns. Bodies wait at most wait; 0 is the
// default.
func NewBodyPlaces(wait time.Duration) *Places {
	return &Places{Turns: shares.NewTurns(largeBodies, shares.New(placeQueue), ErrBodies), wait: cmp.Or(wait, placeWait)}
}

// NewAnswerPlaces returns places of answers; profiles take turns. Answers wait at most wait, and
// readers have at least grace. 0 stands for the defaults.
func NewAnswerPlaces(wait, grace time.Duration) *Places {
	return &Places{shares.NewTurns(largeAnswers, shares.New(placeQueue), ErrAnswers), cmp.Or(wait, placeWait),
		cmp.Or(grace, answerGrace)}
}

// limitedBody is one request's body. It takes a place once it is large.
type limitedBody struct {
	io.ReadCloser
	read int64
	take func() (give func(), err error) // nil once a place was taken
	give func()
}

// Read implements io.Reader.
func (b *limitedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.read += int64(n); b.read > SmallBody && b.take != nil {
		give, full := b.take()
		if full != nil {
			return 0, full
		}
		b.give, b.take = give, nil
	}
	return n, err
}

const keyBody = "airlock.body"

// LimitBodies bounds each body by app.MaxBody, and the large ones by places. Handlers limit those
// that unlimited selects. A carried request uses its carrier's place.
func (l *Places) LimitBodies(unlimited func(*http.Request) bool) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			r := c.Request()
			if r.Body == nil || unlimited(r) || carrierOf(r.Context()) != nil {
				return next(c)
			}
			b := &limitedBody{ReadCloser: http.MaxBytesReader(c.Response(), r.Body, app.MaxBody), give: func() {}}
			b.take = func() (func(), error) { return l.TakeWithin(r.Context(), ClientNetwork(c.RealIP()), l.wait) }
			defer func() { b.give() }()
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
		b.give()
	}
}

// JSON answers 200 with build's result as JSON, about the given profile.
//
// An answer holds a place while it is built and, if large, until it is read. With small, the caller
// promises a small answer, which needs none. JSON returns ErrAnswers if no place is free in time.
func (l *Places) JSON(c echo.Context, profile string, small bool, build func() (any, error)) error {
	carrier := carrierOf(c.Request().Context())
	carrier.hold(nil) // the last answer has been read
	give := func() {}
	if !small {
		var err error
		if give, err = l.TakeWithin(c.Request().Context(), profile, l.wait); err != nil {
			return err
		}
	}
	kept := false
	defer func() {
		if !kept {
			give()
		}
	}()
	view, err := build()
	if err != nil {
		return err
	}
	var text bytes.Buffer
	answer := json.NewEncoder(&text)
	answer.SetEscapeHTML(false) // links in it are copied as they stand
	if err := answer.Encode(view); err != nil {
		return err
	}
	if text.Len() <= smallAnswer {
		give()
	} else if kept = carrier.hold(give); !kept {
		// The request's rest is read first, so the deadline covers its sender too.
		until := time.Now().Add(l.grace + time.Duration(text.Len())*time.Second/leastRate)
		w := http.NewResponseController(c.Response())
		_, _ = w.SetReadDeadline(until), w.SetWriteDeadline(until)
	}
	return c.JSONBlob(http.StatusOK, text.Bytes())
}

// carrier is a request that carries others, one after the other. Its answer contains theirs, so it
// holds the last large one's place. It is safe for concurrent use; nil carries nothing.
type carrier struct {
	mu    sync.Mutex
	ended bool
	give  func() // nil if no place is held
}

type carrierKey struct{}

// CarryRequests returns the context of a carrier. The caller must call end, which releases the held
// place.
func CarryRequests(ctx context.Context) (carrying context.Context, end func()) {
	c := &carrier{}
	return context.WithValue(ctx, carrierKey{}, c), func() {
		c.mu.Lock()
		c.ended = true
		c.mu.Unlock()
		c.hold(nil)
	}
}

// LinkCarrier links ctx to the carrier in the context carrying.
func LinkCarrier(ctx, carrying context.Context) context.Context {
	return context.WithValue(ctx, carrierKey{}, carrierOf(carrying))
}

func carrierOf(ctx context.Context) *carrier {
	c, _ := ctx.Value(carrierKey{}).(*carrier)
	return c
}

// hold gives back the held place, and holds another one. It returns false if none is held then.
func (c *carrier) hold(give func()) bool {
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.give != nil {
		c.give()
	}
	if c.give = nil; !c.ended {
		c.give = give
	}
	return c.give != nil
}
