package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/plugins/wire"
	"github.com/computclaw/airlock/store"
)

// maxSaid bounds the bytes of earlier questions that are kept for the redaction of later ones.
const maxSaid = 4 << 10

// Answer is a reply to a script's question: Text, or Failure which raises llm.Error.
type Answer struct {
	RequestID string // "" means the open one
	Text      string
	Failure   string
	By        app.Actor
}

// question is what a script waits for.
type question struct {
	id     string
	answer chan Answer // one, buffered
}

// dialogue is what a script asks the agent and gets as answers. It is safe for concurrent use.
type dialogue struct {
	run      *Run
	recorded *recordedAnswers
	turn     chan struct{} // held by the one question that may be open

	// replying is held while a question or an answer is stored, which may take as long as an import.
	// It is taken before mu, which whoever reads the execution needs.
	replying sync.Mutex

	mu      sync.Mutex
	open    *question
	asked   int
	prompts string // the end of what was asked, not redacted
	models  string // and of the models that were named
	waited  time.Duration
	answers answerDigest
}

func newDialogue(r *Run, recorded *recordedAnswers) *dialogue {
	return &dialogue{run: r, recorded: recorded, turn: make(chan struct{}, 1)}
}

// ask puts a script's question to the agent and returns the exact answer. An error raises llm.Error
// in the script.
func (d *dialogue) ask(ctx context.Context, prompt, model string) (wire.LLMReply, error) {
	select {
	case d.turn <- struct{}{}:
		defer func() { <-d.turn }()
	case <-ctx.Done():
		return wire.LLMReply{}, context.Cause(ctx)
	}
	a, ok, err := d.recorded.next(ctx, prompt, model)
	if err == nil && !ok {
		a, err = d.askAgent(ctx, prompt, model)
	}
	if err != nil {
		return wire.LLMReply{}, err
	}
	d.mu.Lock()
	d.answers.add(a.Text+a.Failure, a.Failure != "")
	d.mu.Unlock()
	if a.Failure != "" {
		return wire.LLMReply{}, errors.New(a.Failure)
	}
	return wire.LLMReply{Text: a.Text}, nil
}

// askAgent suspends the script, asks, and lets the script go on once there is an answer.
func (d *dialogue) askAgent(ctx context.Context, prompt, model string) (Answer, error) {
	r := d.run
	waiters := r.runner.cfg.Waiters
	switch {
	case waiters.Enter(r.x.ProfileHandle):
		defer waiters.Leave(r.x.ProfileHandle)
	case waiters.Full():
		return Answer{}, errors.New("too many executions wait for an answer already; " +
			"try again later, or ask the operator to raise AIRLOCK_WAITERS")
	default:
		return Answer{}, errors.New("too many executions of this profile wait for an answer already; " +
			"answer those first, or ask the operator to raise AIRLOCK_WAITERS")
	}
	frozen := r.suspend(ctx)
	if ctx.Err() != nil {
		return Answer{}, context.Cause(ctx) // the script ended in the meantime
	}
	since := time.Now() // the agent may see the question before it is returned here
	if frozen {
		r.slot.Release()
	}
	q, err := d.openQuestion(ctx, prompt, model)
	switch {
	case err != nil && ctx.Err() != nil:
		return Answer{}, context.Cause(ctx)
	case err != nil:
		r.runner.cfg.Log.Error("could not store a question", "execution", r.x.Handle, "error", err)
		return Answer{}, errors.Join(errors.New("the question could not be stored; ask again in a minute"),
			r.resume(ctx, frozen))
	}
	a, err := d.await(ctx, q)
	d.mu.Lock()
	d.waited += time.Since(since)
	d.mu.Unlock()
	if err != nil {
		return Answer{}, err
	}
	return a, r.resume(ctx, frozen)
}

// openQuestion stores the question, redacted when it is the profile's turn, and announces it.
func (d *dialogue) openQuestion(ctx context.Context, prompt, model string) (*question, error) {
	r := d.run
	q := &question{id: newRequestID(), answer: make(chan Answer, 1)}
	var row store.Question
	err := r.runner.lanes.inTurn(ctx, r.x.ProfileHandle, int64(len(prompt)),
		func() { row = d.questionRow(q.id, prompt, model) })
	if err != nil {
		return nil, err
	}
	row.Ordinal = d.count() + 1
	d.replying.Lock() // its agent may see it before it is open here
	defer d.replying.Unlock()
	err = r.runner.cfg.Store.Write(r.ctx, func(tx *store.Tx) error { return tx.Questions.Ask(r.ctx, r.x.Handle, row) })
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	d.asked++
	d.open = q
	d.mu.Unlock()
	r.runner.cfg.Hub.PublishExecutions(r.x.Handle)
	return q, nil
}

func newRequestID() string { return "llm_" + app.NewID() }

// questionRow returns the question as it is stored, without its ordinal.
func (d *dialogue) questionRow(id, prompt, model string) store.Question {
	return store.Question{
		RequestID: id, Prompt: d.redactSaid(&d.prompts, prompt), Model: d.redactSaid(&d.models, model),
		Asked: d.run.runner.questionMark(prompt, model), At: d.run.runner.cfg.Now(),
	}
}

