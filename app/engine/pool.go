package engine

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Times of the pool.
const (
	maxBoxAge  = 10 * time.Minute // an idle box older than this is replaced
	openWithin = 30 * time.Second // a box that is not ready by then never will be
	retryFirst = time.Second      // after a failed opening, doubled up to retryLast
	retryLast  = 30 * time.Second

	// refillAfter is how long a box that was taken is not replaced, unless somebody waits: most scripts are short, and an
	// interpreter that starts beside one takes the time from it.
	refillAfter = 30 * time.Millisecond
)

var errPoolClosed = errors.New("engine: the pool of boxes is closed")

// pool keeps boxes of one class started and waiting, so that an execution doesn't wait for an interpreter. A box in it has met no
// profile; it is handed out once and never comes back. One place opens boxes, in the background: whoever finds the pool empty waits
// for the next box that gets ready, whoever it was opened for. It is safe for concurrent use.
type pool struct {
	open    func(ctx context.Context) (*box, error)
	size    int // boxes kept ready
	openers int // at the same time, as long as nobody waits
	failed  func(error)

	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu      sync.Mutex
	warm    []*box // oldest first
	waiters []chan taken
	opening int
	retry   time.Duration // current back-off; 0 after a success
	pausing bool          // a back-off runs
	soon    bool          // a refill is coming
	closed  bool
}

type taken struct {
	box *box
	err error
}

func newPool(size, openers int, open func(context.Context) (*box, error), failed func(error)) *pool {
	ctx, cancel := context.WithCancel(context.Background())
	p := &pool{open: open, size: size, openers: max(openers, 1), failed: failed, ctx: ctx, cancel: cancel}
	p.mu.Lock()
	p.refill()
	p.mu.Unlock()
	return p
}

// take hands out a box: warm says that it was ready and waiting. The caller must run or close it. late, if any, is called once, by the time that the caller has
// waited for that long.
func (p *pool) take(ctx context.Context, patience time.Duration, late func()) (b *box, warm bool, err error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, false, errPoolClosed
	}
	if b := p.next(); b != nil {
		p.mu.Unlock()
		return b, true, nil
	}
	mine := make(chan taken, 1)
	p.waiters = append(p.waiters, mine)
	p.refill()
	p.mu.Unlock()
	if t, ok := await(ctx, mine, patience, late); ok {
		return t.box, false, t.err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.waiters, mine); i >= 0 {
		p.waiters = slices.Delete(p.waiters, i, i+1)
	} else if t := <-mine; t.box != nil {
		p.keep(t.box)
	}
	return nil, false, context.Cause(ctx)
}

// takeWaiting hands out a box if one is ready and waiting, else nil. The caller must run or close it.
func (p *pool) takeWaiting() *box {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.next()
}

// next is the oldest box that waits and lives, which is the caller's then, or nil. p.mu is held.
func (p *pool) next() *box {
	for len(p.warm) > 0 {
		b := p.warm[0]
		p.warm = p.warm[1:]
		close(b.taken)
		if b.healthy() {
			p.refillSoon()
			return b
		}
		p.drop(b)
	}
	return nil
}

// await waits for a box; ok is false if ctx ended before one came.
func await(ctx context.Context, mine <-chan taken, patience time.Duration, late func()) (t taken, ok bool) {
	if late != nil {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		select {
		case t := <-mine:
			return t, true
		case <-timer.C:
			late()
		case <-ctx.Done():
			return t, false
		}
	}
	select {
	case t := <-mine:
		return t, true
	case <-ctx.Done():
		return t, false
	}
}

// keeps reports whether boxes are kept ready, so that one will open without anybody asking for it.
func (p *pool) keeps() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.size > 0
}

// ready is how many boxes wait.
func (p *pool) ready() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.warm)
}

// resize changes how many boxes are kept ready.
func (p *pool) resize(size int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.size = size
	for len(p.warm) > size {
		p.drop(p.warm[0])
		p.warm = p.warm[1:]
	}
	p.refill()
}

// close ends every box that was not handed out and returns when they are gone.
func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	p.cancel()
	for _, b := range p.warm {
		p.drop(b)
	}
	p.warm = nil
	for _, w := range p.waiters {
		w <- taken{err: errPoolClosed}
	}
	p.waiters = nil
	p.mu.Unlock()
	p.wg.Wait()
}

// refill starts as many openings as are wanted. p.mu is held.
func (p *pool) refill() {
	wanted := p.size - len(p.warm) + len(p.waiters)
	most := max(p.openers, len(p.waiters))
	if p.closed || (p.pausing && len(p.waiters) == 0) {
		return
	}
	for p.opening < min(wanted, most) {
		p.opening++
		p.wg.Go(p.openOne)
	}
}

// refillSoon is refill a moment later. p.mu is held.
func (p *pool) refillSoon() {
	if p.soon || p.closed {
		return
	}
	p.soon = true
	p.wg.Go(func() {
		_ = pause(p.ctx, refillAfter)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.soon = false
		p.refill()
	})
}

func (p *pool) openOne() {
	ctx, cancel := context.WithTimeoutCause(p.ctx, openWithin, errors.New("engine: the sandbox was not ready in time"))
	defer cancel()
	b, err := p.open(ctx)
	if err != nil && p.ctx.Err() == nil {
		p.failed(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.opening--
	if err != nil {
		p.openingFailed(err)
		return
	}
	p.retry = 0
	p.keep(b)
	p.refill()
}

// keep gives the box to whoever waits longest, or lets it wait itself. p.mu is held.
func (p *pool) keep(b *box) {
	switch {
	case p.closed:
		p.drop(b)
	case len(p.waiters) > 0:
		p.waiters[0] <- taken{box: b}
		p.waiters = p.waiters[1:]
	case len(p.warm) >= p.size:
		p.drop(b)
	default:
		p.warm = append(p.warm, b)
		p.wg.Go(func() { p.mind(b) })
	}
}

// mind replaces a waiting box that died or grew old.
func (p *pool) mind(b *box) {
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
	i := slices.Index(p.warm, b)
	if i < 0 {
		return
	}
	p.warm = slices.Delete(p.warm, i, i+1)
	p.drop(b)
	if died { // boxes that don't last must not be opened as fast as the machine can
		p.openingFailed(errors.New("engine: a waiting box died"))
		return
	}
	p.refill()
}

// openingFailed tells the first waiter and holds back for a while. p.mu is held.
func (p *pool) openingFailed(err error) {
	if len(p.waiters) > 0 {
		p.waiters[0] <- taken{err: err}
		p.waiters = p.waiters[1:]
	}
	if p.closed || p.pausing {
		return
	}
	p.retry = min(max(2*p.retry, retryFirst), retryLast)
	p.pausing = true
	wait := p.retry
	p.wg.Go(func() { p.holdBack(wait) })
}

func (p *pool) holdBack(wait time.Duration) {
	if pause(p.ctx, wait) != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pausing = false
	p.refill()
}

// drop ends a box in the background. p.mu is held.
func (p *pool) drop(b *box) { p.wg.Go(b.close) }
