package sandboxtest

import (
	"testing"
	"time"

	"github.com/computclaw/airlock/plugins"
)

type held struct {
	id   string
	up   <-chan struct{} // closed once it has printed something
	end  func()          // lets the guest end
	done <-chan result
}

func (b *bench) hold(t *testing.T, code string) held {
	t.Helper()
	o := python(code)
	o.Hold = true
	stdin, end := order(o)
	stdout, up := awaitUp()
	spec := plugins.Spec{ID: "box-" + token(), Limits: limits()}
	done := make(chan result, 1)
	go func() {
		exit, err := b.sandbox.Run(t.Context(), spec, stdin, stdout)
		done <- result{Exit: exit, err: err}
	}()
	return held{spec.ID, up, end, done}
}

// usage asks the backend for a box's usage through a client that passes questions on.
func (b *bench) usage(t *testing.T, id string) (plugins.Usage, error) {
	t.Helper()
	m, ok := b.sandbox.(plugins.Meter)
	if !ok {
		t.Fatalf("the suite needs a client that passes on what a box has used, not %T", b.sandbox)
	}
	return m.Usage(t.Context(), id)
}

// measures reports whether the backend has to say what an open box has used.
func (b *bench) measures() bool { return b.opts.Measures && b.report.Enforced["memory"] == "cgroup" }

// measure asks for a box's usage, repeatedly if the backend measures: some find the counters late.
// ended is the box's end, if it came meanwhile.
func (b *bench) measure(t *testing.T, h held) (used plugins.Usage, ended *result, err error) {
	t.Helper()
	used, err = b.usage(t, h.id)
	for deadline := time.Now().Add(patience); b.measures() && err != nil && time.Now().Before(deadline); used,
		err = b.usage(t, h.id) {
		select {
		case r := <-h.done:
			return used, &r, err
		case <-time.After(5 * time.Millisecond):
		}
	}
	return used, nil, err
}

func usageWhileOpen(t *testing.T, b *bench) {
	if used, err := b.usage(t, "box-"+token()); err == nil {
		t.Errorf("a box that was never there has used %+v", used)
	}
	const large = 48 << 20
	h := b.hold(t, "x = bytearray(48 << 20)\nfor i in range(0, len(x), 4096): x[i] = 1\nprint('done', flush=True)")
	awaitBox(t, h.up, h.done)
	measures := b.measures()
	used, ended, err := b.measure(t, h)
	switch {
	case ended != nil:
		t.Fatalf("the box ended: %+v", ended)
	case !measures && err == nil:
		t.Errorf("a backend that doesn't measure says %+v", used)
	case measures && (err != nil || used.PeakMemory < large || used.CPUTime <= 0 || used.LimitHit):
		t.Errorf("a box that took %d bytes has used %+v, %v", large, used, err)
	}
	h.end()
	r := receive(t, "end", h.done, patience)
	if r.err != nil || r.Reason != plugins.ReasonExit ||
		measures && (r.PeakMemory < used.PeakMemory || r.CPUTime < used.CPUTime) {
		t.Errorf("it had used %+v, and ended as %+v, %v", used, r.Exit, r.err)
	}
	if used, err := b.usage(t, h.id); err == nil {
		t.Errorf("a box that is gone has used %+v", used)
	}
}

// refusedForks and killedChild are scripts that end well although a limit refused or ended
// something.
const (
	refusedForks = `
import os, time
try:
    for _ in range(1000):
        if os.fork() == 0: time.sleep(10000)
except OSError: print('refused', flush=True)`
	killedChild = `
import os
child = os.fork()
if child == 0:
    x = bytearray(1 << 30)
    for i in range(0, len(x), 4096): x[i] = 1
    os._exit(0)
os.waitpid(child, 0)
print('survived', flush=True)`
)

// usageTellsOfLimits checks that usage shows a hit limit. If the box ends as a whole there is none
// to ask about.
func usageTellsOfLimits(t *testing.T, b *bench) {
	for _, code := range []string{refusedForks, killedChild} {
		h := b.hold(t, code)
		select {
		case <-h.up:
			used, ended, err := b.measure(t, h)
			if ended != nil {
				h.end()
				wantWholeEnd(t, code, *ended)
				continue
			}
			if b.measures() && err != nil || err == nil && !used.LimitHit {
				t.Errorf("after %s: %+v, %v", code, used, err)
			}
			h.end()
			receive(t, "end", h.done, patience)
		case r := <-h.done:
			h.end()
			wantWholeEnd(t, code, r)
		}
	}
}

func wantWholeEnd(t *testing.T, code string, r result) {
	t.Helper()
	if r.err != nil || r.Reason == plugins.ReasonExit {
		t.Errorf("after %s: %+v, %v", code, r.Exit, r.err)
	}
}
