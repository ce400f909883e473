package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// Rerun submits what a terminal execution was given once more: the same script and inputs byte for byte, under its profile as it is now. Its questions get the
// answers that were given then, each to the very same prompt and model; at a question that was not asked then it ends in error, unless live is true: then that
// one is asked for real. Errors: CodeNotFound, CodeConflict if it has not ended, and those of Submit.
func (e *Engine) Rerun(ctx context.Context, handle string, live bool, by app.Actor, trace string) (app.Execution, error) {
	original, err := e.ByHandle(ctx, handle)
	if err != nil {
		return app.Execution{}, err
	}
	if !original.Status.Terminal() {
		return app.Execution{}, app.E(app.CodeConflict, "the execution has not ended yet", "Wait for its end with GET /executions/{id}?wait=50, or POST /executions/{id}/cancel; then run it again.")
	}
	profile, err := e.cfg.Access.ProfileByHandle(ctx, original.ProfileHandle)
	if app.CodeOf(err) == app.CodeNotFound {
		return app.Execution{}, app.E(app.CodeProfileRevoked, "the profile was deleted", "What ran under it can't run again.")
	}
	if err != nil {
		return app.Execution{}, fmt.Errorf("engine: run again: %w", err)
	}
	if err := profile.CanExecute(e.now()); err != nil {
		return app.Execution{}, err
	}
	script, inputs, err := e.given(ctx, handle)
	if err != nil {
		return app.Execution{}, fmt.Errorf("engine: run again: %w", err)
	}
	s := Submission{ProfileID: profile.ID, Script: string(script), Inputs: inputs, Timeout: min(original.Timeout, e.cfg.TimeoutMax), By: by, Trace: trace}
	if _, _, err := e.foresee(ctx, s, profile.Handle); err != nil {
		return app.Execution{}, err
	}
	clean, err := e.shown(ctx, profile, s.Script)
	if err != nil {
		return app.Execution{}, fmt.Errorf("engine: run again: %w", err)
	}
	id := app.NewExecutionID()
	n := e.seal(s, profile.Handle, id)
	n.Clean = clean
	n.RerunOf, n.Live = original.Handle, live
	x, _, err := e.enqueue(ctx, s, n, nil)
	if err != nil {
		return app.Execution{}, err
	}
	x.ID = id
	return x, nil
}

// given opens what an execution was given; inputs are nil if there were none.
func (e *Engine) given(ctx context.Context, handle string) (script, inputs []byte, err error) {
	var sealed store.ExecutionScript
	err = e.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		sealed, err = tx.ExecutionScript(ctx, handle)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	if script, err = e.cfg.Keyring.Open(secrets.Scripts, secrets.ScriptRow(handle), sealed.Script); err != nil || sealed.Inputs == nil {
		return script, nil, err
	}
	inputs, err = e.cfg.Keyring.Open(secrets.Scripts, secrets.InputsRow(handle), sealed.Inputs)
	return script, inputs, err
}

// Comparison is how a re-run stands beside the execution it repeats.
type Comparison struct {
	Original   app.Execution
	Gone       bool     // the original is not kept any more; the rest is empty
	SameResult *bool    // nil until both have run to an end
	Differs    []string // what defines a run and was not the same: names of app.Manifest's identity
}

// Compare compares a re-run with its original.
func (e *Engine) Compare(ctx context.Context, x app.Execution) (Comparison, error) {
	original, err := e.ByHandle(ctx, x.RerunOf)
	if app.CodeOf(err) == app.CodeNotFound {
		return Comparison{Gone: true}, nil
	}
	if err != nil {
		return Comparison{}, err
	}
	c := Comparison{Original: original}
	if x.Status.Terminal() && x.Manifest.Script != "" && original.Manifest.Script != "" {
		same := x.Status == original.Status && x.Manifest.ResultHash == original.Manifest.ResultHash
		c.SameResult, c.Differs = &same, x.Manifest.Differs(original.Manifest)
	}
	return c, nil
}

