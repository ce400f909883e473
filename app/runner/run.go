package runner

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/scheduler"
)

// Claim is an execution that this server may run.
type Claim struct {
	Execution app.Execution
	Slot      *scheduler.Slot
	Source    *Source  // as submitted; nil: in the store
	Binding   *Binding // nil: bound when it runs
}

// Run is one execution from its claim until its row is terminal.
//
// One goroutine calls Execute. The exported methods are safe for concurrent use.
type Run struct {
	runner  *Runner
	x       app.Execution // as claimed
	source  *Source       // nil: in the store
	binding *Binding      // made with the claim; nil if there is none

	session  *session
	script   *script
	hooks    []Hook // in their order before the script; undone in reverse
	begun    int    // how many of them were called
	requests *hostRequests
	notifier *notifier
	done     chan struct{} // closed when the row is terminal; status is set then
	status   app.Status

	ctx    context.Context // ends with the Stop that ends the script early
	cancel context.CancelCauseFunc
	checks context.Context // of what the script left; ends with a Stop that came after its end
	skip   context.CancelCauseFunc
	ending sync.Mutex // guards over
	over   bool       // the script has ended: see endScript
}

// Hook is one subject that accompanies an execution, with its own state.
type Hook interface {
	// Before prepares the subject before a box is acquired. An error ends the execution with its
	// script unsent.
	Before(ctx context.Context, b *Binding) error

	// After undoes Before once the script has ended or will never be sent. It runs even if Before
	// failed, and may add to e.
	After(e *ending)
}

// Begin makes a claimed execution live. Run.Execute must follow.
func (r *Runner) Begin(c Claim) *Run {
	run := newRun(r, c)
	r.runs.add(run)
	return run
}

// Find returns the live execution with the handle; nil if there is none.
func (r *Runner) Find(handle string) *Run { return r.runs.get(handle) }

func newRun(runner *Runner, c Claim) *Run {
	r := &Run{runner: runner, x: c.Execution, source: c.Source, binding: c.Binding, done: make(chan struct{})}
	r.ctx, r.cancel = context.WithCancelCause(context.Background())
	r.checks, r.skip = context.WithCancelCause(runner.lanes.open)
	r.notifier = &notifier{notify: r.notify}
	masks := newRedaction(runner, r.x.Handle)
	s := &session{runner: runner, x: r.x, ctx: r.ctx, stop: r.Stop, slot: c.Slot, redaction: masks}
	asked := &askedPlaces{}
	s.network = &liveNetwork{runner: runner, x: r.x, redaction: masks, changed: r.notifier.schedule, asked: asked}
	r.session, r.script = s, &script{session: s}
	r.script.clock = newClock(r.x.Timeout, func() { r.Stop(stopTimeout(r.x.Timeout, runner.cfg.Timeouts.Max)) })
	r.script.files = &filesHook{runner: runner, x: r.x, redaction: masks, checks: r.checks}
	r.script.output = newOutput(s, r.notifier.schedule)
	r.script.soFar.turn = semaphore.NewWeighted(1)
	recorded := &recordedAnswers{runner: runner, x: r.x}
	r.script.dialogue = &dialogue{session: s, clock: r.script.clock, recorded: recorded, turn: make(chan struct{}, 1)}
	r.requests = &hostRequests{runner: runner, x: r.x, network: s.network, asked: asked, redaction: masks}
	secrets := &secretsHook{runner: runner, x: r.x, redaction: masks}
	r.hooks = []Hook{r.script.files, r.requests, secrets, s.network}
	if r.x.RerunOf != "" {
		r.hooks = append(r.hooks, recorded)
	}
	return r
}

// Execute takes the execution to its end and returns when its box is gone.
func (r *Run) Execute() {
	defer r.cancel(nil)
	defer r.skip(nil)
	defer r.session.removal.Wait()
	e := r.attempt()
	r.session.slot.BeginEnd()
	if !r.session.leaving {
		r.session.slot.Release()
	}
	for ; r.begun > 0; r.begun-- {
		r.hooks[r.begun-1].After(&e)
	}
	f := r.finish(e)
	r.notifier.wait() // a late call could request a host after the end
	stored := r.runner.storeEnd(r.x.Handle, f)
	r.session.slot.FinishEnd()
	if started := r.script.started.get(); !started.IsZero() {
		r.runner.cfg.Metrics.CountStarted(started.Sub(r.x.CreatedAt))
	}
	if stored { // else the failure was logged, and the execution gets another end
		r.runner.logEnd(r.x, f)
	}
	r.status = f.Status
	r.runner.runs.remove(r)
	close(r.done)
	r.runner.cfg.Hub.PublishExecutions(r.x.Handle)
}

