package sandbox

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/guest"
	"github.com/computclaw/airlock/app/guest/guesttest"
	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/fake"
)

// opener opens empty boxes. The multiplexer of real ones keeps timers, which a synctest bubble
// forbids.
type opener struct {
	mu       sync.Mutex
	mode     string // "", "fail" or "hang"
	boxes    []*Box
	failures int
}

func (o *opener) set(mode string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.mode = mode
}

func (o *opener) open(ctx context.Context) (*Box, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	ended := make(chan struct{})
	b := &Box{id: app.NewID(), over: ended, taken: make(chan struct{}), ended: ended,
		kill: sync.OnceFunc(func() { close(ended) })}
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

// counts returns how many boxes were opened and how many still are.
func (o *opener) counts() (opened, open int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, b := range o.boxes {
		if b.Healthy() {
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
	t.Parallel()
	inBubble(t, 3, "", func(t *testing.T, p *pool, o *opener) {
		if p.readyCount() != 3 {
			t.Fatalf("%d boxes are ready", p.readyCount())
		}
		b, warm, err := p.take(t.Context(), 0, nil)
		if err != nil || !warm {
			t.Fatal(warm, err)
		}
		time.Sleep(refillAfter)
		synctest.Wait()
		if _, open := o.counts(); p.readyCount() != 3 || open != 4 {
			t.Errorf("%d ready, %d open", p.readyCount(), open)
		}
		b.Close()
	})
}

func TestPoolOfNone(t *testing.T) {
	t.Parallel()
	inBubble(t, 0, "", func(t *testing.T, p *pool, o *opener) {
		if opened, _ := o.counts(); opened != 0 {
			t.Fatalf("%d boxes were opened for nobody", opened)
		}
		b, warm, err := p.take(t.Context(), 0, nil)
		if err != nil || warm {
			t.Fatal(warm, err)
		}
		b.Close()
	})
}

func TestPoolReplacesOldAndDeadBoxes(t *testing.T) {
	t.Parallel()
	inBubble(t, 2, "", func(t *testing.T, p *pool, o *opener) {
		time.Sleep(maxBoxAge + time.Second)
		synctest.Wait()
		if opened, open := o.counts(); opened != 4 || open != 2 || p.readyCount() != 2 {
			t.Fatalf("opened %d, open %d, ready %d", opened, open, p.readyCount())
		}
		o.boxes[2].kill()
		synctest.Wait()
		time.Sleep(retryFirst)
		synctest.Wait()
		b, _, err := p.take(t.Context(), 0, nil)
		if err != nil || b == o.boxes[0] || b == o.boxes[1] || b == o.boxes[2] {
			t.Error("an old or dead box was handed out", err)
		}
		b.Close()
	})
}

// The pool backs off when boxes can't be opened, and tells waiters.
func TestPoolBacksOff(t *testing.T) {
	t.Parallel()
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
		if p.readyCount() != 2 {
			t.Errorf("%d ready after the backend recovered", p.readyCount())
		}
	})
}

func TestPoolBoxesThatNeverGetReady(t *testing.T) {
	t.Parallel()
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

// No box is handed out twice.
func TestPoolSingleUse(t *testing.T) {
	t.Parallel()
	backend := fake.New(t, guesttest.Play)
	p := newPool(3, 1, func(ctx context.Context) (*Box,
		error) {
		return openBox(ctx, backend, plugins.Spec{}, guest.Boot{})
	}, func(err error) { t.Error(err) })
	var mu sync.Mutex
	seen := map[string]bool{}
	note := func(b *Box) {
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
			// open until the next one is there: a closed box would not be handed out again
			var last *Box
			for range 10 {
				b, _, err := p.take(t.Context(), 0, nil)
				if err != nil {
					t.Error(err)
					return
				}
				note(b)
				if last != nil {
					last.Close()
				}
				last = b
			}
			last.Close()
		})
	}
	wg.Wait()
	// So far most took a cold box. These were all ready.
	for range 5 {
		for deadline := time.Now().Add(time.Minute); p.readyCount() < 3; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%d boxes are ready, want 3", p.readyCount())
			}
		}
		first, warm, err := p.take(t.Context(), 0, nil)
		if err != nil || !warm {
			t.Fatal(warm, err)
		}
		second, third := p.takeReady(), p.takeReady()
		if second == nil || third == nil {
			t.Fatal("a box that was ready is not there")
		}
		for _, b := range []*Box{first, second, third} {
			note(b)
		}
		for _, b := range []*Box{first, second, third} {
			b.Close()
		}
	}
	p.close()
	if open, _ := backend.Open(); open != 0 {
		t.Errorf("%d boxes are left", open)
	}
}
