package web

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"runtime"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/shares"
)

// What large answers take in memory together while their readers take them: an execution's output may be many MiB, and a reader slow.
const (
	smallAnswer  = 64 << 10               // of each answer, which app/conns bounds
	maxAnswers   = 64 << 20               // of all larger ones
	answersAhead = 4                      // at least, that are read and written down at once; none of them waits for anybody meanwhile
	answersQueue = 64                     // that may wait: for that, or for room
	answerWait   = 10 * time.Second       // for room, and for each of the turns before and after that
	answerStay   = 10 * time.Second       // after which a reader to whom it is sent gives way, if others wait for room
	answerPause  = 100 * time.Millisecond // until an answer that waits looks again
)

// errAnswers refuses an answer for which there is no room.
var errAnswers = app.E(app.CodeRateLimited, "too many large answers are being read at once", "Wait 5 s, then ask again, and read one answer to its end before the next.")

// answers bounds what large answers take. It is safe for concurrent use.
type answers struct {
	room
	ahead    *shares.Turns
	waiting  *shares.Shares
	patience time.Duration // with which an answer waits
}

func newAnswers() *answers {
	waiting := shares.New(answersQueue)
	return &answers{room: room{most: maxAnswers, tenure: answerStay}, ahead: shares.NewTurns(max(answersAhead, runtime.GOMAXPROCS(0)), waiting, errAnswers), waiting: waiting, patience: answerWait}
}

// large answers 200 with what build returns, as JSON. Where there is no room for it the answer is thrown away, and built once more when there is. build reads the store and waits for
// nobody else. What is little for sure waits for no turn.
func (s *Server) large(c echo.Context, little bool, build func() (any, error)) error {
	ctx, address := c.Request().Context(), network(c.RealIP())
	text, err := s.answers.text(ctx, address, little, build)
	if err != nil {
		return err
	}
	if len(text) > smallAnswer {
		reader, size := readerOf(c), int64(len(text))
		place := s.answers.enter(address, size)
		if place == nil {
			text = nil
			if place, err = s.answers.wait(ctx, address, size); err != nil {
				return err
			}
		}
		defer reader.done(place)
		if text == nil {
			if text, err = s.answers.text(ctx, address, little, build); err != nil {
				return err
			}
		}
		place.yield(reader.giveWay)
	}
	return c.JSONBlob(http.StatusOK, text)
}

// wait waits for room, but not long, and not with too many.
func (a *answers) wait(ctx context.Context, address string, size int64) (*stay, error) {
	if !a.waiting.Enter(address) {
		return nil, errAnswers
	}
	defer a.waiting.Leave(address)
	ctx, cancel := context.WithTimeoutCause(ctx, a.patience, errAnswers)
	defer cancel()
	look := time.NewTicker(answerPause)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-look.C:
			if place := a.enter(address, size); place != nil {
				return place, nil
			}
		}
	}
}

// text builds an answer and writes it down, when its turn comes.
func (a *answers) text(ctx context.Context, address string, little bool, build func() (any, error)) ([]byte, error) {
	if !little {
		ctx, cancel := context.WithTimeoutCause(ctx, a.patience, errAnswers)
		defer cancel()
		if err := a.ahead.Take(ctx, address); err != nil {
			return nil, err
		}
		defer a.ahead.Give(address)
	}
	view, err := build()
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	err = json.NewEncoder(&text).Encode(view)
	return text.Bytes(), err
}

// reader is who takes the answer to one request, and what is held until they have.
type reader struct {
	giveWay func() // ends the answer
	mu      sync.Mutex
	place   *stay // of the last answer that goes into another; nil if there is none
	outer   bool  // its request carries others, one after the other, and is not answered yet: what is held for the last of these stays until then
}

type readerKey struct{}

// readerOf is the reader of a request, or of the one that carries it.
func readerOf(c echo.Context) *reader {
	if outer, ok := c.Request().Context().Value(readerKey{}).(*reader); ok {
		return outer
	}
	return newReader(c)
}

func newReader(c echo.Context) *reader {
	w := http.NewResponseController(c.Response())
	return &reader{giveWay: func() {
		_ = w.SetReadDeadline(time.Now()) // the rest of a body is read before an answer is written
		_ = w.SetWriteDeadline(time.Now())
	}}
}

// done says that an answer was handed on. If it goes into the answer to another request, its place is kept until leave, or until there is a later one, which goes there instead.
func (r *reader) done(place *stay) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.outer {
		place.leave()
		return
	}
	if r.place != nil {
		r.place.leave()
	}
	r.place = place
}

// leave gives back what is held.
func (r *reader) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.place != nil {
		r.place.leave()
	}
	r.place, r.outer = nil, false
}
