package runner

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/sandbox"
	"github.com/computclaw/airlock/app/scheduler"
)

// Run is one execution from its claim until its row is terminal.
//
// One goroutine drives it by Execute. The exported methods are safe for concurrent use.
type Run struct {
	runner  *Runner
	x       app.Execution // as claimed
	source  *Source       // nil: in the store
	binding *Binding      // made with the claim; nil if there is none

	ctx    context.Context // cancelled with the Stop that ends the script early
	cancel context.CancelCauseFunc
	checks context.Context // of what the script left; cancelled with a Stop that came after its end
	skip   context.CancelCauseFunc
	ending sync.Mutex // guards over
	over   bool       // the script has ended: see endScript
	slot   *scheduler.Slot
	clock  *clock
	done   chan struct{} // closed when the row is terminal; status is set then
	status app.Status

	box     *sandbox.Box // the one that the script was sent to
	removal boxRemoval
	started instant // when the script was sent

	redaction *redaction
	output    *output
	soFar     outputSoFar
	dialogue  *dialogue
	notifier  *notifier

	hooks    hooks
	files    *filesHook
	egress   *egressHook
	requests *hostRequests
}

func newRun(runner *Runner, c Claim) *Run {
	r := &Run{
		runner: runner, x: c.Execution, source: c.Source, binding: c.Binding, slot: c.Slot, done: make(chan struct{}),
	}
	r.ctx, r.cancel = context.WithCancelCause(context.Background())
	r.checks, r.skip = context.WithCancelCause(runner.lanes.open)
	r.clock = newClock(r.x.Timeout, func() { r.Stop(stopTimeout(r.x.Timeout, runner.cfg.Timeouts.Max)) })
	r.notifier = newNotifier(r.notify)
	r.redaction = newRedaction(runner, r.x.Handle)
	r.output = newOutput(r)
	r.soFar.turn = semaphore.NewWeighted(1)
	recorded := &recordedAnswers{run: r}
	r.dialogue = newDialogue(r, recorded)
	r.egress = &egressHook{runner: runner, x: r.x, redaction: r.redaction, changed: r.notifier.schedule}
	r.requests = &hostRequests{runner: runner, x: r.x, egress: r.egress, redaction: r.redaction}
	r.files = &filesHook{runner: runner, x: r.x, redaction: r.redaction, checks: r.checks}
	secrets := &secretsHook{runner: runner, x: r.x, redaction: r.redaction}
	r.hooks.list = []Hook{r.files, r.requests, secrets, r.egress, recorded}
	return r
}

// Execute takes the execution to its end, and returns when nothing of its box is left.
func (r *Run) Execute() {
	defer r.cancel(nil)
	defer r.skip(nil)
	defer r.removal.wait()
	e := r.attempt()
	r.slot.BeginEnd()
	r.removal.releaseSlot(r.slot)
	r.hooks.after(&e)
	f := r.finish(e)
	r.notifier.wait() // a late call could request a host after the end
	stored := r.runner.storeEnd(r.x.Handle, f)
	r.slot.FinishEnd()
	if started := r.started.get(); !started.IsZero() {
		r.runner.cfg.Metrics.Started(started.Sub(r.x.CreatedAt))
	}
	if stored { // else the failure was logged, and the execution gets another end
		r.runner.logEnd(r.x, f)
	}
	r.status = f.Status
	r.runner.runs.remove(r)
	close(r.done)
	r.runner.cfg.Hub.PublishExecutions(r.x.Handle)
}

// attempt takes the execution from its claim to the end of its script. Nothing of the script is left
// then, and of its box only what r.removal waits for.
func (r *Run) attempt() ending {
	b, err := r.bind()
	if err != nil {
		return ending{unsent: err}
	}
	defer b.Discard()
	if err := r.hooks.before(r.ctx, b); err != nil {
		return ending{unsent: err}
	}
	sent, err := r.send(b)
	if err != nil {
		return ending{unsent: err}
	}
	return r.collect(sent)
}

// Stop ends the execution; the first cause counts. It doesn't wait: see Done. If the script has ended
// already, a person's Stop withholds the files that were not checked yet, and nothing else.
func (r *Run) Stop(cause *Stop) {
	r.ending.Lock()
	defer r.ending.Unlock()
	switch {
	case !r.over:
		r.cancel(cause)
	case cause.Status == app.StatusCancelled:
		r.skip(cause)
	}
}

// endScript returns what has stopped the script; nil if it ended by itself. What comes later doesn't
// change how the execution ends.
func (r *Run) endScript() *Stop {
	r.ending.Lock()
	defer r.ending.Unlock()
	r.over = true
	return stopOf(r.ctx)
}

// Done is closed when the execution's row is terminal.
func (r *Run) Done() <-chan struct{} { return r.done }

// StoppedBy reports whether the cause is what ends the execution early.
func (r *Run) StoppedBy(cause *Stop) bool { return stopOf(r.ctx) == cause }

// EndedBy reports whether the execution, which is Done, ended by the cause.
func (r *Run) EndedBy(cause *Stop) bool { return r.StoppedBy(cause) && r.status == cause.Status }

// Asks reports whether the script waits for an answer.
func (r *Run) Asks() bool { return r.dialogue.current() != nil }

// Output returns what people may see so far.
func (r *Run) Output() app.Output { return r.output.text() }

// Network returns the redacted ledger so far.
func (r *Run) Network() []app.Connection { return r.egress.network() }

// notify announces new output and connections, and requests the hosts that were denied meanwhile.
func (r *Run) notify() {
	r.requests.requestDenied()
	r.runner.cfg.Hub.Publish(live.Execution(r.x.Handle))
}

// boxRemoval removes a box after the end of its execution.
type boxRemoval struct {
	wg   sync.WaitGroup
	gone <-chan struct{} // closed when the box is gone; nil if the end waited for that
}

func (b *boxRemoval) start(remove func()) {
	gone := make(chan struct{})
	b.gone = gone
	b.wg.Go(func() {
		defer close(gone)
		remove()
	})
}

// releaseSlot gives the run slot away as soon as the box is gone, since removing it takes processor
// time and memory.
func (b *boxRemoval) releaseSlot(slot *scheduler.Slot) {
	if b.gone == nil {
		slot.Release()
		return
	}
	b.wg.Go(func() {
		<-b.gone
		slot.Release()
	})
}

func (b *boxRemoval) wait() { b.wg.Wait() }
