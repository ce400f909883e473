package runner

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/instance"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// recordedAnswers gives a re-run the answers of its original.
//
// Each goes only to the same question (prompt and model), in any order. Only re-runs have this as a
// hook.
type recordedAnswers struct {
	runner *Runner
	x      app.Execution

	// The holder of dialogue.turn uses these.

	unplayed []store.Recorded
	keys     [][]byte // of instances whose history was imported: their question marks are made with these
}

// Before reads what a re-run may play back.
func (a *recordedAnswers) Before(ctx context.Context, _ *Binding) error {
	err := a.runner.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		if a.unplayed, err = tx.Questions.ListRecorded(ctx, a.x.RerunOf); err != nil {
			return err
		}
		a.keys, err = instance.AskedKeys(ctx, tx, a.runner.cfg.Keyring)
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

// take returns a recorded answer to the question, each once. ok is false if there is none.
func (a *recordedAnswers) take(prompt, model string) (answer Answer, ok bool, err error) {
	mark := a.runner.questionMark(prompt, model)
	i := slices.IndexFunc(a.unplayed, func(was store.Recorded) bool {
		return bytes.Equal(was.Asked, mark) || a.markedElsewhere(was.Asked, prompt, model)
	})
	if i < 0 {
		return Answer{}, false, nil
	}
	was := a.unplayed[i]
	a.unplayed = slices.Delete(a.unplayed, i, i+1)
	text, err := a.runner.cfg.Keyring.Open(secrets.Scripts, secrets.AnswerRow(was.RequestID), was.Sealed)
	if err != nil {
		return Answer{}, false, fmt.Errorf("runner: play back: %w", err)
	}
	answer = Answer{Text: string(text), By: app.System()}
	if was.Failed {
		answer.Text, answer.Failure = "", string(text)
	}
	return answer, true, nil
}

// markedElsewhere reports whether an instance with imported history here made the question's mark.
// Each has its own key.
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
