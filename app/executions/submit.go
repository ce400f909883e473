package executions

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/approvals"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/runner"
	"github.com/computclaw/airlock/app/scheduler"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/shares"
	"github.com/computclaw/airlock/store"
)

// Submitter stores new executions and passes them to the scheduler.
type Submitter struct {
	cfg       Config
	reader    *Reader
	redacting *shares.Turns // of submitted scripts, by profile
}

func newSubmitter(cfg Config, reader *Reader) *Submitter {
	return &Submitter{
		cfg: cfg, reader: reader,
		// At least two at once, so that one profile leaves a turn to another.
		redacting: shares.NewTurns(max(2, runtime.GOMAXPROCS(0)), shares.New(maxScriptsWaiting), errTooManyTexts),
	}
}

// Submit stores an execution as pending and wakes the scheduler.
//
// With an idempotency key that was used for the same body within 24 hours it returns that
// execution, and replayed is true. A script that a person has to approve first is stored as
// awaiting_approval. Errors: those of app.Profile.CanExecute, CodeUnauthorized for an
// unknown profile, CodeScriptNotAllowed, CodeScriptRefused, CodeTooLarge, CodeInvalidField,
// CodeFileNotFound, CodePackageMissing, CodeQueueFull, CodeIdempotencyReused, CodeSandboxUnavailable,
// CodeInstanceRetired, CodeStorageBusy, CodeStorageFull.
func (s *Submitter) Submit(ctx context.Context, sub Submission) (x app.Execution, replayed bool, err error) {
	profile, policy, err := s.mayExecute(ctx, sub.ProfileID, sub.Skill != "")
	if err != nil {
		return app.Execution{}, false, err
	}
	if err := s.resolveSkill(ctx, profile, &sub); err != nil {
		return app.Execution{}, false, err
	}
	if err := s.check(&sub); err != nil {
		return app.Execution{}, false, err
	}
	if x, replayed, err = s.precheck(ctx, sub, profile.Handle); err != nil || replayed {
		x.ProfileID = sub.ProfileID
		return x, replayed, err
	}
	if err := s.resolveFiles(ctx, profile.Handle, &sub); err != nil {
		return app.Execution{}, false, err
	}
	opened := credentials.Opened{}
	shown, err := s.redactSubmission(ctx, profile, sub, opened)
	if err != nil {
		return app.Execution{}, false, fmt.Errorf("executions: submit: %w", err)
	}
	in := s.newInsertion(sub, profile.Handle, shown)
	in.bindable = &runner.Submitted{Policy: policy, Source: in.submission.source(), Opened: opened,
		Placement: sub.placement}
	if x, replayed, err = s.enqueue(ctx, in); err != nil {
		return app.Execution{}, false, err
	}
	x.ProfileID = sub.ProfileID
	return x, replayed, nil
}

// ReadTimeout checks the seconds that a submitter asks for.
func (s *Submitter) ReadTimeout(seconds float64) (time.Duration, error) {
	longest := s.cfg.TimeoutMax.Seconds()
	if !(seconds >= minTimeout.Seconds() && seconds <= longest) { // NaN neither
		return 0, app.Invalid("timeout", fmt.Sprintf("timeout must be a number of seconds from %g to %g",
			minTimeout.Seconds(), longest), "Send one in that range, or none.")
	}
	return time.Duration(seconds * float64(time.Second)), nil
}

// mayExecute returns the profile and its newest policy, if scripts may run under it now.
func (s *Submitter) mayExecute(ctx context.Context, id string, skill bool) (app.Profile, app.Policy, error) {
	profile, policy, err := s.cfg.Binder.BoundByID(ctx, id)
	if app.CodeOf(err) == app.CodeNotFound {
		return profile, policy, app.E(app.CodeUnauthorized, "the profile id is not known",
			"Check profile_id; create a profile with POST /profiles if you have none.")
	}
	if err != nil {
		return profile, policy, fmt.Errorf("executions: read the profile: %w", err)
	}
	if err := profile.CanExecute(s.cfg.Now()); err != nil {
		return profile, policy, err
	}
	if skill {
		return profile, policy, nil
	}
	return profile, policy, approvals.CheckScripts(profile.MayRun)
}

// insertion is a submission on its way into the store.
type insertion struct {
	submission Submission
	id         string
	row        store.NewExecution
	bindable   *runner.Submitted // nil if it can't be bound with its claim
	binding    *runner.Binding   // made with the claim; nil if there is none
	replayOf   string            // handle of the execution that was submitted with the same key before
}

