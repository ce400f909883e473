package executions

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/approvals"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/runner"
	"github.com/computclaw/airlock/app/scheduler"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// Submitter stores new executions through the scheduler.
type Submitter struct {
	cfg    Config
	reader *Reader
}

// Submit stores an execution as pending, or awaiting_approval if a person decides first.
//
// If its idempotency key came with the same body within 24 hours, it returns that execution, and
// replayed is true. Errors: those of app.Profile.CanExecute, CodeUnauthorized for an unknown
// profile, CodeScriptNotAllowed, CodeScriptRefused, CodeTooLarge, CodeInvalidField,
// CodeFileNotFound, CodePackageMissing, CodeQueueFull, CodeIdempotencyReused,
// CodeSandboxUnavailable, CodeInstanceRetired, CodeStorageBusy, CodeStorageFull.
func (s *Submitter) Submit(ctx context.Context, sub Submission) (x app.Execution, replayed bool, err error) {
	if err := sub.Validate(s.cfg.Timeouts); err != nil {
		return x, false, err
	}
	profile, policy, err := s.cfg.Binder.BoundByID(ctx, sub.ProfileID)
	if app.CodeOf(err) == app.CodeNotFound {
		err = app.ErrUnknownProfile()
	}
	if err != nil {
		return x, false, err
	}
	x, err = s.enqueue(ctx, &insertion{submission: sub, profile: profile, policy: &policy})
	if known, ok := errors.AsType[*replayError](err); ok {
		x, err = s.reader.ByHandle(ctx, known.handle)
		replayed = err == nil
	}
	x.ProfileID = sub.ProfileID
	return x, replayed, err
}

type insertion struct {
	submission Submission
	profile    app.Profile
	policy     *app.Policy // the newest one; nil: it is bound when it runs
	rerunOf    string      // handle; "" if it is no re-run
	live       bool        // of a re-run

	row     store.NewExecution
	binding *runner.Binding // made with the claim; nil if there is none
}

// enqueue stores and announces an execution. If next, it is claimed in the same commit.
func (s *Submitter) enqueue(ctx context.Context, in *insertion) (x app.Execution, err error) {
	sub := &in.submission
	if err := in.profile.CanExecute(s.cfg.Now()); err != nil {
		return x, err
	}
	if err := s.resolve(ctx, in.profile, sub); err != nil {
		return x, err
	}
	source, opened := runner.Source{Script: []byte(sub.Script), Inputs: sub.Inputs, Files: sub.files}, credentials.Opened{}
	shown, err := s.redactSubmission(ctx, in.profile, *sub, source, opened)
	if err != nil {
		return x, fmt.Errorf("executions: submit: %w", err)
	}
	id := s.seal(in, shown)
	x, err = s.cfg.Scheduler.Submit(ctx, scheduler.Submission{
		Row:   &in.row,
		Check: func(ctx context.Context, tx *store.Tx) error { return s.check(ctx, tx, in) },
		Bind: func(ctx context.Context, tx *store.Tx) (err error) {
			if in.policy != nil { // a re-run first reads its recorded answers
				in.binding, err = s.cfg.Runner.BindWithClaim(ctx, tx, &in.row, runner.Submitted{
					Policy: *in.policy, Source: source, Opened: opened, Placement: sub.placement,
				})
			}
			return err
		},
		Begin: func(x app.Execution, slot *scheduler.Slot) (run func()) {
			return s.cfg.Runner.Begin(runner.Claim{Execution: x, Slot: slot, Source: &source, Binding: in.binding}).Execute
		},
		Discard: func() {
			if in.binding != nil {
				in.binding.Discard()
			}
		},
	})
	if err != nil {
		return app.Execution{}, err
	}
	s.cfg.Metrics.Submitted()
	s.cfg.Hub.PublishExecutions(x.Handle)
	x.ID = id
	return x, nil
}

// seal makes the row of an execution, and returns the execution's id.
func (s *Submitter) seal(in *insertion, shown shown) (id string) {
	k, sub, handle, id := s.cfg.Keyring, in.submission, app.NewID(), app.NewExecutionID()
	in.row = store.NewExecution{
		Handle: handle, ProfileHandle: in.profile.Handle, Timeout: sub.timeout, By: sub.By, Trace: sub.Trace,
		At:       s.cfg.Now(),
		Lookup:   k.Lookup(secrets.Execs, id),
		SealedID: k.Seal(secrets.Execs, secrets.ExecutionRow(handle), []byte(id)),
		Script:   k.Seal(secrets.Scripts, secrets.ScriptRow(handle), []byte(sub.Script)),
		Shown:    shown.Shown,
		Files:    sub.files,
		Label:    shown.label,
		Skill:    nameSkill(sub.version), SkillDigest: sub.version.Digest,
		RerunOf: in.rerunOf, Live: in.live,
	}
	if sub.IdempotencyKey != "" {
		key := sha256.Sum256([]byte(sub.IdempotencyKey))
		in.row.Key = &store.IdempotencyKey{Key: key[:], Body: sub.digest()}
	}
	if len(sub.files) > 0 {
		in.row.FilesUntil = in.row.At.Add(s.cfg.Files.Retention())
	}
	if sub.Inputs != nil {
		in.row.Inputs = k.Seal(secrets.Scripts, secrets.InputsRow(handle), sub.Inputs)
	}
	return id
}

type replayError struct{ handle string }

func (e *replayError) Error() string { return "executions: submitted before as " + e.handle }

// check finds an earlier submission with the same key, and notes the script's approval. Errors:
// *replayError for a known key with the same submission.
func (s *Submitter) check(ctx context.Context, tx *store.Tx, in *insertion) (err error) {
	if key := in.row.Key; key != nil {
		known, err := tx.Queue.Replayed(ctx, in.profile.Handle, key.Key, key.Body, s.cfg.Now().Add(-app.IdempotencyLife))
		if err != nil {
			return err
		}
		if known != "" {
			return &replayError{known}
		}
	}
	if in.row.Skill != "" {
		return nil // a person approved the skill's version; the runner looks again before it runs
	}
	in.row.Approval, in.row.Waits, err = s.cfg.Approvals.Require(ctx, tx, approvals.Script{
		ProfileHandle: in.profile.Handle, Script: in.submission.Script, Shown: in.row.Shown.Script,
		Execution: in.row.Handle, By: in.submission.By,
	})
	return err
}
