package sandboxtest

import (
	"context"
	"testing"
	"time"

	"github.com/computclaw/airlock/plugins"
)

// checkCutShort asserts that a cancelled Check keeps the open box and the opening of others
// working. It leaves nothing else.
func checkCutShort(t *testing.T, b *bench) {
	ctx, end := context.WithCancel(t.Context())
	defer end()
	stdout, up := awaitUp()
	done := b.start(ctx, plugins.Spec{}, sleeper(token()), stdout)
	awaitBox(t, up, done)
	delays := []time.Duration{50 * time.Millisecond, 0, 300 * time.Millisecond}
	for _, after := range delays[:b.pick(1, 3, 3)] {
		if report, err := b.sandbox.Check(Late(t.Context(), after), b.cfg); err != nil || !report.Ready {
			t.Errorf("a check that had %s on a late timer: %v, %s", after, err, report.Reason)
		}
		if r := b.run(t, plugins.Spec{}, python("print('fine')")); r.out != "fine\n" {
			t.Errorf("after %s on a late timer a box printed %q", after, r.out)
		}
		short, cancel := context.WithTimeout(t.Context(), after)
		// some are done in time
		if report, err := b.sandbox.Check(short, b.cfg); err == nil && (after == 0 || !report.Ready) {
			t.Errorf("a check that had %s returned %+v and no error", after, report)
		}
		cancel()
		if r := b.run(t, plugins.Spec{}, python("print('fine')")); r.out != "fine\n" {
			t.Errorf("after %s a box printed %q", after, r.out)
		}
	}
	select {
	case r := <-done:
		t.Fatalf("the open box ended: %+v, error %v", r.Exit, r.err)
	default:
	}
	end()
	wantKilled(t, receive(t, "exit", done, patience))
	delays = []time.Duration{150 * time.Millisecond, 50 * time.Millisecond, 300 * time.Millisecond}
	for _, after := range delays[:b.pick(1, 3, 3)] {
		short, cancel := context.WithTimeout(t.Context(), after)
		if report, err := b.sandbox.Check(short, b.cfg); err == nil && !report.Ready {
			t.Errorf("a check that had %s: %s", after, report.Reason)
		}
		cancel()
		b.nothingLeft(t) // of its boxes, and at once
	}
}

// Late returns a context whose deadline passes without its timer firing, as under load. A remote
// side that knew the deadline would time out first.
func Late(ctx context.Context, after time.Duration) context.Context {
	return late{ctx, time.Now().Add(after)}
}

type late struct {
	context.Context
	deadline time.Time
}

func (l late) Deadline() (time.Time, bool) { return l.deadline, true }