// newInsertion seals a submission.
func (s *Submitter) newInsertion(sub Submission, profile string, shown shown) *insertion {
	k, handle, id := s.cfg.Keyring, app.NewID(), app.NewExecutionID()
	in := &insertion{submission: sub, id: id}
	in.row = store.NewExecution{
		Handle: handle, ProfileHandle: profile, Timeout: sub.Timeout, By: sub.By, Trace: sub.Trace, At: s.cfg.Now(),
		Lookup:   k.Lookup(secrets.Execs, id),
		SealedID: k.Seal(secrets.Execs, secrets.ExecutionRow(handle), []byte(id)),
		Script:   k.Seal(secrets.Scripts, secrets.ScriptRow(handle), []byte(sub.Script)),
		Shown:    shown.Shown,
		Files:    sub.files,
		Label:    shown.label,
		Skill:    sub.version.name(), SkillDigest: sub.version.Digest,
	}
	if len(sub.files) > 0 {
		in.row.FilesUntil = in.row.At.Add(s.cfg.Files.Retention())
	}
	if sub.Inputs != nil {
		in.row.Inputs = k.Seal(secrets.Scripts, secrets.InputsRow(handle), sub.Inputs)
	}
	return in
}

// discard gives back what the insertion has taken.
func (in *insertion) discard() {
	if in.binding != nil {
		in.binding.Discard()
	}
}

// enqueue stores the execution and announces it, or returns the one that was submitted with the
// same key before. If it would be next in any case, it is claimed with the same commit.
func (s *Submitter) enqueue(ctx context.Context, in *insertion) (x app.Execution, replayed bool, err error) {
	claim, ok := s.cfg.Scheduler.ReserveClaim(ctx)
	if ok {
		x, err = s.insertAndClaim(ctx, in, claim)
	} else {
		x, err = s.insert(ctx, in, nil)
	}
	switch {
	case err != nil:
		return app.Execution{}, false, err
	case in.replayOf != "":
		x, err = s.reader.ByHandle(ctx, in.replayOf)
		return x, err == nil, err
	case in.row.ClaimedBy == "" && !in.row.Waits:
		s.cfg.Scheduler.Wake()
	}
	s.cfg.Metrics.Submitted()
	s.cfg.Hub.PublishExecutions(x.Handle)
	x.ID = in.id
	return x, false, nil
}

// insertAndClaim stores the execution, claims it with the same commit if it is next, and begins it.
func (s *Submitter) insertAndClaim(
	ctx context.Context, in *insertion, claim scheduler.ImmediateClaim,
) (app.Execution, error) {
	ctx = context.WithoutCancel(ctx) // a claim that is committed must begin here, so it is not given up half-way
	x, err := s.insert(ctx, in, &claim)
	if err != nil || in.row.ClaimedBy == "" {
		claim.Release(in.discard)
		return x, err
	}
	source := in.submission.source()
	claim.Begin(x, func(x app.Execution, slot *scheduler.Slot) (run func()) {
		return s.cfg.Runner.Begin(runner.Claim{Execution: x, Slot: slot, Source: &source, Binding: in.binding}).Execute
	})
	return x, nil
}

// insert stores the execution, or finds the one that was submitted with the same key before. With a
// claim it is claimed and bound too, if it is next. x is pending and without its id.
func (s *Submitter) insert(
	ctx context.Context, in *insertion, claim *scheduler.ImmediateClaim,
) (x app.Execution, err error) {
	key, body, since := in.submission.key(), in.submission.digest(), in.row.At.Add(-app.IdempotencyLife)
	profile := in.row.ProfileHandle
	err = s.cfg.Store.Write(ctx, func(tx *store.Tx) error {
		if in.submission.IdempotencyKey != "" {
			if in.replayOf, err = tx.Queue.Replayed(ctx, profile, key, body, since); err != nil || in.replayOf != "" {
				return err
			}
		}
		admission, err := s.cfg.Scheduler.Admit(ctx, tx, profile)
		if err != nil {
			return err
		}
		if err := s.requireApproval(ctx, tx, in); err != nil {
			return err
		}
		if claim != nil && !in.row.Waits && claim.Claim(&in.row, admission) && in.bindable != nil {
			if in.binding, err = s.cfg.Runner.BindWithClaim(ctx, tx, &in.row, *in.bindable); err != nil {
				return err
			}
		}
		stored, err := tx.Queue.Add(ctx, in.row)
		if err != nil {
			return err
		}
		x = stored.Execution
		if in.submission.IdempotencyKey == "" {
			return nil
		}
		return tx.Queue.Remember(ctx, profile, in.row.Handle, key, body, in.row.At, since)
	})
	return x, err
}

