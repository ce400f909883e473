package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/guest"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/plugins/wire"
	"github.com/computclaw/airlock/store"
)

const freezeWithin = 10 * time.Second // twice what the guest takes at most

// question is what a script waits for.
type question struct {
	id     string
	answer chan Answer // one, buffered
}

// ask puts a script's question to the agent and returns the exact answer. An error raises llm.Error in the script.
func (r *run) ask(ctx context.Context, prompt, model string) (wire.LLMReply, error) {
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	case <-ctx.Done():
		return wire.LLMReply{}, context.Cause(ctx)
	}
	if r.x.RerunOf != "" {
		if a, ok, err := r.playback(ctx, prompt, model); ok || err != nil {
			if err != nil {
				return wire.LLMReply{}, err
			}
			return r.given(a)
		}
	}
	release, own, ok := r.e.waiting.take(r.x.ProfileHandle)
	switch {
	case ok:
		defer release()
	case own:
		return wire.LLMReply{}, errors.New("too many executions of this profile wait for an answer already; answer those first, or ask the operator to raise AIRLOCK_WAITERS")
	default:
		return wire.LLMReply{}, errors.New("too many executions wait for an answer already; try again later, or ask the operator to raise AIRLOCK_WAITERS")
	}
	a, err := r.await(ctx, prompt, model)
	if err != nil {
		return wire.LLMReply{}, err
	}
	return r.given(a)
}

// given is the answer as the script gets it.
func (r *run) given(a Answer) (wire.LLMReply, error) {
	r.answers.add(a.Text+a.Failure, a.Failure != "")
	if a.Failure != "" {
		return wire.LLMReply{}, errors.New(a.Failure)
	}
	return wire.LLMReply{Text: a.Text}, nil
}

// await holds the script, asks, and lets the script go on once there is an answer.
func (r *run) await(ctx context.Context, prompt, model string) (Answer, error) {
	frozen := r.hold(ctx)
	if ctx.Err() != nil {
		return Answer{}, context.Cause(ctx) // the script ended in the meantime
	}
	since := time.Now() // its agent may see it before open returns
	q, err := r.open(prompt, model)
	if err != nil {
		r.e.cfg.Log.Error("a question could not be stored", "execution", r.x.Handle, "error", err)
		return Answer{}, errors.Join(errors.New("the question could not be stored"), r.letGo(ctx, frozen))
	}
	if frozen {
		r.releaseSlot()
	}
	a, err := r.answered(ctx, q)
	r.mu.Lock()
	r.llmTime += time.Since(since)
	r.mu.Unlock()
	if err != nil {
		return Answer{}, err
	}
	return a, r.letGo(ctx, frozen)
}

// hold stops the clock and the box. false means that the box could not be stopped: then its time counts on.
func (r *run) hold(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, freezeWithin)
	defer cancel()
	if err := r.box.session.Freeze(ctx, true); err != nil {
		if ctx.Err() == nil {
			r.e.cfg.Log.Warn("a waiting sandbox could not be frozen", "execution", r.x.Handle, "error", err)
		}
		_ = r.thaw(context.WithoutCancel(ctx)) // whatever it did, it counts as running
		return false
	}
	r.clock.pause()
	return true
}

// letGo undoes hold, when a run slot is free.
func (r *run) letGo(ctx context.Context, frozen bool) error {
	if !frozen {
		return nil
	}
	if !r.holdsSlot() {
		if err := r.regainSlot(ctx); err != nil {
			return err
		}
	}
	if err := r.thaw(ctx); err != nil {
		return err
	}
	r.clock.resume()
	return nil
}

// thaw lets the box run. One that can't be woken is ended; one that is gone has an end of its own, which says why.
func (r *run) thaw(ctx context.Context) error {
	within, cancel := context.WithTimeout(ctx, freezeWithin)
	defer cancel()
	err := r.box.session.Freeze(within, false)
	if errors.Is(err, guest.ErrNotFrozen) || errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		r.stop(&stop{app.StatusError, "the sandbox could not be woken up for the script to go on; submit it again if it is safe to run twice"})
	}
	if err != nil {
		return fmt.Errorf("engine: thaw: %w", err)
	}
	return nil
}

func (r *run) holdsSlot() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.slot
}

// open stores the question and shows it.
func (r *run) open(prompt, model string) (*question, error) {
	q := &question{id: "llm_" + app.NewID(), answer: make(chan Answer, 1)}
	row := store.Question{RequestID: q.id, Prompt: r.cleanPrompt(prompt), Model: r.cleanModel(model), Asked: r.e.asked(prompt, model), At: r.e.now()}
	r.mu.Lock()
	defer r.mu.Unlock()
	row.Ordinal = r.asked + 1
	err := r.e.cfg.Store.Write(r.ctx, func(tx *store.Tx) error { return tx.Ask(r.ctx, r.x.Handle, row) })
	if err != nil {
		return nil, err
	}
	r.asked++
	r.question = q
	r.e.publish(r.x)
	return q, nil
}

