package engine

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// Submission is what an agent sends.
type Submission struct {
	ProfileID      string
	Script         string
	Inputs         json.RawMessage // nil if none
	Timeout        time.Duration   // 0: the default; more than the configured most: that most
	IdempotencyKey string          // "" if none
	By             app.Actor
	Trace          string // trace id of the request, "" if it has none
}

// Submit stores an execution as pending and wakes the engine. With an idempotency key that was used for the same body within 24 hours it returns that
// execution and replayed is true. Errors: the profile's CanExecute, CodeUnauthorized for an unknown profile, CodeTooLarge, CodeInvalidField, CodeQueueFull, CodeIdempotencyReused, CodeSandboxUnavailable, CodeInstanceRetired, CodeStorageBusy, CodeStorageFull.
func (e *Engine) Submit(ctx context.Context, s Submission) (x app.Execution, replayed bool, err error) {
	found, err := e.mayExecute(ctx, s.ProfileID)
	if err != nil {
		return app.Execution{}, false, err
	}
	profile := found.profile
	if err := e.check(&s); err != nil {
		return app.Execution{}, false, err
	}
	if x, replayed, err = e.foresee(ctx, s, profile.Handle); err != nil || replayed {
		x.ProfileID = s.ProfileID
		return x, replayed, err
	}
	clean, err := e.shown(ctx, profile, s.Script)
	if err != nil {
		return app.Execution{}, false, fmt.Errorf("engine: submit: %w", err)
	}
	id := app.NewExecutionID()
	n := e.seal(s, profile.Handle, id)
	n.Clean = clean
	x, replayed, err = e.enqueue(ctx, s, n, &found)
	if err != nil {
		return app.Execution{}, false, err
	}
	x.ProfileID = s.ProfileID
	if !replayed {
		x.ID = id
	}
	return x, replayed, nil
}

// mayExecute returns what a script may have if scripts may run under the profile now.
func (e *Engine) mayExecute(ctx context.Context, id string) (found terms, err error) {
	found.profile, found.policy, err = e.cfg.Access.BoundByID(ctx, id)
	if app.CodeOf(err) == app.CodeNotFound {
		return found, app.E(app.CodeUnauthorized, "the profile id is not known", "Check profile_id; create a profile with POST /profiles if you have none.")
	}
	if err != nil {
		return found, fmt.Errorf("engine: read the profile: %w", err)
	}
	return found, found.profile.CanExecute(e.now())
}

// check refuses what can't run and fills in the timeout.
func (e *Engine) check(s *Submission) error {
	switch {
	case strings.TrimSpace(s.Script) == "":
		return app.Invalid("script", "the script is empty", "Send Python source in script.")
	case len(s.Script) > app.MaxScript:
		return tooLarge("script", app.MaxScript, "Move data into inputs or fetch it in the script.")
	case strings.ContainsRune(s.Script, 0):
		return app.Invalid("script", "the script contains a NUL byte", "Remove it, or write it as \\0 in a Python string.")
	case !utf8.ValidString(s.Script):
		return app.Invalid("script", "the script is not valid UTF-8", "Send it in UTF-8.")
	case len(s.Inputs) > app.MaxInputs:
		return tooLarge("inputs", app.MaxInputs, "Send less, or fetch the data in the script.")
	case s.Inputs != nil && !json.Valid(s.Inputs):
		return app.Invalid("inputs", "inputs is not valid JSON", "Send one JSON value.")
	case s.Timeout < 0:
		return app.Invalid("timeout", "the timeout is negative", fmt.Sprintf("Send seconds from 1 to %d, or leave it out.", int(e.cfg.TimeoutMax/time.Second)))
	case len(s.IdempotencyKey) > app.MaxIdempotencyKey:
		return app.Invalid("Idempotency-Key", fmt.Sprintf("the idempotency key is longer than %d bytes", app.MaxIdempotencyKey), "Use a shorter one, such as a UUID.")
	}
	if s.Timeout == 0 {
		s.Timeout = e.cfg.TimeoutDefault
	}
	s.Timeout = min(max(s.Timeout, time.Millisecond), e.cfg.TimeoutMax)
	return nil
}

func tooLarge(field string, limit int64, hint string) error {
	err := app.E(app.CodeTooLarge, fmt.Sprintf("%s is larger than %s", field, size(limit)), hint)
	err.Field = field
	return err
}

