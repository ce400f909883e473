package swap

import (
	"context"
	"io"
	"sync"
)

// MaxHolds is how many bodies of an execution are held at a time. Others wait.
const MaxHolds = 8

type holds chan struct{}

func newHolds() holds { return make(holds, MaxHolds) }

// take waits for a place. release gives it back, and may be called repeatedly.
func (h holds) take(ctx context.Context) (release func(), err error) {
	select {
	case h <- struct{}{}:
		return sync.OnceFunc(func() { <-h }), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// releasing gives its place back once read or closed.
type releasing struct {
	io.Reader
	io.Closer
	release func()
}

func (r *releasing) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil {
		r.release()
	}
	return n, err
}

// Close closes the body.
func (r *releasing) Close() error {
	r.release()
	return r.Closer.Close()
}