// asked identifies a question without telling it: prompts may hold secrets.
func (e *Engine) asked(prompt, model string) []byte {
	return e.cfg.Keyring.Lookup(secrets.Scripts, askedText(prompt, model))
}

func askedText(prompt, model string) string {
	return "asked:" + strconv.Itoa(len(model)) + ":" + model + prompt
}

// askedElsewhere reports whether it is the question's mark by an instance whose history was imported here: each has a key of its own.
func (r *run) askedElsewhere(mark []byte, prompt, model string) bool {
	return slices.ContainsFunc(r.askedKeys, func(key []byte) bool {
		return bytes.Equal(mark, secrets.LookupWith(key, askedText(prompt, model)))
	})
}

// playback answers a question of a re-run with what was answered then. ok is false where it has to be asked for real. r.turn is held.
func (r *run) playback(ctx context.Context, prompt, model string) (a Answer, ok bool, err error) {
	asked := r.e.asked(prompt, model)
	for i, was := range r.recorded {
		if !bytes.Equal(was.Asked, asked) && !r.askedElsewhere(was.Asked, prompt, model) {
			continue
		}
		r.recorded = append(r.recorded[:i:i], r.recorded[i+1:]...) // each once, so a question that was asked twice gets both its answers
		text, err := r.e.cfg.Keyring.Open(secrets.Scripts, secrets.AnswerRow(was.RequestID), was.Sealed)
		if err != nil {
			return Answer{}, false, fmt.Errorf("engine: play back: %w", err)
		}
		a = Answer{Text: string(text), By: app.System()}
		if was.Failed {
			a.Text, a.Failure = "", string(text)
		}
		return a, true, r.played(prompt, model, asked, a)
	}
	if r.x.Live {
		return Answer{}, false, nil
	}
	r.mu.Lock()
	n := r.asked + 1
	r.mu.Unlock()
	r.stop(&stop{app.StatusError, fmt.Sprintf("the re-run went another way than the execution it repeats: its question %d (prompt or model) was not asked then, so there is no "+
		"answer to play back; run it again with \"live\": true to be asked such questions", n)})
	<-ctx.Done()
	return Answer{}, false, context.Cause(ctx)
}

// played records a question and its answer in one step: nobody was asked.
func (r *run) played(prompt, model string, asked []byte, a Answer) error {
	id := "llm_" + app.NewID()
	text := a.Text + a.Failure
	q := store.Question{RequestID: id, Prompt: r.cleanPrompt(prompt), Model: r.cleanModel(model), Asked: asked, At: r.e.now()}
	reply := store.Reply{RequestID: id, Response: r.clean("answer", text), Failed: a.Failure != "", By: a.By, At: q.At,
		Sealed: r.e.cfg.Keyring.Seal(secrets.Scripts, secrets.AnswerRow(id), []byte(text))}
	r.mu.Lock()
	defer r.mu.Unlock()
	q.Ordinal = r.asked + 1
	err := r.e.cfg.Store.Write(r.ctx, func(tx *store.Tx) error {
		if err := tx.Ask(r.ctx, r.x.Handle, q); err != nil {
			return err
		}
		return tx.Answer(r.ctx, r.x.Handle, reply)
	})
	if err != nil {
		r.e.cfg.Log.Error("a played back answer could not be stored", "execution", r.x.Handle, "error", err)
		return errors.New("the answer could not be played back")
	}
	r.asked++
	return nil
}

// recall reads the answers that a re-run may play back.
func (r *run) recall() error {
	if r.x.RerunOf == "" {
		return nil
	}
	err := r.e.cfg.Store.Read(r.ctx, func(tx *store.Tx) (err error) {
		if r.recorded, err = tx.Recorded(r.ctx, r.x.RerunOf); err != nil {
			return err
		}
		r.askedKeys, err = access.AskedKeys(r.ctx, tx, r.e.cfg.Keyring)
		return err
	})
	if app.CodeOf(err) == app.CodeNotFound {
		return app.E(app.CodeNotFound, "the execution that was to be repeated is not kept any more", "Submit the script itself.")
	}
	return err
}