// attempt takes the execution from its claim to its script's end. Nothing of the script is left
// then; the session removes its box in the background.
func (r *Run) attempt() ending {
	b, err := r.bind()
	if err != nil {
		return ending{unsent: err}
	}
	defer b.Discard()
	for ; err == nil && r.begun < len(r.hooks); r.begun++ {
		err = r.hooks[r.begun].Before(r.ctx, b)
	}
	var done sent
	if err == nil {
		done, err = r.script.run(b)
	}
	if err != nil {
		return ending{unsent: err}
	}
	return r.collect(done)
}

// Stop ends the execution without waiting: see Done. The first cause counts. After the script's
// end, a person's Stop only withholds files that were not checked yet.
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

// endScript returns the Stop that ended the script; nil if it ended by itself. Later stops don't
// count.
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
func (r *Run) Asks() bool { return r.script.dialogue.current() != nil }

// Reply records an answer to the script's open question and hands it over. Errors: CodeNotWaiting,
// CodeRequestMismatch, and those of the store.
func (r *Run) Reply(ctx context.Context, a Answer) error { return r.script.dialogue.reply(ctx, a) }

// Output returns what people may see so far.
func (r *Run) Output() app.Output { return r.script.output.Text() }

// PrintedBytes returns how many bytes the script has printed.
func (r *Run) PrintedBytes() int64 { return r.script.output.CountPrinted() }

// Network returns the redacted ledger so far.
func (r *Run) Network() []app.Connection { return r.session.ledger() }

func (r *Run) notify() {
	r.requests.requestDenied()
	r.runner.cfg.Hub.Publish(live.Execution(r.x.Handle))
}

// registry holds executions from their claim until their row is terminal.
type registry struct {
	mu          sync.Mutex
	live        map[string]*Run // by handle
	interrupted bool
}

// add makes an execution live. After interrupt it is stopped at once.
func (g *registry) add(r *Run) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.live[r.x.Handle] = r
	if g.interrupted {
		r.Stop(stopInterrupted())
	}
}

func (g *registry) remove(r *Run) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.live, r.x.Handle)
}

func (g *registry) get(handle string) *Run {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.live[handle]
}

func (g *registry) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.live)
}

func (g *registry) all() []*Run {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Collect(maps.Values(g.live))
}

func (g *registry) byProfile() map[string][]*Run {
	profiles := map[string][]*Run{}
	for _, r := range g.all() {
		profiles[r.x.ProfileHandle] = append(profiles[r.x.ProfileHandle], r)
	}
	return profiles
}

// interrupt stops all executions, also those that are added later.
func (g *registry) interrupt() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.interrupted = true
	for _, r := range g.live {
		r.Stop(stopInterrupted())
	}
}

// notifyEvery bounds how often new output and connections are announced.
const notifyEvery = 200 * time.Millisecond

// notifier batches announcements. Safe for concurrent use.
type notifier struct {
	notify  func()
	pending sync.WaitGroup

	mu      sync.Mutex
	timer   *time.Timer // nil if nothing is scheduled
	stopped bool
}

// schedule has notify called soon.
func (n *notifier) schedule() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.timer != nil || n.stopped {
		return
	}
	n.pending.Add(1)
	n.timer = time.AfterFunc(notifyEvery, func() {
		defer n.pending.Done()
		n.mu.Lock()
		n.timer = nil
		n.mu.Unlock()
		n.notify()
	})
}

// stop cancels the scheduled call, not a running one: see wait.
func (n *notifier) stop() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.stopped = true
	if n.timer != nil && n.timer.Stop() {
		n.pending.Done()
	}
}

// wait returns when no call is under way. It must follow stop.
func (n *notifier) wait() { n.pending.Wait() }