// answered waits for the answer. What ends without one, by itself, runs again until its end is judged.
func (r *run) answered(ctx context.Context, q *question) (Answer, error) {
	patience := time.AfterFunc(r.e.cfg.LLMWait, func() {
		r.mu.Lock() // an answer that is being stored is one
		defer r.mu.Unlock()
		if r.question == q {
			r.stop(stopNoAnswer(q.id, r.e.cfg.LLMWait))
		}
	})
	defer patience.Stop()
	select {
	case a := <-q.answer:
		return a, nil
	case <-ctx.Done():
	}
	r.mu.Lock()
	open := r.question == q
	r.question = nil
	r.mu.Unlock()
	if open && r.ctx.Err() == nil {
		r.withdraw(q)
	}
	return Answer{}, context.Cause(ctx)
}

// withdraw closes the question of a script that ended while one of its threads still asked.
func (r *run) withdraw(q *question) {
	reply := store.Reply{RequestID: q.id, Response: r.clean("answer", "the script ended before an answer came"), Failed: true, By: app.System(), At: r.e.now()}
	if err := r.e.cfg.Store.Write(r.ctx, func(tx *store.Tx) error { return tx.Answer(r.ctx, r.x.Handle, reply) }); err != nil {
		r.e.cfg.Log.Error("a question could not be withdrawn", "execution", r.x.Handle, "error", err)
	}
}

// Answer is a reply to a script's question: Text, or Failure which raises llm.Error.
type Answer struct {
	RequestID string // "" means the open one
	Text      string
	Failure   string
	By        app.Actor
}

// Respond answers an execution that waits for the LLM and returns it as it then stands. Errors: CodeNotFound, CodeNotWaiting, CodeRequestMismatch,
// CodeProfileRevoked, CodeTooLarge, CodeStorageBusy, CodeStorageFull.
func (e *Engine) Respond(ctx context.Context, id string, a Answer) (app.Execution, error) {
	x, err := e.Execution(ctx, id)
	if err != nil {
		return app.Execution{}, err
	}
	switch {
	case len(a.Text) > app.MaxResponse:
		return app.Execution{}, tooLarge("response", app.MaxResponse, "Shorten the answer.")
	case len(a.Failure) > app.MaxFailure:
		return app.Execution{}, tooLarge("error", app.MaxFailure, "Shorten the error.")
	}
	r := e.running(x.Handle)
	if r == nil {
		return app.Execution{}, notWaiting(x.Status)
	}
	if err := r.reply(ctx, a); err != nil {
		return app.Execution{}, err
	}
	e.publish(x)
	return e.Execution(ctx, id)
}

// reply records the answer and hands it to the script.
func (r *run) reply(ctx context.Context, a Answer) error {
	text := a.Text
	if a.Failure != "" {
		text = a.Failure
	}
	r.replies.Lock() // of many answers at once the first that counts is masked, and no other
	defer r.replies.Unlock()
	r.mu.Lock()
	_, err := r.asking(a)
	r.mu.Unlock()
	if err != nil {
		return err // before it is masked: that costs up to two seconds per MiB, which nobody may spend in vain as often as they like
	}
	clean, hits := r.redactor().Text(text)
	r.mu.Lock()
	defer r.mu.Unlock()
	q, err := r.asking(a)
	if err != nil {
		return err
	}
	row := store.Reply{RequestID: q.id, Response: clean, Failed: a.Failure != "", By: a.By, At: r.e.now(),
		Sealed: r.e.cfg.Keyring.Seal(secrets.Scripts, secrets.AnswerRow(q.id), []byte(text))}
	ctx = context.WithoutCancel(ctx) // an answer that is stored must reach the script
	err = r.e.cfg.Store.Write(ctx, func(tx *store.Tx) error {
		if err := tx.Answer(ctx, r.x.Handle, row); err != nil || a.By.Kind == app.ActorAgent {
			return err
		}
		return tx.Audit(ctx, app.Event{At: row.At, Actor: a.By, Action: "execution.answer", Subject: r.x.Handle, Detail: "answered a question of the script"})
	})
	if app.CodeOf(err) == app.CodeConflict {
		return notWaiting(app.StatusRunning)
	}
	if err != nil {
		return fmt.Errorf("engine: respond: %w", err)
	}
	r.masked["answer"] = r.masked["answer"].Plus(hits)
	r.question = nil
	q.answer <- a
	return nil
}

// asking is the question that an answer is for. r.mu is held.
func (r *run) asking(a Answer) (*question, error) {
	q := r.question
	switch {
	case q == nil || r.ctx.Err() != nil:
		return nil, notWaiting(app.StatusRunning)
	case a.RequestID != "" && a.RequestID != q.id:
		return nil, app.E(app.CodeRequestMismatch, "the execution waits for the answer to another question", "GET /executions/{id} shows the question that waits now, in llm_request; answer its request_id.")
	}
	return q, nil
}

func notWaiting(status app.Status) error {
	what := "the execution is not waiting for an answer"
	if status.Terminal() {
		what = fmt.Sprintf("the execution has ended (%s)", status)
	}
	return app.E(app.CodeNotWaiting, what, "GET /executions/{id} shows how it stands: an answer is wanted only while its status is awaiting_llm, once per question.")
}