// seal makes the row of a submission.
func (e *Engine) seal(s Submission, profile, id string) store.NewExecution {
	k, handle := e.cfg.Keyring, app.NewID()
	n := store.NewExecution{
		Handle: handle, ProfileHandle: profile, Timeout: s.Timeout, By: s.By, Trace: s.Trace, At: e.now(),
		Lookup:   k.Lookup(secrets.Execs, id),
		SealedID: k.Seal(secrets.Execs, secrets.ExecutionRow(handle), []byte(id)),
		Script:   k.Seal(secrets.Scripts, secrets.ScriptRow(handle), []byte(s.Script)),
	}
	if s.Inputs != nil {
		n.Inputs = k.Seal(secrets.Scripts, secrets.InputsRow(handle), s.Inputs)
	}
	return n
}

// enqueue stores the row and tells of it, or returns the execution that was submitted with the same key before. x is pending and without its id. If nothing
// waits and a slot is free it is claimed with the same commit, and then bound with it too if what it is bound to was found already.
func (e *Engine) enqueue(ctx context.Context, s Submission, n store.NewExecution, found *terms) (x app.Execution, replayed bool, err error) {
	now := e.atOnce(ctx)
	defer now.end()
	if now != nil {
		ctx = context.WithoutCancel(ctx) // a claim that was committed must be known here: it is not given up half-way
	}
	key, body := sha256.Sum256([]byte(s.IdempotencyKey)), s.digest()
	since := n.At.Add(-app.IdempotencyLife)
	before := "" // handle of the execution that has the key
	err = e.cfg.Store.Write(ctx, func(tx *store.Tx) error {
		if s.IdempotencyKey != "" {
			if before, err = tx.Replayed(ctx, n.ProfileHandle, key[:], body, since); err != nil || before != "" {
				return err
			}
		}
		waiting, held, err := e.room(ctx, tx, n.ProfileHandle)
		if err != nil {
			return err
		}
		if now.may(waiting, held) {
			n.ClaimedBy = e.name
			if err := now.bind(ctx, tx, &n, s, found); err != nil {
				return err
			}
		}
		pending, err := tx.Enqueue(ctx, n)
		if err != nil {
			return err
		}
		x = pending.Execution
		if s.IdempotencyKey == "" {
			return nil
		}
		return tx.Remember(ctx, n.ProfileHandle, n.Handle, key[:], body, n.At, since)
	})
	switch {
	case err != nil:
		return app.Execution{}, false, err
	case before != "":
		x, err = e.ByHandle(ctx, before)
		return x, true, err
	case n.ClaimedBy != "":
		now.claimed(x, s)
	default:
		e.wakeUp()
	}
	e.cfg.Metrics.Submitted()
	e.publish(x)
	return x, false, nil
}

// room refuses what could not run or would wait too long, and returns how many wait already, and whether people hold the queue.
func (e *Engine) room(ctx context.Context, tx *store.Tx, profile string) (waiting int, held bool, err error) {
	held, retired, err := access.ReadHeld(ctx, tx)
	if err != nil {
		return 0, false, err
	}
	if err := cmp.Or(retired.Err(), e.cfg.Store.RoomyIn(ctx, tx), e.notAccepting()); err != nil {
		return 0, held, err
	}
	waiting, err = e.mayWait(ctx, tx, profile)
	return waiting, held, err
}

// notAccepting is what agents are told while nothing may run, nil else.
func (e *Engine) notAccepting() error {
	switch reason := e.refusing(); reason {
	case "":
		return nil
	case beingStopped:
		return app.E(app.CodeSandboxUnavailable, reason, "Wait until it has been started again, which GET /health tells, then submit again.")
	default:
		return app.E(app.CodeSandboxUnavailable, "no sandbox is available: "+reason, "Ask the person who runs Airlock to look at the Sandbox page of the UI, or to run airlock doctor on the host; then submit again.")
	}
}

// mayWait returns how many executions wait, and an error if that is as many as may.
func (e *Engine) mayWait(ctx context.Context, tx *store.Tx, profile string) (int, error) {
	all, own, err := tx.Queued(ctx, profile)
	switch {
	case err != nil:
		return 0, err
	case own >= e.cfg.QueuePerProfile:
		return 0, app.E(app.CodeQueueFull, fmt.Sprintf("this profile has %d executions waiting already", own), "Wait until some of them have ended, then submit again.")
	case all >= e.cfg.Queue:
		return 0, app.E(app.CodeQueueFull, fmt.Sprintf("%d executions are waiting already", all), "Try again later, or ask the operator to raise AIRLOCK_QUEUE or AIRLOCK_WORKERS.")
	}
	return all, nil
}

// digest identifies what was submitted, each part with its length. The timeout counts as it will be used.
func (s Submission) digest() []byte {
	sum := sha256.New()
	inputs := "absent"
	if s.Inputs != nil {
		inputs = "json:" + string(s.Inputs)
	}
	for _, part := range []string{s.Script, inputs, s.Timeout.String()} {
		sum.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		sum.Write([]byte(part))
	}
	return sum.Sum(nil)
}
