package httpx

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"runtime"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/shares"
)

// What large answers may take in memory together: an execution's output may be many MiB, and its
// reader slow.
const (
	smallAnswer   = 64 << 10               // of each answer, which app/conns bounds
	answerBudget  = 64 << 20               // of all larger ones
	answerBuilds  = 4                      // at least, that are built at once
	answerQueue   = 64                     // that wait for a build or for memory
	answerWait    = 10 * time.Second       // at most, for each of these
	answerMinHold = 10 * time.Second       // then a slow reader may be evicted
	answerRetry   = 100 * time.Millisecond // between two tries to reserve memory
)

// ErrAnswers refuses an answer that doesn't fit the budget.
var ErrAnswers = app.E(app.CodeRateLimited, "too many large answers are being read at once",
	"Wait 5 s, then ask again, and read one answer to its end before the next.")

// AnswerLimiter bounds what large answers take in memory, and how many are built at once.
// It is safe for concurrent use.
type AnswerLimiter struct {
	*Budget
	builds  *shares.Turns
	waiting *shares.Shares
	wait    time.Duration
}

// NewAnswerLimiter returns a limiter under which an answer waits for at most wait; 0 is the
// default.
func NewAnswerLimiter(wait time.Duration) *AnswerLimiter {
	if wait == 0 {
		wait = answerWait
	}
	waiting := shares.New(answerQueue)
	return &AnswerLimiter{
		Budget:  NewBudget(answerBudget, answerMinHold),
		builds:  shares.NewTurns(max(answerBuilds, runtime.GOMAXPROCS(0)), waiting, ErrAnswers),
		waiting: waiting,
		wait:    wait,
	}
}

// JSON answers 200 with what build returns, as JSON.
//
// A large answer that doesn't fit is thrown away, and built again when it does. A small one skips
// the queue of builds; small is a promise of the caller. It returns ErrAnswers if there is no room
// in time.
func (l *AnswerLimiter) JSON(c echo.Context, small bool, build func() (any, error)) error {
	ctx, address := c.Request().Context(), ClientNetwork(c.RealIP())
	text, err := l.build(ctx, address, small, build)
	if err != nil {
		return err
	}
	if len(text) > smallAnswer {
		reader, size := readerOf(c), int64(len(text))
		r := l.reserve(address, size)
		if r == nil {
			text = nil
			if r, err = l.waitReserve(ctx, address, size); err != nil {
				return err
			}
		}
		defer reader.keep(r)
		if text == nil {
			if text, err = l.build(ctx, address, small, build); err != nil {
				return err
			}
		}
		r.allowEviction(reader.Evict)
	}
	return c.JSONBlob(http.StatusOK, text)
}

// waitReserve reserves memory as soon as there is some.
func (l *AnswerLimiter) waitReserve(ctx context.Context, address string, size int64) (*Reservation, error) {
	if !l.waiting.Enter(address) {
		return nil, ErrAnswers
	}
	defer l.waiting.Leave(address)
	ctx, cancel := context.WithTimeoutCause(ctx, l.wait, ErrAnswers)
	defer cancel()
	retry := time.NewTicker(answerRetry)
	defer retry.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-retry.C:
			if r := l.reserve(address, size); r != nil {
				return r, nil
			}
		}
	}
}

// build builds an answer and encodes it, when its turn comes.
func (l *AnswerLimiter) build(
	ctx context.Context, address string, small bool, build func() (any, error),
) ([]byte, error) {
	if !small {
		ctx, cancel := context.WithTimeoutCause(ctx, l.wait, ErrAnswers)
		defer cancel()
		if err := l.builds.Take(ctx, address); err != nil {
			return nil, err
		}
		defer l.builds.Give(address)
	}
	view, err := build()
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	answer := json.NewEncoder(&text)
	answer.SetEscapeHTML(false) // links in it are copied as they stand
	err = answer.Encode(view)
	return text.Bytes(), err
}
