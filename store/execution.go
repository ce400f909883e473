package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"github.com/computclaw/airlock/app"
)

// Execution is an execution as it is stored. Its ID is empty; SealedID opens to it.
type Execution struct {
	app.Execution
	SealedID []byte
	// ProfileGone says that the profile was revoked or deleted since.
	ProfileGone bool
}

// executionView is an execution with what its profile says about it now.
type executionView struct {
	Row         executionRow `gorm:"embedded"`
	ProfileGone bool
}

const (
	profileGone      = `NOT EXISTS (SELECT 1 FROM profiles WHERE profiles.id = executions.profile_id AND profiles.revoked = 0) AS profile_gone`
	executionColumns = `executions.*, ` + profileGone
)

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
	views, err := gorm.G[executionView](tx.db).Raw("SELECT "+executionColumns+" FROM executions WHERE "+where,
		arg).Find(ctx)
	if err == nil && len(views) == 0 {
		err = gorm.ErrRecordNotFound
	}
	if err != nil {
		return Execution{}, notFound(err, "execution")
	}
	x, err := views[0].execution()
	if err != nil || x.Status != app.StatusAwaitingLLM {
		return x, err
	}
	x.Request, err = Questions(tx).open(ctx, views[0].Row.ID)
	return x, err
}

// executionID returns the row id, for the tables that hang on it.
func (tx *conn) executionID(ctx context.Context, handle string) (int64, error) {
	row, err := gorm.G[executionRow](tx.db).Select("id").Where("handle = ?", handle).Take(ctx)
	return row.ID, notFound(err, "execution")
}

func (view executionView) execution() (Execution, error) {
	row := view.Row
	x := Execution{
		Execution: app.Execution{
			Handle: row.Handle, ProfileHandle: row.ProfileHandle, Profile: row.ProfileDescription, Policy: row.Policy,
			Status: app.Status(row.Status), Timeout: time.Duration(row.TimeoutMs) * time.Millisecond, Error: row.Error,
			ErrorLine: row.ErrorLine,
			Backend:   row.Backend, Isolation: row.Isolation, Warm: row.Warm, Truncated: row.Truncated,
			Redactions: row.Redactions,
			CreatedAt:  fromMillis(row.CreatedAt), StartedAt: fromMillis(row.StartedAt),
			FirstOutputAt: fromMillis(row.FirstOutputAt), CompletedAt: fromMillis(row.CompletedAt),
			RunTime: time.Duration(row.RunMs) * time.Millisecond, LLMTime: time.Duration(row.LLMMs) * time.Millisecond,
			PeakMemory: row.PeakMemory, CPUTime: time.Duration(row.CPUMs) * time.Millisecond, RerunOf: row.RerunOf,
			Live: row.Live, Trace: row.Trace,
		},
		SealedID: row.SealedID, ProfileGone: view.ProfileGone,
	}
	if err := errors.Join(json.Unmarshal([]byte(row.Injected), &x.Injected),
		json.Unmarshal([]byte(row.Manifest), &x.Manifest)); err != nil {
		return Execution{}, fmt.Errorf("store: execution %s: %w", row.Handle, err)
	}
	return x, nil
}

// ExecutionScript is what an execution was given.
type ExecutionScript struct {
	Script []byte // sealed
	Inputs []byte // sealed; nil if none
	Clean  string // the script as a person may see it
}

// Script returns what an execution was given. CodeNotFound if there is no such execution.
func (tx Executions) Script(ctx context.Context, handle string) (ExecutionScript, error) {
	id, err := tx.executionID(ctx, handle)
	if err != nil {
		return ExecutionScript{}, err
	}
	row, err := gorm.G[executionScriptRow](tx.db).Where("execution_id = ?", id).Take(ctx)
	if err != nil {
		return ExecutionScript{}, notFound(err, "script")
	}
	return ExecutionScript{Script: row.Script, Inputs: row.Inputs, Clean: row.Clean}, nil
}

// Unfinished lists executions that are not terminal, oldest first, of one profile or ("") of all.
// Only handles and statuses are filled in.
func (tx Executions) Unfinished(ctx context.Context, profileHandle string) ([]Execution, error) {
	query := gorm.G[executionRow](tx.db).Select("handle, profile_handle, status, started_at").Where(
		"status IN ('pending', 'running', 'awaiting_llm')")
	if profileHandle != "" {
		query = query.Where("profile_handle = ?", profileHandle)
	}
	rows, err := query.Order("id").Find(ctx)
	if err != nil {
		return nil, fmt.Errorf("store: list unfinished executions: %w", err)
	}
	list := make([]Execution, len(rows))
	for i, r := range rows {
		list[i].Handle, list[i].ProfileHandle, list[i].Status, list[i].StartedAt = r.Handle, r.ProfileHandle,
			app.Status(r.Status), fromMillis(r.StartedAt)
	}
	return list, nil
}
