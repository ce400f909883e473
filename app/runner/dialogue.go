package runner

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"sync"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/plugins/wire"
	"github.com/computclaw/airlock/store"
)

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

// dialogue holds a script's questions and answers. Safe for concurrent use.
type dialogue struct {
	session  *session
	clock    *clock
	recorded *recordedAnswers
	turn     chan struct{} // held by the one question that may be open

	// replying is held while a question or answer is stored, which may take as long as an import.
	// It is taken before mu, which readers of the execution need.
	replying sync.Mutex

	mu      sync.Mutex
	open    *question
	asked   int
	waited  time.Duration
	answers answerDigest
}

// ask answers a script's question from the record or the agent. It returns the exact text; an error
// raises llm.Error in the script.
func (d *dialogue) ask(ctx context.Context, prompt, model string) (wire.LLMReply, error) {
	select {
	case d.turn <- struct{}{}:
		defer func() { <-d.turn }()
	case <-ctx.Done():
		return wire.LLMReply{}, context.Cause(ctx)
	}
	a, ok, err := d.recorded.take(prompt, model)
	switch x := d.session.x; {
	case err != nil:
	case ok:
		err = d.recordExchange(prompt, model, a)
	case x.RerunOf != "" && !x.Live:
		d.session.stop(stopDiverged(d.count() + 1))
		<-ctx.Done()
		err = context.Cause(ctx)
	default:
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

// askAgent suspends the script, asks, and resumes it with the answer. If the box can't be frozen,
// its clock runs on and it keeps its slot.
func (d *dialogue) askAgent(ctx context.Context, prompt, model string) (a Answer, err error) {
	s := d.session
	waiters := s.runner.cfg.Waiters
	switch {
	case waiters.Enter(s.x.ProfileHandle):
		defer waiters.Leave(s.x.ProfileHandle)
	case waiters.IsFull():
		return Answer{}, errors.New("too many executions wait for an answer already; " +
			"try again later, or ask the operator to raise AIRLOCK_WAITERS")
	default:
		return Answer{}, errors.New("too many executions of this profile wait for an answer already; " +
			"answer those first, or ask the operator to raise AIRLOCK_WAITERS")
	}
	frozen := s.freeze(ctx)
	if frozen {
		d.clock.pause()
		s.slot.Release()
	}
	since := time.Now() // the agent may see the question before it is returned here
	q, err := d.openQuestion(ctx, prompt, model)
	if err == nil {
		a, err = d.await(ctx, q)
		d.mu.Lock()
		d.waited += time.Since(since)
		d.mu.Unlock()
	}
	if ctx.Err() != nil {
		return Answer{}, context.Cause(ctx) // the script ended in the meantime
	}
	if err != nil {
		s.runner.cfg.Log.Error("could not store a question", "execution", s.x.Handle, "error", err)
		err = errors.New("the question could not be stored; ask again in a minute")
	}
	if frozen {
		err = errors.Join(err, d.resume(ctx))
	}
	return a, err
}

// resume thaws a script once it has a run slot.
func (d *dialogue) resume(ctx context.Context) error {
	if err := d.session.slot.Resume(ctx); err != nil {
		return err
	}
	if err := d.session.thaw(ctx); err != nil {
		return err
	}
	d.clock.resume()
	return nil
}

// openQuestion stores the question, redacted when it is the profile's turn, and announces it.
func (d *dialogue) openQuestion(ctx context.Context, prompt, model string) (*question, error) {
	s := d.session
	q := &question{id: newRequestID(), answer: make(chan Answer, 1)}
	var row store.Question
	err := s.runner.lanes.inTurn(ctx, s.x.ProfileHandle, int64(len(prompt)),
		func() { row = d.questionRow(q.id, prompt, model) })
	if err != nil {
		return nil, err
	}
	row.Ordinal = d.count() + 1
	d.replying.Lock() // its agent may see it before it is open here
	defer d.replying.Unlock()
	err = s.runner.cfg.Store.Write(s.ctx, func(tx *store.Tx) error { return tx.Questions.Ask(s.ctx, s.x.Handle, row) })
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	d.asked++
	d.open = q
	d.mu.Unlock()
	s.runner.cfg.Hub.PublishExecutions(s.x.Handle)
	return q, nil
}

// recordExchange stores a question with its recorded answer. The caller holds turn.
func (d *dialogue) recordExchange(prompt, model string, a Answer) error {
	s := d.session
	q := d.questionRow(newRequestID(), prompt, model)
	q.Ordinal = d.count() + 1
	text := a.Text + a.Failure
	reply := store.Reply{
		RequestID: q.RequestID, Response: s.redaction.text("answer", text), Failed: a.Failure != "", By: a.By, At: q.At,
		Sealed: s.runner.cfg.Keyring.Seal(secrets.Scripts, secrets.AnswerRow(q.RequestID), []byte(text)),
	}
	err := s.runner.cfg.Store.Write(s.ctx, func(tx *store.Tx) error {
		if err := tx.Questions.Ask(s.ctx, s.x.Handle, q); err != nil {
			return err
		}
		return tx.Questions.Answer(s.ctx, s.x.Handle, reply)
	})
	if err != nil {
		s.runner.cfg.Log.Error("could not store a played back answer", "execution", s.x.Handle, "error", err)
		return errors.New("the answer could not be played back")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked++
	return nil
}

// count returns how many questions were asked.
func (d *dialogue) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.asked
}

func newRequestID() string { return "llm_" + app.NewID() }

// questionRow returns the question as it is stored, without its ordinal.
func (d *dialogue) questionRow(id, prompt, model string) store.Question {
	return store.Question{
		RequestID: id, Prompt: d.redact(prompt), Model: d.redact(model),
		Asked: d.session.runner.questionMark(prompt, model), At: d.session.runner.cfg.Now(),
	}
}

// await waits for the answer. The question of a script that ends without one is withdrawn.
func (d *dialogue) await(ctx context.Context, q *question) (Answer, error) {
	s := d.session
	patience := time.AfterFunc(s.runner.cfg.Timeouts.Answer, func() {
		d.replying.Lock() // an answer that is being stored counts
		defer d.replying.Unlock()
		if d.current() == q {
			s.stop(stopNoAnswer(q.id, s.runner.cfg.Timeouts.Answer))
		}
	})
	defer patience.Stop()
	reminder := time.AfterFunc(app.UnansweredFor, func() { s.runner.cfg.Hub.PublishExecutions(s.x.Handle) })
	defer reminder.Stop()
	select {
	case a := <-q.answer:
		return a, nil
	case <-ctx.Done():
	}
	if s.ctx.Err() == nil {
		d.withdraw(q)
	}
	d.clear()
	return Answer{}, context.Cause(ctx)
}

// withdraw closes the question of a script that ended while one of its threads asked.
func (d *dialogue) withdraw(q *question) {
	d.replying.Lock() // an answer that is being stored counts
	open := d.current() == q
	d.clear()
	d.replying.Unlock()
	if !open {
		return
	}
	s := d.session
	reply := store.Reply{
		RequestID: q.id, Response: s.redaction.text("answer", "the script ended before an answer came"),
		Failed: true, By: app.System(), At: s.runner.cfg.Now(),
	}
	err := s.runner.cfg.Store.Write(s.ctx,
		func(tx *store.Tx) error { return tx.Questions.Answer(s.ctx, s.x.Handle, reply) })
	if err != nil && app.CodeOf(err) != app.CodeConflict { // it has ended
		s.runner.cfg.Log.Error("could not withdraw a question", "execution", s.x.Handle, "error", err)
	}
}

// reply does what Run.Reply promises.
func (d *dialogue) reply(ctx context.Context, a Answer) error {
	s := d.session
	text := a.Text
	if a.Failure != "" {
		text = a.Failure
	}
	// Only the first valid answer is redacted, which costs up to two seconds per MiB.
	d.replying.Lock()
	defer d.replying.Unlock()
	if _, err := d.questionFor(a); err != nil {
		return err
	}
	var clean redact.Clean
	var hits redact.Hits
	err := s.runner.lanes.inTurn(ctx, s.x.ProfileHandle, int64(len(text)),
		func() { clean, hits = s.redaction.redactor().Text(text) })
	if err != nil {
		return err
	}
	q, err := d.questionFor(a)
	if err != nil {
		return err
	}
	row := store.Reply{
		RequestID: q.id, Response: clean, Failed: a.Failure != "", By: a.By, At: s.runner.cfg.Now(),
		Sealed: s.runner.cfg.Keyring.Seal(secrets.Scripts, secrets.AnswerRow(q.id), []byte(text)),
	}
	ctx = context.WithoutCancel(ctx) // an answer that is stored must reach the script
	err = s.runner.cfg.Store.Write(ctx, func(tx *store.Tx) error {
		if err := tx.Questions.Answer(ctx, s.x.Handle, row); err != nil || a.By.Kind == app.ActorAgent {
			return err
		}
		return tx.Audit(ctx, app.Event{
			At: row.At, Actor: a.By, Action: "execution.answer", Subject: s.x.Handle,
			Detail: "answered a question of the script",
		})
	})
	if app.CodeOf(err) == app.CodeConflict {
		return NotWaiting(app.StatusRunning)
	}
	if err != nil {
		return fmt.Errorf("runner: respond: %w", err)
	}
	s.redaction.count("answer", hits)
	d.clear()
	q.answer <- a
	return nil
}

// questionFor returns the open question if the answer is for it.
func (d *dialogue) questionFor(a Answer) (*question, error) {
	switch q := d.current(); {
	case q == nil || d.session.ctx.Err() != nil:
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

// close refuses further questions and waits for the open one.
func (d *dialogue) close() { d.turn <- struct{}{} }

// redact redacts a text of a question.
func (d *dialogue) redact(text string) redact.Clean { return d.session.redaction.text("prompt", text) }

// waitTime returns how long the script has waited for answers.
func (d *dialogue) waitTime() time.Duration {
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

// answerDigest hashes the answers in order, each with its length, so that sequences differ.
type answerDigest struct{ sum hash.Hash }

func (a *answerDigest) add(text string, failed bool) {
	if a.sum == nil {
		a.sum = sha256.New()
	}
	head := make([]byte, 9)
	binary.BigEndian.PutUint64(head, uint64(len(text)))
	if failed {
		head[8] = 1
	}
	a.sum.Write(head)
	a.sum.Write([]byte(text))
}

// hex returns the digest, or "" if nothing was answered.
func (a *answerDigest) hex() string {
	if a.sum == nil {
		return ""
	}
	return hex.EncodeToString(a.sum.Sum(nil))
}