// requireApproval notes which approval the script runs by or waits for, if its profile needs one.
func (s *Submitter) requireApproval(ctx context.Context, tx *store.Tx, in *insertion) (err error) {
	if in.row.Skill != "" { // a person approved the version; the runner looks again before it runs
		return nil
	}
	in.row.Approval, in.row.Waits, err = s.cfg.Approvals.Require(ctx, tx, approvals.Script{
		ProfileHandle: in.row.ProfileHandle, Script: in.submission.Script, Shown: in.row.Shown.Script,
		Execution: in.row.Handle, By: in.submission.By,
	})
	return err
}

// Submission is what an agent sends.
type Submission struct {
	ProfileID      string
	Script         string            // "" with Skill
	Skill          string            // NAME, NAME@VERSION or a digest; "" for a script
	Inputs         json.RawMessage   // nil if none
	Timeout        time.Duration     // of ReadTimeout; 0: the skill's, or the default
	Label          string            // a name for people and lists; "" if none
	Files          map[string]string // ids by the names that the script knows; nil if none
	IdempotencyKey string            // "" if none
	By             app.Actor
	Trace          string // trace id of the request, "" if it has none

	files     []store.InputFile // that Files name, once resolved
	version   runnable          // of Skill, once resolved
	placement app.Placement     // of a skill; the zero value is the profile's
}

// minTimeout is the shortest timeout that can be asked for.
const minTimeout = time.Millisecond

// check refuses what can't run and fills in the timeout.
func (s *Submitter) check(sub *Submission) error {
	sub.Script = strings.TrimPrefix(sub.Script, "\ufeff") // as Python does with a file
	switch {
	case strings.TrimSpace(sub.Script) == "":
		return app.Invalid("script", "the script is empty", "Send Python source in script.")
	case len(sub.Script) > app.MaxScript:
		return tooLarge("script", app.MaxScript, "Move data into inputs or fetch it in the script.")
	case strings.ContainsRune(sub.Script, 0):
		return app.Invalid("script", "the script contains a NUL byte",
			"Remove it, or write it as \\0 in a Python string.")
	case !utf8.ValidString(sub.Script):
		return app.Invalid("script", "the script is not valid UTF-8", "Send it in UTF-8.")
	case len(sub.Inputs) > app.MaxInputs:
		return tooLarge("inputs", app.MaxInputs, smallerInputs)
	case sub.Inputs != nil && !json.Valid(sub.Inputs):
		return app.Invalid("inputs", "inputs is not valid JSON", "Send one JSON value.")
	case len(sub.IdempotencyKey) > app.MaxIdempotencyKey:
		return app.Invalid("Idempotency-Key",
			fmt.Sprintf("the idempotency key is longer than %d bytes", app.MaxIdempotencyKey),
			"Use a shorter one, such as a UUID.")
	}
	if instead := app.AlternativeForScript(sub.Script); instead != "" {
		return app.Invalid("script", "the script is not Python; it was not run", instead)
	}
	if err := app.CheckLabel(sub.Label); err != nil {
		return err
	}
	// What a skill or an earlier run had may be longer than is allowed now.
	sub.Timeout = min(cmp.Or(sub.Timeout, s.cfg.TimeoutDefault), s.cfg.TimeoutMax)
	return nil
}

const smallerInputs = "Send it in parts, one execution each, or have the script read it from an allowed host."

func tooLarge(field string, limit int64, hint string) error {
	err := app.E(app.CodeTooLarge, fmt.Sprintf("%s is larger than %s", field, app.FormatSize(limit)), hint)
	err.Field = field
	return err
}

// key identifies the idempotency key.
func (sub Submission) key() []byte {
	sum := sha256.Sum256([]byte(sub.IdempotencyKey))
	return sum[:]
}

// digest identifies what was submitted, each part with its length. The timeout counts as it will be
// used.
func (sub Submission) digest() []byte {
	sum := sha256.New()
	inputs := "absent"
	if sub.Inputs != nil {
		inputs = "json:" + string(sub.Inputs)
	}
	parts := []string{sub.Script, inputs, sub.Timeout.String()}
	if sub.Skill != "" {
		parts = append(parts, "skill:"+sub.version.Digest)
	}
	if sub.Label != "" {
		parts = append(parts, sub.Label)
	}
	for _, name := range slices.Sorted(maps.Keys(sub.Files)) {
		parts = append(parts, "file:"+name, sub.Files[name])
	}
	for _, part := range parts {
		sum.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		sum.Write([]byte(part))
	}
	return sum.Sum(nil)
}
