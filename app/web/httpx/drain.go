package httpx

import (
	"context"
	"time"
)

// Drain ends long polls and streams before the server stops. It is safe for concurrent use.
type Drain struct {
	ctx   context.Context
	start context.CancelFunc
}

// NewDrain returns a Drain that has not started.
func NewDrain() *Drain {
	d := &Drain{}
	d.ctx, d.start = context.WithCancel(context.Background())
	return d
}

// Start ends all waits, now and from now on.
func (d *Drain) Start() { d.start() }

// Done is closed by Start.
func (d *Drain) Done() <-chan struct{} { return d.ctx.Done() }

// Context returns a context that ends with its parent or Start.
func (d *Drain) Context(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(parent)
	stop := context.AfterFunc(d.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}

// ContextWithTimeout is Context with a timeout.
func (d *Drain) ContextWithTimeout(
	parent context.Context, timeout time.Duration,
) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(parent, timeout)
	stop := context.AfterFunc(d.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}
