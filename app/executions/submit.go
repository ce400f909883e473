package executions

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/approvals"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/files"
	"github.com/computclaw/airlock/app/runner"
	"github.com/computclaw/airlock/app/scheduler"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/skills"
	"github.com/computclaw/airlock/store"
)

// Submission is what an agent sends.
type Submission struct {
	ProfileID      string
	Script         string            // "" with Skill
	Skill          string            // NAME, NAME@VERSION or a digest; "" for a script
	Inputs         json.RawMessage   // nil if none
	Timeout        *float64          // seconds; nil: the skill's, or the default
	Label          string            // a name for people and lists; "" if none
	Files          map[string]string // ids by the names that the script knows; nil if none
	IdempotencyKey string            // "" if none
	By             app.Actor
	Trace          string // trace id of the request, "" if it has none

	timeout   time.Duration     // of Timeout, once validated; 0 if it is nil
	files     []store.InputFile // that Files name, once resolved
	version   skills.Version    // of Skill, once resolved
	placement app.Placement     // of a skill; the zero value is the profile's
}

// minTimeout is the shortest timeout that can be asked for.
const minTimeout = time.Millisecond

// Validate refuses what no profile could run, and reads the timeout. Errors: CodeInvalidField,
// CodeTooLarge.
func (sub *Submission) Validate(allowed app.Timeouts) error {
	sub.Script = strings.TrimPrefix(sub.Script, "\ufeff") // as Python does with a file
	switch {
	case sub.Script != "" && sub.Skill != "":
		return app.Invalid("skill", "script and skill can't both be run", "Send one of them.")
	case strings.TrimSpace(sub.Script) == "" && sub.Skill == "":
		return app.Invalid("script", "the script is empty", `Send Python, such as "set_result(1)".`)
	case len(sub.Script) > app.MaxScript:
		return tooLarge("script", len(sub.Script), app.MaxScript,
			"Move data out of the script: send it as inputs, or fetch it from inside.")
	case strings.ContainsRune(sub.Script, 0):
		return app.Invalid("script", "the script contains a NUL byte", "Remove it, or write it as \\0 in a Python string.")
	case !utf8.ValidString(sub.Script):
		return app.Invalid("script", "the script is not valid UTF-8", "Send it in UTF-8.")
	case len(sub.Inputs) > app.MaxInputs:
		return tooLarge("inputs", len(sub.Inputs), app.MaxInputs,
			"Send it in parts, one execution each, or have the script read it from an allowed host.")
	case sub.Inputs != nil && !json.Valid(sub.Inputs):
		return app.Invalid("inputs", "inputs is not valid JSON", "Send one JSON value.")
	case len(sub.IdempotencyKey) > app.MaxIdempotencyKey || strings.ContainsFunc(sub.IdempotencyKey, notInKey):
		return app.Invalid("Idempotency-Key", fmt.Sprintf(
			"the Idempotency-Key header is not 1 to %d printable ASCII characters without spaces", app.MaxIdempotencyKey),
			"Use a UUID, one for each execution that you mean.")
	}
	if instead := app.AlternativeForScript(sub.Script); instead != "" {
		return app.Invalid("script", "the script is not Python; it was not run", instead)
	}
	if err := app.CheckLabel(sub.Label); err != nil || sub.Timeout == nil {
		return err
	}
	seconds, longest := *sub.Timeout, allowed.Max.Seconds()
	if !(seconds >= minTimeout.Seconds() && seconds <= longest) { // NaN neither
		return app.Invalid("timeout", fmt.Sprintf("timeout must be a number of seconds from %g to %g",
			minTimeout.Seconds(), longest), "Send one in that range, or none.")
	}
	sub.timeout = time.Duration(seconds * float64(time.Second))
	return nil
}

func notInKey(r rune) bool { return r <= ' ' || r > '~' }

func tooLarge(field string, size int, limit int64, hint string) error {
	err := app.E(app.CodeTooLarge, fmt.Sprintf("%s is %d bytes; at most %d are allowed", field, size, limit), hint)
	err.Field = field
	return err
}

// resolve finds a submission's skill and files, and sets its timeout.
func (s *Submitter) resolve(ctx context.Context, profile app.Profile, sub *Submission) (err error) {
	if sub.Skill == "" {
		err = approvals.CheckScripts(profile.MayRun)
	} else {
		err = s.resolveSkill(ctx, profile, sub)
	}
	if err != nil {
		return err
	}
	// A skill or an earlier run may exceed the current limit.
	sub.timeout = min(cmp.Or(sub.timeout, sub.version.Manifest.Timeout, s.cfg.Timeouts.Default), s.cfg.Timeouts.Max)
	return s.resolveFiles(ctx, profile.Handle, sub)
}