// await waits for the answer. A script that ends without one, by itself, has its question
// withdrawn.
func (d *dialogue) await(ctx context.Context, q *question) (Answer, error) {
	r := d.run
	patience := time.AfterFunc(r.runner.cfg.Timeouts.Answer, func() {
		d.replying.Lock() // an answer that is being stored counts
		defer d.replying.Unlock()
		if d.current() == q {
			r.Stop(stopNoAnswer(q.id, r.runner.cfg.Timeouts.Answer))
		}
	})
	defer patience.Stop()
	reminder := time.AfterFunc(app.UnansweredFor, func() { r.runner.cfg.Hub.PublishExecutions(r.x.Handle) })
	defer reminder.Stop()
	select {
	case a := <-q.answer:
		return a, nil
	case <-ctx.Done():
	}
	if r.ctx.Err() == nil {
		d.withdraw(q)
	}
	d.clear()
	return Answer{}, context.Cause(ctx)
}

// withdraw closes the question of a script that ended while one of its threads still asked.
func (d *dialogue) withdraw(q *question) {
	d.replying.Lock() // an answer that is being stored counts
	open := d.current() == q
	d.clear()
	d.replying.Unlock()
	if !open {
		return
	}
	r := d.run
	reply := store.Reply{
		RequestID: q.id, Response: r.redaction.text("answer", "the script ended before an answer came"),
		Failed: true, By: app.System(), At: r.runner.cfg.Now(),
	}
	err := r.runner.cfg.Store.Write(r.ctx,
		func(tx *store.Tx) error { return tx.Questions.Answer(r.ctx, r.x.Handle, reply) })
	if err != nil && app.CodeOf(err) != app.CodeConflict { // it has ended
		r.runner.cfg.Log.Error("could not withdraw a question", "execution", r.x.Handle, "error", err)
	}
}

// Reply records an answer to the script's open question and hands it over. Errors: CodeNotWaiting,
// CodeRequestMismatch, and those of the store.
func (r *Run) Reply(ctx context.Context, a Answer) error { return r.dialogue.reply(ctx, a) }

func (d *dialogue) reply(ctx context.Context, a Answer) error {
	r := d.run
	text := a.Text
	if a.Failure != "" {
		text = a.Failure
	}
	// Of many answers at once only the first that counts is redacted, which costs up to two seconds
	// per MiB.
	d.replying.Lock()
	defer d.replying.Unlock()
	if _, err := d.questionFor(a); err != nil {
		return err
	}
	var clean redact.Clean
	var hits redact.Hits
	err := r.runner.lanes.inTurn(ctx, r.x.ProfileHandle, int64(len(text)),
		func() { clean, hits = r.redaction.redactor().Text(text) })
	if err != nil {
		return err
	}
	q, err := d.questionFor(a)
	if err != nil {
		return err
	}
	row := store.Reply{
		RequestID: q.id, Response: clean, Failed: a.Failure != "", By: a.By, At: r.runner.cfg.Now(),
		Sealed: r.runner.cfg.Keyring.Seal(secrets.Scripts, secrets.AnswerRow(q.id), []byte(text)),
	}
	ctx = context.WithoutCancel(ctx) // an answer that is stored must reach the script
	err = r.runner.cfg.Store.Write(ctx, func(tx *store.Tx) error {
		if err := tx.Questions.Answer(ctx, r.x.Handle, row); err != nil || a.By.Kind == app.ActorAgent {
			return err
		}
		return tx.Audit(ctx, app.Event{
			At: row.At, Actor: a.By, Action: "execution.answer", Subject: r.x.Handle,
			Detail: "answered a question of the script",
		})
	})
	if app.CodeOf(err) == app.CodeConflict {
		return NotWaiting(app.StatusRunning)
	}
	if err != nil {
		return fmt.Errorf("runner: respond: %w", err)
	}
	r.redaction.count("answer", hits)
	d.clear()
	q.answer <- a
	return nil
}

// questionFor returns the open question if the answer is for it.
func (d *dialogue) questionFor(a Answer) (*question, error) {
	switch q := d.current(); {
	case q == nil || d.run.ctx.Err() != nil:
		return nil, NotWaiting(app.StatusRunning)
	case a.RequestID != "" && a.RequestID != q.id:
		return nil, app.E(app.CodeRequestMismatch, "the execution waits for the answer to another question",
			"GET /executions/{id} shows the question that waits now, in llm_request; answer its request_id.")
	default:
		return q, nil
	}
}

// NotWaiting returns the error for an answer to an execution that asks nothing.
func NotWaiting(status app.Status) error {
	what := "the execution is not waiting for an answer"
	if status.Terminal() {
		what = fmt.Sprintf("the execution has ended (%s)", status)
	}
	return app.E(app.CodeNotWaiting, what,
		"GET /executions/{id} shows its status: answer only while it is awaiting_llm, once per question.")
}

// current returns the open question; nil if there is none.
func (d *dialogue) current() *question {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.open
}

// clear says that no question is open.
func (d *dialogue) clear() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open = nil
}

// close refuses further questions, and waits for the end of the open one.
func (d *dialogue) close() { d.turn <- struct{}{} }

// redactSaid redacts a text of a question, and appends it to the earlier texts of its kind.
// A script may spread the pieces of a value over prompts, names of models and what it prints, which
// its agent reads while it runs. So earlier texts are redacted with it.
func (d *dialogue) redactSaid(before *string, text string) redact.Clean {
	clean, hits := d.run.redaction.redactor().After(append(d.earlierTexts(), d.run.output.tails()...), text)
	d.run.redaction.count("prompt", hits)
	d.mu.Lock()
	defer d.mu.Unlock()
	*before += text
	if n := len(*before) - maxSaid; n > 0 {
		*before = strings.Clone((*before)[n:])
	}
	return clean
}

func (d *dialogue) earlierTexts() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return []string{d.prompts, d.models}
}

// waitedFor returns how long the script has waited for answers.
func (d *dialogue) waitedFor() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.waited
}

// digest returns the digest of the answers, "" if there were none.
func (d *dialogue) digest() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.answers.hex()
}
