package engine

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/store"
)

const (
	measuredPeak = 7 << 20
	measuredTime = 30 * time.Millisecond
)

func measured(string) (plugins.Usage, error) {
	return plugins.Usage{PeakMemory: measuredPeak, CPUTime: measuredTime}, nil
}

func limited(string) (plugins.Usage, error) { return plugins.Usage{LimitHit: true}, nil }

func unmeasured(string) (plugins.Usage, error) {
	return plugins.Usage{}, errors.New("not measured here")
}

// slowToGo is play whose boxes stay until gone is closed, whatever is done to them.
func slowToGo(gone <-chan struct{}) func(context.Context, plugins.Spec, io.Reader, io.Writer) (plugins.Exit, error) {
	return func(ctx context.Context, spec plugins.Spec, stdin io.Reader, stdout io.Writer) (plugins.Exit, error) {
		exit, err := play(ctx, spec, stdin, stdout)
		<-gone
		return exit, err
	}
}

// slowWorld has one run slot, no boxes that wait, and boxes that stay until gone is closed.
func slowWorld(t *testing.T, gone <-chan struct{}) *world {
	w := newWorldWithout(t)
	w.fake.SetGuest(slowToGo(gone))
	w.fake.SetUsage(measured)
	w.startEngine(func(c *Config) { c.Workers, c.Pool = 1, -1 })
	return w
}

// boxesOpen is how many boxes there are.
func (w *world) boxesOpen() int {
	open, _ := w.fake.Open()
	return open
}

// A script's end is told before its box is gone, whose slot nobody else gets.
func TestAnEndIsToldBeforeItsBoxIsGone(t *testing.T) {
	gone := make(chan struct{})
	w := slowWorld(t, gone)
	x, out := w.finished("print hello\nresult 41", app.StatusCompleted)
	if x.PeakMemory != measuredPeak || x.CPUTime != measuredTime || out.Stdout != "hello\n" || string(out.Result) != "41" {
		t.Errorf("%+v %+v", x, out)
	}
	if w.boxesOpen() != 1 {
		t.Errorf("%d boxes are open", w.boxesOpen())
	}
	if w.slots.startNow() {
		t.Error("the slot is free while the box is there")
	}
	_, err := w.Cancel(t.Context(), x.ID, agent)
	wantCode(t, err, app.CodeAlreadyEnded)
	w.must(w.KillProfile(t.Context(), w.profile.Handle, profileRevoked))
	second := w.submit("exit 3")
	close(gone)
	if second = w.until(second, app.StatusError); !strings.Contains(second.Error, "exit code 3") {
		t.Errorf("%+v", second)
	}
	if x, err = w.Execution(t.Context(), x.ID); err != nil || x.Status != app.StatusCompleted {
		t.Errorf("%+v, %v", x, err)
	}
}

// Where there is a free slot a box is taken down behind the telling of its script's end, but one that can't be told doesn't keep it.
func TestABoxDoesNotWaitForAnEndThatCantBeStored(t *testing.T) {
	w := newWorldWithout(t)
	asked, answer := make(chan struct{}), make(chan struct{})
	w.fake.SetUsage(func(id string) (plugins.Usage, error) {
		close(asked)
		<-answer
		return measured(id)
	})
	w.startEngine(func(c *Config) { c.Workers, c.Pool = 2, -1 })
	x := w.submit("result 1")
	<-asked
	r := w.running(x.Handle)
	err := w.store.Write(t.Context(), func(*store.Tx) error { // nothing else can be stored meanwhile
		close(answer)
		for w.boxesOpen() > 0 {
			time.Sleep(time.Millisecond)
		}
		select {
		case <-r.done:
			t.Error("the end was told without being stored")
		default:
		}
		return nil
	})
	w.must(err)
	w.until(x, app.StatusCompleted)
}