// resolveSkill finds a submission's skill version, and checks its inputs and packages. The script
// then only names the version.
func (s *Submitter) resolveSkill(ctx context.Context, profile app.Profile, sub *Submission) error {
	if _, taken := sub.Files[skills.PackedName]; taken {
		return app.Invalid("files", "the name "+skills.PackedName+" is taken", "Choose another name.")
	}
	v, err := s.cfg.Skills.Resolve(ctx, profile.Handle, sub.Skill)
	if err != nil {
		return err
	}
	if err := v.CheckInputs(sub.Inputs); err != nil {
		return err
	}
	if sub.placement, err = s.cfg.Skills.Place(v, profile.Placement); err != nil {
		return err
	}
	if err := s.cfg.Skills.CheckPackages(v, profile.Placement); err != nil {
		return err
	}
	sub.version = v
	sub.Script = "# Runs the skill " + nameSkill(v) + "."
	return nil
}

// nameSkill returns NAME@NUMBER; "" for a script.
func nameSkill(v skills.Version) string {
	if v.Digest == "" {
		return ""
	}
	return fmt.Sprintf("%s@%d", v.Name, v.Number)
}

// tmpReserve is the part of a script's /tmp kept free of its files, in bytes.
const tmpReserve = 1 << 20

// resolveFiles finds a submission's files, and keeps those of a re-run's original.
func (s *Submitter) resolveFiles(ctx context.Context, profileHandle string, sub *Submission) error {
	room := s.cfg.Runner.Tmp() - tmpReserve
	named, err := s.cfg.Files.Resolve(ctx, profileHandle, sub.Files, room)
	if err != nil {
		return err
	}
	for _, f := range sub.files {
		if !f.Kept {
			err := app.E(app.CodeFileNotFound, "the file "+f.Name+" of that execution is not kept any more",
				"Send it again with POST /files, and name all files in the request.")
			err.Field = "files"
			return err
		}
		named = append(named, f)
	}
	sub.files = named
	return files.CheckTotal(named, room)
}

// digest identifies a submission, each part with its length. It includes the effective timeout.
func (sub Submission) digest() []byte {
	sum := sha256.New()
	inputs := "absent"
	if sub.Inputs != nil {
		inputs = "json:" + string(sub.Inputs)
	}
	parts := []string{sub.Script, inputs, sub.timeout.String()}
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
	profile, policy, err := s.cfg.Binder.ReadBoundByID(ctx, sub.ProfileID)
	if app.CodeOf(err) == app.CodeNotFound {
		err = app.ErrUnknownProfile()
	}
	if err != nil {
		return x, false, err
	}
	x, err = s.enqueue(ctx, &insertion{submitter: s, submission: sub, profile: profile, policy: &policy})
	if known, ok := errors.AsType[*replayError](err); ok {
		x, err = s.reader.ByHandle(ctx, known.handle)
		replayed = err == nil
	}
	x.ProfileID = sub.ProfileID
	return x, replayed, err
}

// insertion is one execution on its way into the queue: see scheduler.Submission.
type insertion struct {
	submitter  *Submitter
	submission Submission
	profile    app.Profile
	policy     *app.Policy // the newest one; nil: it is bound when it runs
	rerunOf    string      // handle; "" if it is no re-run
	live       bool        // of a re-run

	source  runner.Source
	opened  credentials.Opened
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
	in.source = runner.Source{Script: []byte(sub.Script), Inputs: sub.Inputs, Files: sub.files}
	in.opened = credentials.Opened{}
	shown, err := s.redactSubmission(ctx, in.profile, *sub, in.source, in.opened)
	if err != nil {
		return x, fmt.Errorf("executions: submit: %w", err)
	}
	id := s.seal(in, shown)
	x, err = s.cfg.Scheduler.Submit(ctx, scheduler.Submission{
		Row: &in.row, Check: in.check, Bind: in.bind, Begin: in.begin, Discard: in.discard,
	})
	if err != nil {
		return app.Execution{}, err
	}
	s.cfg.Metrics.CountSubmitted()
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
func (in *insertion) check(ctx context.Context, tx *store.Tx) (err error) {
	s := in.submitter
	if key := in.row.Key; key != nil {
		known, err := tx.Queue.ByKey(ctx, in.profile.Handle, key.Key, key.Body, s.cfg.Now().Add(-app.IdempotencyLife))
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

// bind prepares the start of a row that was claimed at once.
func (in *insertion) bind(ctx context.Context, tx *store.Tx) (err error) {
	if in.policy == nil { // a re-run first reads its recorded answers
		return nil
	}
	in.binding, err = in.submitter.cfg.Runner.BindWithClaim(ctx, tx, &in.row, runner.Submitted{
		Policy: *in.policy, Source: in.source, Opened: in.opened, Placement: in.submission.placement,
	})
	return err
}

// begin hands the claimed execution to the runner.
func (in *insertion) begin(x app.Execution, slot *scheduler.Slot) (run func()) {
	claim := runner.Claim{Execution: x, Slot: slot, Source: &in.source, Binding: in.binding}
	return in.submitter.cfg.Runner.Begin(claim).Execute
}

// discard gives back what bind took.
func (in *insertion) discard() {
	if in.binding != nil {
		in.binding.Discard()
	}
}
