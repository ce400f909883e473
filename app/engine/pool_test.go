package engine

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/guest"
	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/fake"
)

// opener opens boxes without anything in them: the multiplexer of real ones keeps timers for all sessions of a process, which a bubble forbids.
type opener struct {
	mu       sync.Mutex
	mode     string // "", "fail" or "hang"
	boxes    []*box
	failures int
}

func (o *opener) set(mode string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.mode = mode
}

func (o *opener) open(ctx context.Context) (*box, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	ended := make(chan struct{})
	b := &box{id: app.NewID(), over: ended, taken: make(chan struct{}), ended: ended, kill: sync.OnceFunc(func() { close(ended) })}
	o.boxes = append(o.boxes, b)
	switch o.mode {
	case "fail":
		b.kill()
		return nil, errors.New("no box today")
	case "hang":
		o.mu.Unlock()
		<-ctx.Done()
		o.mu.Lock()
		b.kill()
		return nil, context.Cause(ctx)
	}
	return b, nil
}

func (o *opener) failed(error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.failures++
}

// counts returns how many boxes were opened, and how many of them still are.
func (o *opener) counts() (opened, open int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, b := range o.boxes {
		if b.healthy() {
			open++
		}
	}
	return len(o.boxes), open
}

func inBubble(t *testing.T, size int, mode string, test func(t *testing.T, p *pool, o *opener)) {
	synctest.Test(t, func(t *testing.T) {
		o := &opener{mode: mode}
		p := newPool(size, 1, o.open, o.failed)
		synctest.Wait()
		test(t, p, o)
		p.close()
		if _, open := o.counts(); open != 0 {
			t.Errorf("%d boxes outlived the pool", open)
		}
	})
}

func TestPoolFillsAndRefills(t *testing.T) {
	inBubble(t, 3, "", func(t *testing.T, p *pool, o *opener) {
		if p.ready() != 3 {
			t.Fatalf("%d boxes are ready", p.ready())
		}
		b, warm, err := p.take(t.Context(), 0, nil)
		if err != nil || !warm {
			t.Fatal(warm, err)
		}
		time.Sleep(refillAfter)
		synctest.Wait()
		if _, open := o.counts(); p.ready() != 3 || open != 4 {
			t.Errorf("%d ready, %d open", p.ready(), open)
		}
		b.close()
	})
}

func TestPoolOfNone(t *testing.T) {
	inBubble(t, 0, "", func(t *testing.T, p *pool, o *opener) {
		if opened, _ := o.counts(); opened != 0 {
			t.Fatalf("%d boxes were opened for nobody", opened)
		}
		b, warm, err := p.take(t.Context(), 0, nil)
		if err != nil || warm {
			t.Fatal(warm, err)
		}
		b.close()
	})
}

func TestPoolReplacesOldAndDeadBoxes(t *testing.T) {
	inBubble(t, 2, "", func(t *testing.T, p *pool, o *opener) {
		time.Sleep(maxBoxAge + time.Second)
		synctest.Wait()
		if opened, open := o.counts(); opened != 4 || open != 2 || p.ready() != 2 {
			t.Fatalf("opened %d, open %d, ready %d", opened, open, p.ready())
		}
		o.boxes[2].kill()
		synctest.Wait()
		time.Sleep(retryFirst)
		synctest.Wait()
		b, _, err := p.take(t.Context(), 0, nil)
		if err != nil || b == o.boxes[0] || b == o.boxes[1] || b == o.boxes[2] {
			t.Error("an old or dead box was handed out", err)
		}
		b.close()
	})
}

// Boxes that can't be opened are not tried as fast as the machine can, and whoever waits is told.
func TestPoolBacksOff(t *testing.T) {
	inBubble(t, 2, "fail", func(t *testing.T, p *pool, o *opener) {
		time.Sleep(time.Minute)
		if opened, _ := o.counts(); opened > 10 || o.failures == 0 {
			t.Errorf("%d tries in a minute, %d told", opened, o.failures)
		}
		if _, _, err := p.take(t.Context(), 0, nil); err == nil {
			t.Error("a box that is none was handed out")
		}
		o.set("")
		time.Sleep(time.Minute)
		synctest.Wait()
		if p.ready() != 2 {
			t.Errorf("%d ready after the backend recovered", p.ready())
		}
	})
}

