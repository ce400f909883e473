package runner_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/engine/enginetest"
	"github.com/computclaw/airlock/app/guest/guesttest"
	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/store"
)

// slowToGo is play whose boxes stay until gone is closed, whatever is done to them.
func slowToGo(gone <-chan struct{}) func(context.Context, plugins.Spec, io.Reader, io.Writer) (plugins.Exit, error) {
	return func(ctx context.Context, spec plugins.Spec, stdin io.Reader, stdout io.Writer) (plugins.Exit, error) {
		exit, err := guesttest.Play(ctx, spec, stdin, stdout)
		<-gone
		return exit, err
	}
}

// slowWorld has one run slot, no waiting boxes, and boxes that stay until gone is closed.
func slowWorld(t *testing.T, gone <-chan struct{}) *world {
	w := newUnstarted(t)
	w.Fake.SetGuest(slowToGo(gone))
	w.Fake.SetUsage(enginetest.Measured)
	w.StartEngine(func(c *engine.Config) { c.Workers, c.Pool = 1, -1 })
	return w
}

func (w *world) boxesOpen() int {
	open, _ := w.Fake.Open()
	return open
}

// An end is stored before its box is gone; the box keeps its slot until then.
func TestAnEndIsToldBeforeItsBoxIsGone(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	w := slowWorld(t, gone)
	x, out := w.Finished("print hello\nresult 41", app.StatusCompleted)
	if x.PeakMemory != enginetest.MeasuredPeak || x.CPUTime != enginetest.MeasuredTime || out.Stdout != "hello\n" ||
		string(out.Result) != "41" {
		t.Errorf("%+v %+v", x, out)
	}
	if w.boxesOpen() != 1 {
		t.Errorf("%d boxes are open", w.boxesOpen())
	}
	if w.Scheduler.FreeSlots() > 0 {
		t.Error("the slot is free while the box is there")
	}
	_, err := w.Controller.Cancel(t.Context(), x.ID, enginetest.Agent)
	enginetest.WantCode(t, err, app.CodeAlreadyEnded)
	second := w.Send("exit 3")
	close(gone)
	if second = w.Until(second, app.StatusError); !strings.Contains(second.Error, "exit code 3") {
		t.Errorf("%+v", second)
	}
	if x, err = w.Reader.ByID(t.Context(), x.ID); err != nil || x.Status != app.StatusCompleted {
		t.Errorf("%+v, %v", x, err)
	}
}

// With a free slot, a box is removed after its end was delivered. An end that can't be stored
// doesn't keep it.
func TestABoxDoesNotWaitForAnEndThatCantBeStored(t *testing.T) {
	t.Parallel()
	w := newUnstarted(t)
	asked, answer := make(chan struct{}), make(chan struct{})
	w.Fake.SetUsage(func(id string) (plugins.Usage, error) {
		close(asked)
		<-answer
		return enginetest.Measured(id)
	})
	w.StartEngine(func(c *engine.Config) { c.Workers, c.Pool = 2, -1 })
	x := w.Send("result 1")
	<-asked
	r := w.Runner.Find(x.Handle)
	err := w.Store.Write(t.Context(), func(*store.Tx) error { // nothing else can be stored meanwhile
		close(answer)
		for w.boxesOpen() > 0 {
			time.Sleep(time.Millisecond)
		}
		select {
		case <-r.Done():
			t.Error("the end was told without being stored")
		default:
		}
		return nil
	})
	w.Must(err)
	w.Until(x, app.StatusCompleted)
}

func TestCloseWaitsForBoxesOfEndedExecutions(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	w := slowWorld(t, gone)
	w.Finished("result 1", app.StatusCompleted)
	closed := make(chan error)
	go func() { closed <- w.Close(context.WithoutCancel(t.Context())) }()
	enginetest.Within(t, func() bool { return w.Health().Stopping }) // Close has begun
	select {
	case err := <-closed:
		t.Errorf("closed while a box was open: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	close(gone)
	w.Must(<-closed)
	if w.boxesOpen() != 0 {
		t.Errorf("%d boxes are open", w.boxesOpen())
	}
}

// A backend that lost its box after the script's end had the script reported as lost. An agent
// would have run it again.
func TestALostBoxDoesNotUndoTheEndOfItsScript(t *testing.T) {
	t.Parallel()
	w := newUnstarted(t)
	w.Fake.SetUsage(enginetest.Unmeasured)
	w.Fake.SetGuest(func(ctx context.Context, spec plugins.Spec, stdin io.Reader, stdout io.Writer) (plugins.Exit, error) {
		_, err := guesttest.Play(ctx, spec, stdin, stdout)
		return plugins.Exit{Reason: plugins.ReasonKilled}, errors.Join(err, plugins.ErrLost)
	})
	w.StartEngine(func(c *engine.Config) { c.Pool = -1 })
	if _, out := w.Finished("print hello\nresult 41", app.StatusCompleted); string(out.Result) != "41" ||
		out.Stdout != "hello\n" {
		t.Errorf("%+v", out)
	}
	for _, tt := range []struct {
		script string
		usage  func(string) (plugins.Usage, error)
		says   string
	}{
		{"exit 3", enginetest.Unmeasured, "exit code 3"},
		{"signal 9", enginetest.Unmeasured, "sandbox was lost"}, // a limit's, perhaps: only the box could have told
		{"result 1", enginetest.Limited, "sandbox was lost"},
	} {
		w.Fake.SetUsage(tt.usage)
		if x, _ := w.Finished(tt.script, app.StatusError); !strings.Contains(x.Error, tt.says) {
			t.Errorf("%s: %+v", tt.script, x)
		}
	}
}

func TestEndsThatAreNotCertainWaitForTheBox(t *testing.T) {
	t.Parallel()
	oom := plugins.Exit{Reason: plugins.ReasonOOM, PeakMemory: 9 << 20}
	tests := []struct {
		name, script string
		usage        func(string) (plugins.Usage, error)
		exit         plugins.Exit
		status       app.Status
		says         string
		peak         int64
	}{
		{"the backend doesn't measure", "result 1", enginetest.Unmeasured,
			plugins.Exit{Reason: plugins.ReasonExit, PeakMemory: 9 << 20}, app.StatusCompleted, "", 9 << 20},
		{"a limit was hit", "result 1", enginetest.Limited, oom, app.StatusError, "AIRLOCK_LIMIT_MEMORY", 9 << 20},
		{"a signal ended it", "signal 9", enginetest.Measured, oom, app.StatusError, "AIRLOCK_LIMIT_MEMORY", 9 << 20},
		{"the guest broke off", "garbage", enginetest.Measured, oom, app.StatusError, "broke the channel", 0},
		// and its box had to be killed
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newUnstarted(t)
			w.Fake.SetUsage(tt.usage)
			w.Fake.SetGuest(func(ctx context.Context, spec plugins.Spec, stdin io.Reader,
				stdout io.Writer) (plugins.Exit,
				error) {
				_, err := guesttest.Play(ctx, spec, stdin, stdout)
				return tt.exit, err
			})
			w.StartEngine(func(c *engine.Config) { c.Pool = -1 })
			x, _ := w.Finished(tt.script, tt.status)
			if !strings.Contains(x.Error, tt.says) || x.PeakMemory != tt.peak {
				t.Errorf("%+v", x)
			}
		})
	}
}
