package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/computclaw/airlock/app"
)

// Execution is an execution as it is stored. Its ID is empty; SealedID opens to it.
type Execution struct {
	app.Execution
	SealedID []byte
	// ProfileGone says that the profile was revoked or deleted since.
	ProfileGone bool
}

const (
	profileGone = `NOT EXISTS (SELECT 1 FROM profiles
		WHERE profiles.id = executions.profile_id AND profiles.revoked = 0) AS profile_gone`

	// executionFields are the columns that an execution is read from, in the order of fields.
	executionFields = `id, handle, sealed_id, profile_handle, profile_description, policy, status, timeout_ms, error,
		error_line, backend, isolation, warm, truncated, redactions, injected, rerun_of, created_at, started_at,
		first_output_at, completed_at, run_ms, llm_ms, cpu_ms, peak_memory, manifest, live, trace, label,
		approval, skill, skill_digest`

	selectExecutions = "SELECT " + executionFields + ", " + profileGone + " FROM executions WHERE "
)

func (r *executionRow) fields() []any {
	return []any{
		&r.ID, &r.Handle, &r.SealedID, &r.ProfileHandle, &r.ProfileDescription, &r.Policy, &r.Status, &r.TimeoutMs, &r.Error,
		&r.ErrorLine, &r.Backend, &r.Isolation, &r.Warm, &r.Truncated, &r.Redactions, &r.Injected, &r.RerunOf, &r.CreatedAt,
		&r.StartedAt, &r.FirstOutputAt, &r.CompletedAt, &r.RunMs, &r.LLMMs, &r.CPUMs, &r.PeakMemory, &r.Manifest, &r.Live,
		&r.Trace, &r.Label, &r.Approval, &r.Skill, &r.SkillDigest,
	}
}

// ByLookup finds an execution by the keyed hash of its id. CodeNotFound if there is none.
func (tx Executions) ByLookup(ctx context.Context, lookup []byte) (Execution, error) {
	return tx.execution(ctx, "lookup = ?", lookup)
}

// Standing is what may change about an execution that has ended.
type Standing struct {
	Row         int64 // no two executions ever have the same
	ProfileGone bool
}

// Standing says how an execution stands, for less than reading it costs: agents that poll ask for
// nothing else. CodeNotFound if there is none.
func (s *Store) Standing(ctx context.Context, lookup []byte) (now Standing, err error) {
	err = rowOf(ctx, s.read(ctx), standing, lookup).Scan(&now.Row, &now.ProfileGone)
	return now, notFound(err, "execution")
}

const standing = "SELECT id, " + profileGone + " FROM executions WHERE lookup = ?"

// Ended returns what an execution printed, returned and connected to, and its row. CodeNotFound if
// there is none.
func (tx Executions) Ended(ctx context.Context, handle string) (row int64, out app.Output, list []app.Connection,
	err error) {
	if row, err = tx.executionID(ctx, handle); err != nil {
		return 0, out, nil, err
	}
	if out, err = tx.output(ctx, row); err != nil {
		return 0, out, nil, err
	}
	list, err = tx.connections(ctx, row)
	return row, out, list, err
}

// ByHandle finds an execution for people. CodeNotFound if there is none.
func (tx Executions) ByHandle(ctx context.Context, handle string) (Execution, error) {
	return tx.execution(ctx, "handle = ?", handle)
}

func (tx Executions) execution(ctx context.Context, where string, arg any) (Execution, error) {
	var row executionRow
	var gone bool
	if err := tx.row(ctx, selectExecutions+where, arg).Scan(append(row.fields(), &gone)...); err != nil {
		return Execution{}, notFound(err, "execution")
	}
	x, err := row.execution()
	if err != nil {
		return Execution{}, err
	}
	x.ProfileGone = gone
	if x.Status == app.StatusAwaitingLLM {
		x.Request, err = Questions(tx).open(ctx, row.ID)
	}
	return x, err
}

// executionID returns the row id, for the tables that hang on it.
func (tx *conn) executionID(ctx context.Context, handle string) (id int64, err error) {
	err = tx.row(ctx, "SELECT id FROM executions WHERE handle = ?", handle).Scan(&id)
	return id, notFound(err, "execution")
}

