package engine

import (
	"context"
	"sync"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/redact"
)

// nudgeEvery bounds how often new output is told.
const nudgeEvery = 200 * time.Millisecond

// run is one execution from its claim until its row is terminal.
type run struct {
	e      *Engine
	x      app.Execution // as claimed
	ctx    context.Context
	cancel context.CancelCauseFunc
	clock  *clock
	turn   chan struct{} // held by the one question that may be open
	done   chan struct{} // the row is terminal; status is set
	status app.Status
	box    *box // likewise

	mu       sync.Mutex
	red      *redact.Redactor
	stdout   *capture // nil until the script is about to start
	stderr   *capture
	egress   *egress.Session
	slot     bool      // holds a run slot
	question *question // the open one
	asked    int
	llmTime  time.Duration
	answers  answers
	masked   map[string]int // places by channel, besides those of stdout and stderr
	started  time.Time      // the script was sent
	first    time.Time      // first output
	nudging  *time.Timer
}

func newRun(e *Engine, x app.Execution) *run {
	r := &run{e: e, x: x, turn: make(chan struct{}, 1), done: make(chan struct{}), slot: true, masked: map[string]int{}, red: redact.New(nil)}
	r.ctx, r.cancel = context.WithCancelCause(context.Background())
	r.clock = newClock(x.Timeout, func() { r.stop(stopTimeout(x.Timeout, e.cfg.TimeoutMax)) })
	return r
}

// stop ends the execution; the first cause counts. It doesn't wait: see done.
func (r *run) stop(cause *stop) { r.cancel(cause) }

// clean redacts a text for the record and counts what was masked.
func (r *run) clean(channel, text string) redact.Clean {
	r.mu.Lock()
	defer r.mu.Unlock()
	clean, n := r.red.Text(text)
	r.masked[channel] += n
	return clean
}

// cleanCut is clean for a text whose end may have been cut off.
func (r *run) cleanCut(channel, text string) redact.Clean {
	r.mu.Lock()
	defer r.mu.Unlock()
	clean, n := r.red.Cut(text)
	r.masked[channel] += n
	return clean
}

// output is what may be shown so far.
func (r *run) output() app.Output {
	r.mu.Lock()
	stdout, stderr := r.stdout, r.stderr
	r.mu.Unlock()
	if stdout == nil {
		return app.Output{}
	}
	return app.Output{Stdout: stdout.text(), Stderr: stderr.text()}
}

// network is the ledger so far.
func (r *run) network() []app.Connection {
	r.mu.Lock()
	way, red := r.egress, r.red
	r.mu.Unlock()
	if way == nil {
		return nil
	}
	list := way.Ledger()
	for i := range list {
		host, _ := red.Text(list[i].Host)
		rule, _ := red.Text(list[i].Rule)
		list[i].Host, list[i].Rule = host.String(), rule.String()
	}
	return list
}

// printed is told of new output. The nudge comes a moment later, together with whatever else is printed until then.
func (r *run) printed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.first.IsZero() {
		r.first = r.e.now()
	}
	r.nudge()
}

// connected is told of new ledger rows.
func (r *run) connected() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.nudge()
}

func (r *run) nudge() {
	if r.nudging != nil {
		return
	}
	r.nudging = time.AfterFunc(nudgeEvery, func() {
		r.mu.Lock()
		r.nudging = nil
		r.mu.Unlock()
		r.e.cfg.Hub.Publish(live.Execution(r.x.Handle))
	})
}

// releaseSlot gives the run slot to somebody else, if this run holds one.
func (r *run) releaseSlot() {
	r.mu.Lock()
	held := r.slot
	r.slot = false
	r.mu.Unlock()
	if held {
		r.e.slots.release()
		r.e.wakeUp()
	}
}

// regainSlot waits for a run slot, before all who have not started yet.
func (r *run) regainSlot(ctx context.Context) error {
	if err := r.e.slots.resume(ctx); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.slot = true
	return nil
}
