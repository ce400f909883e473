package bubblewrap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/computclaw/airlock/plugins"
)

// renewAfter is how many boxes one template makes. They share an address layout, so a leak from one
// would help the next.
const renewAfter = 1000

// mostAtOnce is how many open boxes one template may have. Its guests hold memory and descriptors
// for each, and all boxes end if those run out.
func mostAtOnce() int64 { return max(64, 8*int64(runtime.NumCPU())) }

// restAfter is how long boxes are opened afresh after a template failed.
const restAfter = 10 * time.Second

// templates keep one template in use. Its methods may be called concurrently.
type templates struct {
	host   *host
	boxes  *plugins.Boxes[*meter] // where a template's group is entered as if it were a box's
	number *atomic.Uint32         // of the last template
	renew  int                    // boxes of one template
	most   int                    // of them open at a time
	log    io.Writer

	ctx    context.Context // ends when nothing more is started
	cancel context.CancelFunc
	starts sync.WaitGroup // under way

	mu       sync.Mutex
	current  *template
	starting chan struct{} // closed when the start of current is over; nil if there is none
	next     bool          // is being started
	imports  imports
	rest     time.Time // no template is started before
	last     error     // why one failed
	retired  bool
}

// imports are modules that templates are to have loaded.
type imports struct {
	wanted []string // by the boxes that were asked for last
	tried  []string // what was wanted when a template last tried them
	usable []string // those of tried that templates can load
}

func (b *Backend) newTemplates(h *host) *templates {
	ts := &templates{host: h, boxes: &b.boxes, number: b.number, renew: renewAfter, most: int(mostAtOnce()),
		log: b.log}
	ts.ctx, ts.cancel = context.WithCancel(context.Background())
	return ts
}

// errNoTemplate means that a box opens afresh, without a report.
var errNoTemplate = errors.New("no template for this box")

// take returns the template in use; the caller must release it after the box's end. The next
// template tries wanted modules that are new.
func (ts *templates) take(ctx context.Context, wanted []string) (*template, error) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if err := ts.readyLocked(ctx); err != nil {
		return nil, err
	}
	ts.current.boxes++
	ts.current.users++
	if len(wanted) > 0 {
		ts.imports.wanted = wanted
	}
	ts.lookAheadLocked()
	return ts.current, nil
}

// readyLocked returns once there is a current template, which it starts or waits for. It releases
// the lock meanwhile.
func (ts *templates) readyLocked(ctx context.Context) error {
	for {
		if t := ts.current; t != nil && (t.boxes >= ts.renew || t.users >= ts.most) {
			ts.retireLocked()
		}
		var err error
		switch {
		case ts.retired || time.Now().Before(ts.rest):
			return errNoTemplate
		case ts.current != nil:
			return nil
		case ts.starting != nil:
			err = ts.awaitStartLocked(ctx)
		default:
			err = ts.startLocked(ctx)
		}
		if err != nil && !ts.retired {
			return err
		}
	}
}