func (r executionRow) execution() (Execution, error) {
	x := Execution{
		Execution: app.Execution{
			Handle: r.Handle, ProfileHandle: r.ProfileHandle, Profile: r.ProfileDescription, Policy: r.Policy,
			Status: app.Status(r.Status), Timeout: time.Duration(r.TimeoutMs) * time.Millisecond, Error: r.Error,
			ErrorLine: r.ErrorLine,
			Backend:   r.Backend, Isolation: r.Isolation, Warm: r.Warm, Truncated: r.Truncated,
			Redactions: r.Redactions,
			CreatedAt:  fromMillis(r.CreatedAt), StartedAt: fromMillis(r.StartedAt),
			FirstOutputAt: fromMillis(r.FirstOutputAt), CompletedAt: fromMillis(r.CompletedAt),
			RunTime: time.Duration(r.RunMs) * time.Millisecond, LLMTime: time.Duration(r.LLMMs) * time.Millisecond,
			PeakMemory: r.PeakMemory, CPUTime: time.Duration(r.CPUMs) * time.Millisecond, RerunOf: r.RerunOf,
			Live: r.Live, Trace: r.Trace, Label: r.Label, Approval: r.Approval,
			Skill: r.Skill, SkillDigest: r.SkillDigest,
		},
		SealedID: r.SealedID,
	}
	if err := errors.Join(json.Unmarshal([]byte(r.Injected), &x.Injected),
		json.Unmarshal([]byte(r.Manifest), &x.Manifest)); err != nil {
		return Execution{}, fmt.Errorf("store: execution %s: %w", r.Handle, err)
	}
	return x, nil
}

// ExecutionScript is what an execution was given.
type ExecutionScript struct {
	Script []byte // sealed
	Inputs []byte // sealed; nil if none
	Clean  string // the script as a person may see it
	// CleanInputs are the inputs as a person may see them: JSON; "" if there are none, or none are kept
	// in that form
	CleanInputs string
}

// Script returns what an execution was given. CodeNotFound if there is no such execution.
func (tx Executions) Script(ctx context.Context, handle string) (ExecutionScript, error) {
	id, err := tx.executionID(ctx, handle)
	if err != nil {
		return ExecutionScript{}, err
	}
	var s ExecutionScript
	err = tx.row(ctx, "SELECT script, inputs, clean, clean_inputs FROM execution_scripts WHERE execution_id = ?", id).
		Scan(&s.Script, &s.Inputs, &s.Clean, &s.CleanInputs)
	return s, notFound(err, "script")
}

// Orphan is an execution that waits under a profile that was revoked or deleted.
type Orphan struct {
	Handle         string
	ProfileDeleted bool
}

// Orphans lists the executions that wait under revoked and deleted profiles, oldest first.
func (tx Executions) Orphans(ctx context.Context) ([]Orphan, error) {
	return selectAll[Orphan](ctx, tx.conn, "list orphaned executions",
		`SELECT executions.handle, profiles.id IS NULL AS profile_deleted
		FROM executions LEFT JOIN profiles ON profiles.id = executions.profile_id
		WHERE status IN ('awaiting_approval', 'pending') AND coalesce(profiles.revoked, 1) ORDER BY executions.id`)
}

// Unfinished lists executions that are not terminal, oldest first, of one profile or ("") of all.
// Only handles, status and StartedAt are filled in.
func (tx Executions) Unfinished(ctx context.Context, profileHandle string) ([]Execution, error) {
	where, args := "", []any{}
	if profileHandle != "" {
		where, args = " AND profile_handle = ?", []any{profileHandle}
	}
	return selectAs(ctx, tx.conn, func(r executionRow) (x Execution, err error) {
		x.Handle, x.ProfileHandle, x.Status = r.Handle, r.ProfileHandle, app.Status(r.Status)
		x.StartedAt = fromMillis(r.StartedAt)
		return x, nil
	}, "list unfinished executions", `SELECT handle, profile_handle, status, started_at FROM executions
		WHERE status IN ('awaiting_approval', 'pending', 'running', 'awaiting_llm')`+where+" ORDER BY id", args...)
}
