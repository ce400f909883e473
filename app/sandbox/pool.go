package sandbox

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/computclaw/airlock/app/sleep"
)

// Times of the pool.
const (
	maxBoxAge  = 10 * time.Minute // an idle box older than this is replaced
	openWithin = 30 * time.Second // a box that isn't ready by then never will be
	retryFirst = time.Second      // after a failed opening, doubled up to retryLast
	retryLast  = 30 * time.Second

	// refillAfter delays replacing a taken box unless somebody waits. A starting interpreter would
	// take the processor from a short script.
	refillAfter = 30 * time.Millisecond
)

var errPoolClosed = errors.New("sandbox: the pool of boxes is closed")

// pool keeps boxes of one class ready. It is safe for concurrent use.
//
// A box in it has met no profile, is handed out once, and never comes back. A caller that finds the
// pool empty gets the next box that opens.
type pool struct {
	open    func(ctx context.Context) (*Box, error)
	openers int // at the same time, as long as nobody waits
	failed  func(error)

	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu              sync.Mutex
	size            int    // boxes to keep ready
	ready           []*Box // oldest first
	waiters         []chan handover
	opening         int
	backoff         time.Duration // the current one; 0 after a success
	backingOff      bool
	refillScheduled bool
	closed          bool
}

// handover gives a waiter a box, or the reason for none.
type handover struct {
	box *Box
	err error
}

func newPool(size, openers int, open func(context.Context) (*Box, error), failed func(error)) *pool {
	ctx, cancel := context.WithCancel(context.Background())
	p := &pool{open: open, size: size, openers: max(openers, 1), failed: failed, ctx: ctx, cancel: cancel}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refillLocked()
	return p
}

// take hands out a box, which the caller must run or close. warm reports whether it was ready.
// After patience, late is called once; it may be nil.
func (p *pool) take(ctx context.Context, patience time.Duration, late func()) (b *Box, warm bool, err error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, false, errPoolClosed
	}
	if b := p.nextLocked(); b != nil {
		p.mu.Unlock()
		return b, true, nil
	}
	mine := make(chan handover, 1)
	p.waiters = append(p.waiters, mine)
	p.refillLocked()
	p.mu.Unlock()
	if h, ok := await(ctx, mine, patience, late); ok {
		return h.box, false, h.err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.waiters, mine); i >= 0 {
		p.waiters = slices.Delete(p.waiters, i, i+1)
	} else if h := <-mine; h.box != nil {
		p.keepLocked(h.box)
	}
	return nil, false, context.Cause(ctx)
}

// takeReady hands out a ready box, or nil. The caller must run or close it.
func (p *pool) takeReady() *Box {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.nextLocked()
}

// nextLocked takes the oldest healthy box out of the pool, or returns nil.
func (p *pool) nextLocked() *Box {
	for len(p.ready) > 0 {
		b := p.ready[0]
		p.ready = p.ready[1:]
		close(b.taken)
		if b.Healthy() {
			p.refillSoonLocked()
			return b
		}
		p.dropLocked(b)
	}
	return nil
}

// await waits for a box; ok is false if ctx ended first.
func await(ctx context.Context, mine <-chan handover, patience time.Duration, late func()) (h handover, ok bool) {
	var expired <-chan time.Time
	if late != nil {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		expired = timer.C
	}
	for {
		select {
		case h := <-mine:
			return h, true
		case <-expired:
			expired = nil
			late()
		case <-ctx.Done():
			return h, false
		}
	}
}

// keepsReady reports whether the pool opens boxes without being asked.
func (p *pool) keepsReady() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.size > 0
}

func (p *pool) readyCount() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.ready)
}

// resize changes how many boxes are kept ready.
func (p *pool) resize(size int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.size = size
	for len(p.ready) > size {
		p.dropLocked(p.ready[0])
		p.ready = p.ready[1:]
	}
	p.refillLocked()
}

// close ends every box that was not handed out and waits for them.
func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	p.cancel()
	for _, b := range p.ready {
		p.dropLocked(b)
	}
	p.ready = nil
	for _, w := range p.waiters {
		w <- handover{err: errPoolClosed}
	}
	p.waiters = nil
	p.mu.Unlock()
	p.wg.Wait()
}

// refillLocked starts the openings that are missing.
func (p *pool) refillLocked() {
	wanted := p.size - len(p.ready) + len(p.waiters)
	most := max(p.openers, len(p.waiters))
	if p.closed || (p.backingOff && len(p.waiters) == 0) {
		return
	}
	for p.opening < min(wanted, most) {
		p.opening++
		p.wg.Go(p.openOne)
	}
}

func (p *pool) refillSoonLocked() {
	if p.refillScheduled || p.closed {
		return
	}
	p.refillScheduled = true
	p.wg.Go(func() {
		_ = sleep.For(p.ctx, refillAfter)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.refillScheduled = false
		p.refillLocked()
	})
}

func (p *pool) openOne() {
	ctx, cancel := context.WithTimeoutCause(p.ctx, openWithin, errors.New("sandbox: the box was not ready in time"))
	defer cancel()
	b, err := p.open(ctx)
	if err != nil && p.ctx.Err() == nil {
		p.failed(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.opening--
	if err != nil {
		p.openingFailedLocked(err)
		return
	}
	p.backoff = 0
	p.keepLocked(b)
	p.refillLocked()
}

// keepLocked gives the box to the first waiter or the ready boxes.
func (p *pool) keepLocked(b *Box) {
	switch {
	case p.closed:
		p.dropLocked(b)
	case len(p.waiters) > 0:
		p.waiters[0] <- handover{box: b}
		p.waiters = p.waiters[1:]
	case len(p.ready) >= p.size:
		p.dropLocked(b)
	default:
		p.ready = append(p.ready, b)
		p.wg.Go(func() { p.watch(b) })
	}
}

// watch replaces a ready box that died or grew old.
func (p *pool) watch(b *Box) {
	age := time.NewTimer(maxBoxAge)
	defer age.Stop()
	died := false
	select {
	case <-b.taken:
		return
	case <-p.ctx.Done():
		return
	case <-b.over:
		died = true
	case <-age.C:
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.ready, b)
	if i < 0 {
		return
	}
	p.ready = slices.Delete(p.ready, i, i+1)
	p.dropLocked(b)
	if died { // boxes that don't last must not be opened as fast as the machine can
		p.openingFailedLocked(errors.New("sandbox: a ready box died"))
		return
	}
	p.refillLocked()
}

// openingFailedLocked passes the error to the first waiter and backs off.
func (p *pool) openingFailedLocked(err error) {
	if len(p.waiters) > 0 {
		p.waiters[0] <- handover{err: err}
		p.waiters = p.waiters[1:]
	}
	if p.closed || p.backingOff {
		return
	}
	p.backoff = min(max(2*p.backoff, retryFirst), retryLast)
	p.backingOff = true
	wait := p.backoff
	p.wg.Go(func() { p.endBackoff(wait) })
}

func (p *pool) endBackoff(wait time.Duration) {
	if sleep.For(p.ctx, wait) != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.backingOff = false
	p.refillLocked()
}

func (p *pool) dropLocked(b *Box) { p.wg.Go(b.Close) }
