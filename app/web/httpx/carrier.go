package httpx

import (
	"context"
	"sync"
)

// Carrier is a request that carries others, one after the other. Its answer contains theirs, so it
// keeps the last large one's place. It is safe for concurrent use; nil carries nothing.
type Carrier struct {
	mu    sync.Mutex
	ended bool
	give  func() // nil if no place is kept
}

type carrierKey struct{}

// CarryRequests returns a carrier and its request's context. The caller must call End.
func CarryRequests(ctx context.Context) (context.Context, *Carrier) {
	c := &Carrier{}
	return context.WithValue(ctx, carrierKey{}, c), c
}

// CarriedBy links ctx to the carrier in the context carrier.
func CarriedBy(ctx, carrier context.Context) context.Context {
	return context.WithValue(ctx, carrierKey{}, carrierOf(carrier))
}

func carrierOf(ctx context.Context) *Carrier {
	c, _ := ctx.Value(carrierKey{}).(*Carrier)
	return c
}

// keep holds a place until the next answer or the end. It returns false if c is nil or ended.
func (c *Carrier) keep(give func()) bool {
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return false
	}
	c.give = give
	return true
}

// release gives back the place that is kept.
func (c *Carrier) release() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.give != nil {
		c.give()
	}
	c.give = nil
}

// End releases the held place and holds none from now on.
func (c *Carrier) End() {
	c.mu.Lock()
	c.ended = true
	c.mu.Unlock()
	c.release()
}