func TestPoolBoxesThatNeverGetReady(t *testing.T) {
	inBubble(t, 0, "hang", func(t *testing.T, p *pool, o *opener) {
		began := time.Now()
		if _, _, err := p.take(t.Context(), 0, nil); err == nil || time.Since(began) != openWithin {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.New("enough"))
		defer cancel()
		if _, _, err := p.take(ctx, 0, nil); err == nil || err.Error() != "enough" {
			t.Errorf("given up with %v", err)
		}
	})
}

// No box is handed out twice, whoever asks when.
func TestPoolSingleUse(t *testing.T) {
	sandbox := fake.New(t, play)
	p := newPool(3, 1, func(ctx context.Context) (*box, error) { return openBox(ctx, sandbox, plugins.Spec{}, guest.Boot{}) }, func(err error) { t.Error(err) })
	var mu sync.Mutex
	seen := map[string]bool{}
	note := func(b *box) {
		mu.Lock()
		defer mu.Unlock()
		if seen[b.id] {
			t.Errorf("box %s was handed out twice", b.id)
		}
		seen[b.id] = true
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			var last *box // open until the next one is there: a box that is closed would not be handed out again, whatever the pool thinks of it
			for range 10 {
				b, _, err := p.take(t.Context(), 0, nil)
				if err != nil {
					t.Error(err)
					return
				}
				note(b)
				if last != nil {
					last.close()
				}
				last = b
			}
			last.close()
		})
	}
	wg.Wait()
	// So far nearly everybody waited for a box. These were all ready.
	for range 5 {
		for deadline := time.Now().Add(time.Minute); p.ready() < 3; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%d boxes are ready, want 3", p.ready())
			}
		}
		first, warm, err := p.take(t.Context(), 0, nil)
		if err != nil || !warm {
			t.Fatal(warm, err)
		}
		second, third := p.takeWaiting(), p.takeWaiting()
		if second == nil || third == nil {
			t.Fatal("a box that was ready is not there")
		}
		for _, b := range []*box{first, second, third} {
			note(b)
		}
		for _, b := range []*box{first, second, third} {
			b.close()
		}
	}
	p.close()
	if open, _ := sandbox.Open(); open != 0 {
		t.Errorf("%d boxes are left", open)
	}
}

// The worker count is a cap, and each execution has a box of its own.
func TestWorkersAndBoxes(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.Workers, c.Pool = 3, 2 })
	var list []app.Execution
	for range 20 {
		list = append(list, w.submit("print x\nresult 1"))
	}
	for _, x := range list {
		w.until(x, app.StatusCompleted)
	}
	if opened := len(w.fake.Opened()); opened < 20 || opened > 25 {
		t.Errorf("%d boxes for 20 executions", opened)
	}
	if _, peak := w.fake.Open(); peak > 3+2+2 { // running, waiting, and being cleared away or opened
		t.Errorf("%d boxes at once", peak)
	}
}

func TestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var expired atomic.Bool
		c := newClock(10*time.Second, func() { expired.Store(true) })
		time.Sleep(time.Minute)
		c.resume()
		time.Sleep(6 * time.Second)
		c.pause()
		time.Sleep(time.Minute)
		c.resume()
		c.resume()
		time.Sleep(3 * time.Second)
		synctest.Wait()
		if expired.Load() {
			t.Fatal("expired early")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if !expired.Load() {
			t.Fatal("not expired")
		}
		if used := c.stop(); used != 11*time.Second {
			t.Errorf("used %v", used)
		}
		c.resume()
		if used := c.stop(); used != 11*time.Second {
			t.Errorf("used %v after the stop", used)
		}
	})
}

func TestSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlots(1)
		if err := s.start(t.Context()); err != nil {
			t.Fatal(err)
		}
		var order []string
		var mu sync.Mutex
		note := func(name string, acquire func(context.Context) error) {
			if acquire(t.Context()) != nil {
				return
			}
			mu.Lock()
			order = append(order, name)
			mu.Unlock()
			s.release()
		}
		go note("new", s.start)
		synctest.Wait()
		resume := func(ctx context.Context) error { return s.resume(ctx, "a") }
		go note("resumed", resume)
		ctx, cancel := context.WithCancel(t.Context())
		gone := make(chan error, 1)
		go func() { gone <- resume(ctx) }()
		synctest.Wait()
		cancel()
		if err := <-gone; err == nil {
			t.Fatal("a slot for somebody who left")
		}
		s.release()
		synctest.Wait()
		if !slices.Equal(order, []string{"resumed", "new"}) {
			t.Errorf("order %v", order)
		}
		if s.free != 1 {
			t.Errorf("%d slots are free", s.free)
		}
	})
}
