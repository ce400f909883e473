package swap

import (
	"context"
	"io"
	"sync"
)

// MaxHolds is how many bodies of one execution are held at a time, so that values can be put into
// them. Others wait until one of these is sent.
const MaxHolds = 8

// holds are the places of the bodies that are held.
type holds chan struct{}

func newHolds() holds { return make(holds, MaxHolds) }

// take waits for a place. The place is given back by calling release, which may be called more than
// once.
func (h holds) take(ctx context.Context) (release func(), err error) {
	select {
	case h <- struct{}{}:
		return sync.OnceFunc(func() { <-h }), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// releasing reads what is held and then gives its place back. Closing it does that, too.
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
