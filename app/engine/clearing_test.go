package engine

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/plugins"
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

func TestCloseWaitsForBoxesOfEndedExecutions(t *testing.T) {
	gone := make(chan struct{})
	w := slowWorld(t, gone)
	w.finished("result 1", app.StatusCompleted)
	context.AfterFunc(w.ctx, func() { close(gone) }) // which Close has ended
	w.must(w.Close(t.Context()))
	if w.boxesOpen() != 0 {
		t.Errorf("%d boxes are open", w.boxesOpen())
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
	}{
		{"the backend doesn't measure", "result 1", unmeasured, plugins.Exit{Reason: plugins.ReasonExit, PeakMemory: 9 << 20}, app.StatusCompleted, ""},
		{"a limit was hit", "result 1", limited, oom, app.StatusError, "AIRLOCK_LIMIT_MEMORY"},
		{"a signal ended it", "signal 9", measured, oom, app.StatusError, "AIRLOCK_LIMIT_MEMORY"},
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
			if !strings.Contains(x.Error, tt.says) || x.PeakMemory != 9<<20 {
				t.Errorf("%+v", x)
			}
		})
	}
}
