package httpx

import (
	"bytes"
	"encoding/json"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/shares"
)

// Limits of large answers. An output may be many MiB, and its reader slow.
const (
	smallAnswer  = 64 << 10         // bytes; such an answer holds no place while read
	largeAnswers = 8                // at once, until they are read
	answerQueue  = 64               // that wait for a place
	answerWait   = 10 * time.Second // for a place
	answerGrace  = 10 * time.Second // to read an answer, plus a second per leastRate bytes
	leastRate    = 32 << 10         // bytes a second
)

// ErrAnswers refuses an answer that found no place.
var ErrAnswers = app.E(app.CodeRateLimited, "too many large answers are being read at once",
	"Wait 5 s, then ask again, and read one answer to its end before the next.")

// AnswerLimiter bounds the large answers in memory. Profiles take turns. It is safe for concurrent
// use.
type AnswerLimiter struct {
	places *shares.Turns
	wait   time.Duration
	grace  time.Duration
}

// NewAnswerLimiter returns a limiter; 0 stands for the defaults. Answers wait at most wait for a
// place. Readers have at least grace.
func NewAnswerLimiter(wait, grace time.Duration) *AnswerLimiter {
	if wait == 0 {
		wait = answerWait
	}
	if grace == 0 {
		grace = answerGrace
	}
	return &AnswerLimiter{shares.NewTurns(largeAnswers, shares.New(answerQueue), ErrAnswers), wait, grace}
}

// Taken returns how many places are taken.
func (l *AnswerLimiter) Taken() int { return l.places.Taken() }

// JSON answers 200 with build's result as JSON, about the given profile.
//
// An answer holds a place while it is built and, if large, until it is read. With small, the caller
// promises a small answer, which needs none. JSON returns ErrAnswers if no place is free in time.
func (l *AnswerLimiter) JSON(c echo.Context, profile string, small bool, build func() (any, error)) error {
	carrier := carrierOf(c.Request().Context())
	carrier.release() // the last answer has been read
	give := func() {}
	if !small {
		var err error
		if give, err = l.places.TakeWithin(c.Request().Context(), profile, l.wait); err != nil {
			return err
		}
	}
	kept := false
	defer func() {
		if !kept {
			give()
		}
	}()
	text, err := encode(build)
	if err != nil {
		return err
	}
	if len(text) <= smallAnswer {
		give()
	} else if kept = carrier.keep(give); !kept {
		l.hurry(c, len(text))
	}
	return c.JSONBlob(http.StatusOK, text)
}

// hurry drops readers that take a large answer too slowly. The request's rest is read first, so the
// deadline covers its sender too.
func (l *AnswerLimiter) hurry(c echo.Context, size int) {
	until := time.Now().Add(l.grace + time.Duration(size)*time.Second/leastRate)
	w := http.NewResponseController(c.Response())
	_ = w.SetReadDeadline(until)
	_ = w.SetWriteDeadline(until)
}

func encode(build func() (any, error)) ([]byte, error) {
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
