package egress

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// requestBody is a box's request body on its way out. The transport's goroutine may read it after
// the answer has begun. A nil requestBody is empty.
type requestBody struct {
	body io.ReadCloser
	goOn func() error // tells the box to send; nil if it does so anyway

	mu     sync.Mutex
	begun  bool
	ended  bool // read to its end
	broken bool // the box's side ended before it, or was not proper
	stop   bool // the answer has begun: the box may no longer be told to go on
}

func newRequestBody(in *http.Request, goOn func() error) *requestBody {
	if in.Body == nil || in.Body == http.NoBody || in.ContentLength == 0 {
		return nil
	}
	b := &requestBody{body: in.Body}
	waits := func(v string) bool { return strings.EqualFold(strings.TrimSpace(v), "100-continue") }
	if in.ProtoAtLeast(1, 1) && slices.ContainsFunc(in.Header["Expect"], waits) {
		b.goOn = goOn
	}
	return b
}

// errAnswered ends the reading of a body that the box was never told to send.
var errAnswered = errors.New("the answer came first")

// Read reads what the box sends.
func (b *requestBody) Read(p []byte) (int, error) {
	if err := b.begin(); err != nil {
		return 0, err
	}
	n, err := b.body.Read(p)
	if err != nil {
		b.mu.Lock()
		b.ended = b.ended || err == io.EOF
		b.broken = b.broken || err != io.EOF
		b.mu.Unlock()
	}
	return n, err
}

func (b *requestBody) begin() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.begun || b.goOn == nil {
		b.begun = true
		return nil
	}
	if b.stop {
		return errAnswered
	}
	b.begun = true
	return b.goOn()
}

// Close does nothing: the connection ends after the answer, with any unread rest.
func (b *requestBody) Close() error { return nil }

// beginAnswer says that the final answer begins.
func (b *requestBody) beginAnswer() {
	if b == nil {
		return
	}
	b.mu.Lock()
	b.stop = true
	b.mu.Unlock()
}

// isFinished reports whether the body was read to its end, so the next request can follow.
func (b *requestBody) isFinished() bool {
	if b == nil {
		return true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ended
}

// isBroken reports whether the box's side ended the body early.
func (b *requestBody) isBroken() bool {
	if b == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.broken
}

// watchedBody keeps the error of a body being sent.
type watchedBody struct {
	io.ReadCloser
	failed atomic.Pointer[error]
}

func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		b.failed.CompareAndSwap(nil, &err)
	}
	return n, err
}