func (ts *templates) awaitStartLocked(ctx context.Context) error {
	starting := ts.starting
	if starting == nil {
		return nil
	}
	ts.mu.Unlock()
	defer ts.mu.Lock()
	select {
	case <-starting:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// startLocked starts the current template. Nothing else may be starting it.
func (ts *templates) startLocked(ctx context.Context) error {
	starting, usable := make(chan struct{}), ts.imports.usable
	ts.starting = starting
	ts.starts.Add(1)
	defer ts.starts.Done()
	ts.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(ts.ctx, cancel)()
	t, err := ts.start(ctx, usable, true)
	ts.mu.Lock()
	ts.current, ts.starting = t, nil
	close(starting)
	if err != nil && ctx.Err() == nil {
		ts.failedLocked(err)
	}
	return err
}

// lookAheadLocked starts the next template early if it is soon needed. Loading modules takes a
// while.
func (ts *templates) lookAheadLocked() {
	i := ts.imports
	changed := !slices.Equal(i.wanted, i.tried)
	ending := len(i.usable) > 0 && ts.current.boxes > ts.renew-ts.renew/10
	if ts.next || !changed && !ending {
		return
	}
	ts.next = true
	ts.starts.Go(func() {
		var t *template
		var err error
		if changed {
			t, err = ts.start(ts.ctx, i.wanted, false)
		} else {
			t, err = ts.start(ts.ctx, i.usable, true)
		}
		ts.mu.Lock()
		defer ts.mu.Unlock()
		_ = ts.awaitStartLocked(context.Background()) // which would put its own in place of this one
		ts.next = false
		if changed && ts.ctx.Err() == nil {
			ts.triedLocked(i.wanted, t, err)
		}
		switch {
		case err == nil:
			ts.retireLocked()
			ts.current = t
		case !changed && ts.ctx.Err() == nil:
			ts.failedLocked(err)
		}
	})
}

// triedLocked notes which modules a template could load; none if it failed.
func (ts *templates) triedLocked(wanted []string, t *template, err error) {
	ts.imports.tried, ts.imports.usable = wanted, nil
	if err != nil {
		fmt.Fprintf(ts.log, "[WARN] a template failed to load %s: %v\n", strings.Join(wanted, ", "), err)
		return
	}
	ts.imports.usable = t.loaded.Imports
	for module, why := range t.loaded.Refused {
		fmt.Fprintf(ts.log, "[INFO] templates don't load %s: %s\n", module, why)
	}
}

func (ts *templates) start(ctx context.Context, imports []string, tried bool) (*template, error) {
	id := "template-" + strconv.Itoa(int(ts.number.Add(1)))
	m := newMeter()
	close(m.over) // nobody may ask for its usage
	if err := ts.boxes.Enter(id, m); err != nil {
		return nil, err
	}
	t, err := ts.host.startTemplate(ctx, id, imports, tried)
	if err != nil {
		ts.boxes.Leave(id)
		return nil, err
	}
	t.ended = func() { ts.boxes.Leave(id) }
	return t, nil
}

// release takes a box off a template. The last box of a retired one ends it.
func (ts *templates) release(t *template) {
	ts.mu.Lock()
	t.users--
	over := t.users == 0 && t != ts.current
	ts.mu.Unlock()
	if over {
		t.end()
	}
}

// discardFailed puts a template out of use that didn't make a box.
func (ts *templates) discardFailed(t *template, err error) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.current == t {
		ts.current = nil
	}
	ts.failedLocked(err)
}

func (ts *templates) failedLocked(err error) {
	ts.rest, ts.last = time.Now().Add(restAfter), err
	fmt.Fprintf(ts.log, "[WARN] a template failed; boxes are opened afresh for %s: %v\n", restAfter, err)
}

// retire retires the host's template, if any. See templates.retire.
func (h *host) retire() {
	if h != nil && h.templates != nil {
		h.templates.retire()
	}
}

// retire ends the template in use after its last box, and starts no other. It waits for the end of
// one without boxes.
func (ts *templates) retire() {
	ts.mu.Lock()
	ts.retired = true
	ts.mu.Unlock()
	ts.cancel()
	ts.starts.Wait()
	ts.mu.Lock()
	ended := ts.retireLocked()
	ts.mu.Unlock()
	<-ended
}

// retireLocked takes the template out of use, and ends it if it has no boxes. ended is closed after
// that end, or at once.
func (ts *templates) retireLocked() (ended chan struct{}) {
	t := ts.current
	ts.current = nil
	ended = make(chan struct{})
	if t == nil || t.users > 0 {
		close(ended)
		return ended
	}
	go func() {
		defer close(ended)
		t.end()
	}()
	return ended
}

// failure is why a template failed, if one ever did.
func (ts *templates) failure() error {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return ts.last
}
