package engine

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/store"
)

// nudgeEvery bounds how often new output is told.
const nudgeEvery = 200 * time.Millisecond

// run is one execution from its claim until its row is terminal.
type run struct {
	e       *Engine
	x       app.Execution // as claimed
	ctx     context.Context
	cancel  context.CancelCauseFunc
	clock   *clock
	turn    chan struct{} // held by the one question that may be open
	replies sync.Mutex    // held by the one answer that is looked at
	done    chan struct{} // the row is terminal; status is set
	status  app.Status
	box     *box // since the dispatch, by the goroutine that drives it

	clearing sync.WaitGroup  // the box is still there, though the script's end is certain
	gone     <-chan struct{} // closed when that box is gone; nil if the end waited for it

	waitsFor class // what it is parked for, by the goroutine that drives it; see take

	script, inputs []byte   // as submitted; nil if they are still to be read from the store
	bound          *binding // with the claim; nil if that is still to be done. It belongs to the goroutine that drives the run

	redacting sync.Mutex // guards the next two; taken before mu
	red       *redact.Redactor
	redacted  []redact.Value // that red looks for

	mu        sync.Mutex
	grant     grant
	secrets   []redact.Value // of the execution, and what Vault gave to others in their place
	stdout    *capture       // nil until the script is about to start
	stderr    *capture
	turns     turns // of the two
	egress    *egress.Session
	reached   bool      // something was tried on the network
	lent      string    // names what Vault lent; set while the run is prepared, by the goroutine that also releases it
	slot      bool      // holds a run slot
	question  *question // the open one
	asked     int
	prompts   string           // the end of what was asked, as it is
	models    string           // and of the models that were named
	recorded  []store.Recorded // of a re-run: answers not played back yet; r.turn guards it
	askedKeys [][]byte         // of instances whose history was imported: their marks of questions are keyed with these
	llmTime   time.Duration
	answers   answers
	masked    map[string]redact.Hits // by channel
	started   time.Time              // the script was sent
	first     time.Time              // first output
	nudging   *time.Timer            // has yet to tell of something new
	nudges    sync.WaitGroup         // timers that have not been stopped or have not returned
	over      bool                   // nothing more is told of

	lines  int // of the script; set before it is sent
	claims claims

	petitioning sync.Mutex
	requested   map[place]bool // places that were tried as requests
	requests    int            // that were made
}

func newRun(e *Engine, x app.Execution) *run {
	r := &run{e: e, x: x, turn: make(chan struct{}, 1), done: make(chan struct{}), slot: true, masked: map[string]redact.Hits{}, requested: map[place]bool{}}
	r.ctx, r.cancel = context.WithCancelCause(context.Background())
	r.clock = newClock(x.Timeout, func() { r.stop(stopTimeout(x.Timeout, e.cfg.TimeoutMax)) })
	return r
}

// stop ends the execution; the first cause counts. It doesn't wait: see done.
func (r *run) stop(cause *stop) { r.cancel(cause) }

// clean redacts a text for the record and counts what was masked.
func (r *run) clean(channel, text string) redact.Clean {
	clean, hits := r.redactor().Text(text)
	r.count(map[string]redact.Hits{channel: hits})
	return clean
}

// maxSaid is how much of the questions is kept, as they are, to be looked at together with what goes out later, in bytes.
const maxSaid = 4 << 10

// cleanPrompt is clean for a question. A script may cut a value into pieces and ask about each, so that which were asked before count.
func (r *run) cleanPrompt(prompt string) redact.Clean { return r.cleanSaid(&r.prompts, prompt) }

// cleanModel is clean for the name of a model, which a script chooses as freely as the question before it, and of the next question: a value may have been cut
// into both, or into several.
func (r *run) cleanModel(model string) redact.Clean { return r.cleanSaid(&r.models, model) }

// cleanSaid is clean for what an agent is asked, and adds it to what was said before of its kind.
func (r *run) cleanSaid(before *string, text string) redact.Clean {
	clean, hits := r.redactor().After(r.said(), text)
	r.count(map[string]redact.Hits{"prompt": hits})
	r.mu.Lock()
	defer r.mu.Unlock()
	*before += text
	if n := len(*before) - maxSaid; n > 0 {
		*before = strings.Clone((*before)[n:])
	}
	return clean
}

func (r *run) said() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return []string{r.prompts, r.models}
}

// cleanCut is clean for a text whose end may have been cut off.
func (r *run) cleanCut(channel, text string) redact.Clean {
	clean, hits := r.redactor().Cut(text)
	r.count(map[string]redact.Hits{channel: hits})
	return clean
}

func (r *run) count(hits map[string]redact.Hits) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for channel, h := range hits {
		r.masked[channel] = r.masked[channel].Plus(h)
	}
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
	way := r.egress
	r.mu.Unlock()
	if way == nil {
		return nil
	}
	list := r.located(way.Ledger())
	texts := r.redactor().Texts(textsOf(list))
	for i := range list {
		t := texts[i*ledgerTexts:]
		list[i].Host, list[i].Rule, list[i].Method, list[i].Path = t[0].String(), t[1].String(), t[2].String(), t[3].String()
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
	r.reached = true
	r.nudge()
}

// nudge tells of something new a moment later. r.mu is held.
func (r *run) nudge() {
	if r.nudging != nil || r.over {
		return
	}
	r.nudges.Add(1)
	r.nudging = time.AfterFunc(nudgeEvery, func() {
		defer r.nudges.Done()
		r.mu.Lock()
		r.nudging = nil
		sent := r.egress != nil
		r.mu.Unlock()
		if sent {
			r.petition()
		}
		r.e.cfg.Hub.Publish(live.Execution(r.x.Handle))
	})
}

// hush ends all nudges but one that is on its way; nudges waits for that. r.mu is held.
func (r *run) hush() {
	r.over = true
	if r.nudging != nil && r.nudging.Stop() {
		r.nudges.Done()
	}
}

// releaseSlot gives the run slot to somebody else, if this run holds one.
func (r *run) releaseSlot() {
	r.mu.Lock()
	held := r.slot
	r.slot = false
	r.mu.Unlock()
	if held {
		r.e.slots.release()
		r.e.nudge()
	}
}

// regainSlot waits for a run slot; see slots for whose turn it is.
func (r *run) regainSlot(ctx context.Context) error {
	if err := r.e.slots.resume(ctx, r.x.ProfileHandle); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.slot = true
	return nil
}
