package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/instance"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// recordedAnswers gives a re-run the answers of the execution that it repeats.
//
// Each goes only to the very question (prompt and model) that it was given to, in whatever order
// the script's threads ask. They become exchanges of the re-run too, so that it can be repeated
// itself.
type recordedAnswers struct {
	run *Run

	// The holder of dialogue.turn uses these.

	unplayed []store.Recorded
	keys     [][]byte // of instances whose history was imported: their question marks are made with these
}

// Before reads what a re-run may play back.
func (a *recordedAnswers) Before(ctx context.Context, _ *Binding) error {
	r := a.run
	if r.x.RerunOf == "" {
		return nil
	}
	err := r.runner.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		if a.unplayed, err = tx.Questions.Recorded(ctx, r.x.RerunOf); err != nil {
			return err
		}
		a.keys, err = instance.AskedKeys(ctx, tx, r.runner.cfg.Keyring)
		return err
	})
	if app.CodeOf(err) == app.CodeNotFound {
		return app.E(app.CodeNotFound, "the execution that was to be repeated is not kept any more",
			"Submit the script itself.")
	}
	return err
}

// After does nothing: the answers that were played back are stored already.
func (a *recordedAnswers) After(*ending) {}

// next plays back the recorded answer to a question. ok is false if the agent has to be asked.
// A re-run that may not ask is stopped at a question that was not asked then. The caller holds
// dialogue.turn.
func (a *recordedAnswers) next(ctx context.Context, prompt, model string) (answer Answer, ok bool, err error) {
	r := a.run
	if r.x.RerunOf == "" {
		return Answer{}, false, nil
	}
	mark := r.runner.questionMark(prompt, model)
	i := slices.IndexFunc(a.unplayed, func(was store.Recorded) bool {
		return bytes.Equal(was.Asked, mark) || a.markedElsewhere(was.Asked, prompt, model)
	})
	switch {
	case i >= 0:
		was := a.unplayed[i]
		a.unplayed = slices.Delete(a.unplayed, i, i+1) // a question that was asked twice gets both its answers
		answer, err = a.play(was, prompt, model)
		return answer, true, err
	case r.x.Live:
		return Answer{}, false, nil
	}
	r.Stop(stopDiverged(r.dialogue.count() + 1))
	<-ctx.Done()
	return Answer{}, false, context.Cause(ctx)
}

// play opens a recorded answer, and stores question and answer in one step, without asking anybody.
func (a *recordedAnswers) play(was store.Recorded, prompt, model string) (Answer, error) {
	r := a.run
	text, err := r.runner.cfg.Keyring.Open(secrets.Scripts, secrets.AnswerRow(was.RequestID), was.Sealed)
	if err != nil {
		return Answer{}, fmt.Errorf("runner: play back: %w", err)
	}
	answer := Answer{Text: string(text), By: app.System()}
	if was.Failed {
		answer.Text, answer.Failure = "", string(text)
	}
	q := r.dialogue.questionRow(newRequestID(), prompt, model)
	reply := store.Reply{
		RequestID: q.RequestID, Response: r.redaction.text("answer", string(text)), Failed: was.Failed,
		By: answer.By, At: q.At,
		Sealed: r.runner.cfg.Keyring.Seal(secrets.Scripts, secrets.AnswerRow(q.RequestID), text),
	}
	if err := r.dialogue.recordExchange(q, reply); err != nil {
		r.runner.cfg.Log.Error("could not store a played back answer", "execution", r.x.Handle, "error", err)
		return Answer{}, errors.New("the answer could not be played back")
	}
	return answer, nil
}

// markedElsewhere reports whether the mark of the question was made by an instance whose history
// was imported here: each has a key of its own.
func (a *recordedAnswers) markedElsewhere(mark []byte, prompt, model string) bool {
	return slices.ContainsFunc(a.keys, func(key []byte) bool {
		return bytes.Equal(mark, secrets.LookupWith(key, questionText(prompt, model)))
	})
}

// questionMark returns a keyed hash that identifies a question. Prompts may hold secrets.
func (r *Runner) questionMark(prompt, model string) []byte {
	return r.cfg.Keyring.Lookup(secrets.Scripts, questionText(prompt, model))
}

func questionText(prompt, model string) string {
	return "asked:" + strconv.Itoa(len(model)) + ":" + model + prompt
}

// recordExchange stores a question and its answer together. The caller holds turn.
func (d *dialogue) recordExchange(q store.Question, reply store.Reply) error {
	r := d.run
	q.Ordinal = d.count() + 1
	err := r.runner.cfg.Store.Write(r.ctx, func(tx *store.Tx) error {
		if err := tx.Questions.Ask(r.ctx, r.x.Handle, q); err != nil {
			return err
		}
		return tx.Questions.Answer(r.ctx, r.x.Handle, reply)
	})
	if err == nil {
		d.mu.Lock()
		d.asked++
		d.mu.Unlock()
	}
	return err
}

// count returns how many questions were asked.
func (d *dialogue) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.asked
}