func TestCloseWaitsForBoxesOfEndedExecutions(t *testing.T) {
	gone := make(chan struct{})
	w := slowWorld(t, gone)
	w.finished("result 1", app.StatusCompleted)
	closed := make(chan error)
	go func() { closed <- w.Close(context.WithoutCancel(t.Context())) }()
	<-w.ctx.Done() // Close has begun
	select {
	case err := <-closed:
		t.Errorf("closed while a box was open: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	close(gone)
	w.must(<-closed)
	if w.boxesOpen() != 0 {
		t.Errorf("%d boxes are open", w.boxesOpen())
	}
}

// dearLooks is a world whose redactor takes until enough is closed to look through what says dearly. It counts how many looks there are at once.
func dearLooks(t *testing.T, enough <-chan struct{}, change func(*Config)) (*world, *atomic.Int64) {
	w := newWorldWithout(t)
	var now, most atomic.Int64
	w.startEngine(change, func(c *Config) {
		c.Patterns = func(text string) []redact.Match {
			if strings.HasPrefix(text, "dearly") {
				n := now.Add(1)
				defer now.Add(-1)
				most.Store(max(most.Load(), n))
				<-enough
			}
			return nil
		}
	})
	return w, &most
}

// TestOutputIsLookedThroughWithASlot: a script's end gave its run slot away once its box was gone, and any number of outputs could be looked through at once, each for seconds.
func TestOutputIsLookedThroughWithASlot(t *testing.T) {
	enough := make(chan struct{})
	w, most := dearLooks(t, enough, func(c *Config) { c.Workers, c.Pool = 1, -1 })
	w.fake.SetUsage(measured)
	x := w.submit("print dearly\nresult 1")
	for deadline := time.Now().Add(10 * time.Second); (most.Load() == 0 || w.boxesOpen() > 0) && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(50 * time.Millisecond) // for whoever waits for the box
	if w.boxesOpen() > 0 || w.slots.startNow() {
		t.Errorf("%d boxes are open; the slot is free while the output is looked through", w.boxesOpen())
	}
	close(enough)
	w.until(x, app.StatusCompleted)
	w.slotsFree(1)
}

// TestParkedThatEndTogetherTakeTurns: executions that wait for an answer hold no run slot, and the outputs of all that were ended at once were looked through at once.
func TestParkedThatEndTogetherTakeTurns(t *testing.T) {
	enough := make(chan struct{})
	w, most := dearLooks(t, enough, func(c *Config) { c.Workers, c.Pool = 2, -1 })
	var all []app.Execution
	for range 6 {
		x := w.submit("print dearly\nask one")
		all = append(all, w.untilStatus(x, app.StatusAwaitingLLM))
	}
	var cancels sync.WaitGroup
	for _, x := range all {
		cancels.Go(func() { _, _ = w.Cancel(t.Context(), x.ID, agent) })
	}
	for deadline := time.Now().Add(10 * time.Second); most.Load() < 2 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(100 * time.Millisecond) // for the others
	close(enough)
	cancels.Wait()
	for _, x := range all {
		w.until(x, app.StatusCancelled)
	}
	if most.Load() != 2 {
		t.Errorf("%d outputs were looked through at once, with two slots", most.Load())
	}
}

// What only the box's end can tell is waited for.
func TestEndsThatAreNotCertainWaitForTheBox(t *testing.T) {
	oom := plugins.Exit{Reason: plugins.ReasonOOM, PeakMemory: 9 << 20}
	tests := []struct {
		name, script string
		usage        func(string) (plugins.Usage, error)
		exit         plugins.Exit
		status       app.Status
		says         string
		peak         int64
	}{
		{"the backend doesn't measure", "result 1", unmeasured, plugins.Exit{Reason: plugins.ReasonExit, PeakMemory: 9 << 20}, app.StatusCompleted, "", 9 << 20},
		{"a limit was hit", "result 1", limited, oom, app.StatusError, "AIRLOCK_LIMIT_MEMORY", 9 << 20},
		{"a signal ended it", "signal 9", measured, oom, app.StatusError, "AIRLOCK_LIMIT_MEMORY", 9 << 20},
		{"the guest broke off", "garbage", measured, oom, app.StatusError, "broke the channel", 0}, // and its box had to be killed
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorldWithout(t)
			w.fake.SetUsage(tt.usage)
			w.fake.SetGuest(func(ctx context.Context, spec plugins.Spec, stdin io.Reader, stdout io.Writer) (plugins.Exit, error) {
				_, err := play(ctx, spec, stdin, stdout)
				return tt.exit, err
			})
			w.startEngine(func(c *Config) { c.Pool = -1 })
			x, _ := w.finished(tt.script, tt.status)
			if !strings.Contains(x.Error, tt.says) || x.PeakMemory != tt.peak {
				t.Errorf("%+v", x)
			}
		})
	}
}
