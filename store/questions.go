package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
)

// Question is what a script asked.
type Question struct {
	RequestID string
	Ordinal   int
	Prompt    redact.Clean
	Model     redact.Clean
	Asked     []byte // keyed hash of the exact prompt and model
	At        time.Time
}

// Ask stores a running execution's question and makes it wait. CodeConflict if it is not running.
func (tx Questions) Ask(ctx context.Context, handle string, q Question) error {
	id, err := tx.move(ctx, handle, app.StatusRunning, app.StatusAwaitingLLM)
	if err != nil {
		return err
	}
	row := llmExchangeRow{ExecutionID: id, Ordinal: q.Ordinal, RequestID: q.RequestID, Prompt: q.Prompt.String(),
		Model:      q.Model.String(),
		AnsweredBy: "{}", AskedAt: toMillis(q.At), Asked: q.Asked}
	return insertRow(ctx, tx.conn, "question", row)
}

// Reply is an answer to a question, or its failure.
type Reply struct {
	RequestID string
	Response  redact.Clean
	Sealed    []byte // the exact answer or failure; nil if nobody gave one
	Failed    bool
	By        app.Actor
	At        time.Time
}

// Answer stores the answer to an open question and resumes the execution. CodeConflict if it
// doesn't wait, or for another answer.
func (tx Questions) Answer(ctx context.Context, handle string, r Reply) error {
	id, err := tx.move(ctx, handle, app.StatusAwaitingLLM, app.StatusRunning)
	if err != nil {
		return err
	}
	return tx.change(ctx, "question",
		`UPDATE llm_exchanges SET response = ?, answer = ?, failed = ?, answered_by = ?, answered_at = ?
		WHERE execution_id = ? AND request_id = ? AND answered_at = 0`,
		r.Response.String(), r.Sealed, r.Failed, toJSON(r.By), toMillis(r.At), id, r.RequestID)
}

// move makes one state transition and returns the row id.
func (tx Questions) move(ctx context.Context, handle string, from, to app.Status) (id int64, err error) {
	err = tx.row(ctx, "UPDATE executions SET status = ? WHERE handle = ? AND status = ? RETURNING id",
		string(to), handle, string(from)).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, conflict("execution")
	}
	return id, wrapError("change execution", err)
}

// Exchanges returns an execution's questions and answers in order.
func (tx Questions) Exchanges(ctx context.Context, handle string) ([]app.LLMExchange, error) {
	id, err := tx.executionID(ctx, handle)
	if err != nil {
		return nil, err
	}
	return tx.list(ctx, "execution_id = ?", id)
}

// open returns the question an execution waits for, or nil.
func (tx Questions) open(ctx context.Context, id int64) (*app.LLMExchange, error) {
	open, err := tx.list(ctx, "execution_id = ? AND answered_at = 0", id)
	if err != nil || len(open) == 0 {
		return nil, err
	}
	return &open[len(open)-1], nil
}

func (tx Questions) list(ctx context.Context, where string, args ...any) ([]app.LLMExchange, error) {
	return selectAs(ctx, tx.conn, llmExchangeRow.exchange, "read exchanges", `SELECT ordinal, request_id, prompt, model,
		response, failed, answered_by, asked_at, answered_at FROM llm_exchanges WHERE `+where+" ORDER BY ordinal", args...)
}

func (r llmExchangeRow) exchange() (app.LLMExchange, error) {
	by, err := fromJSON[app.Actor]("answered_by", r.AnsweredBy)
	return app.LLMExchange{RequestID: r.RequestID, Ordinal: r.Ordinal, Prompt: r.Prompt, Model: r.Model,
		Response: r.Response, Failed: r.Failed, AnsweredBy: by, AskedAt: fromMillis(r.AskedAt),
		AnsweredAt: fromMillis(r.AnsweredAt)}, err
}

// Recorded is an answer that a re-run can play back.
type Recorded struct {
	RequestID string // that the answer is sealed for
	Asked     []byte // keyed hash of the question
	Sealed    []byte // the exact answer or, if it failed, the failure
	Failed    bool
}

// ListRecorded returns an execution's answers in order. CodeNotFound if it is gone.
func (tx Questions) ListRecorded(ctx context.Context, handle string) ([]Recorded, error) {
	id, err := tx.executionID(ctx, handle)
	if err != nil {
		return nil, err
	}
	return selectAll[Recorded](ctx, tx.conn, "read answers", `SELECT request_id, asked, answer AS sealed, failed
		FROM llm_exchanges WHERE execution_id = ? AND asked IS NOT NULL AND answer IS NOT NULL ORDER BY ordinal`, id)
}

// Unanswered is a question that waits for its answer.
type Unanswered struct {
	Handle        string // of the execution
	ProfileHandle string
	AskedAt       time.Time
}

type unansweredRow struct {
	Handle, ProfileHandle string
	AskedAt               int64
}

// ListUnanswered lists at most 20 open questions that were asked before a time, oldest first.
func (tx Questions) ListUnanswered(ctx context.Context, before time.Time) ([]Unanswered, error) {
	return selectAs(ctx, tx.conn, func(r unansweredRow) (Unanswered, error) {
		return Unanswered{r.Handle, r.ProfileHandle, fromMillis(r.AskedAt)}, nil
	}, "read unanswered questions", `SELECT x.handle, x.profile_handle, q.asked_at
		FROM executions x INDEXED BY executions_status JOIN llm_exchanges q ON q.execution_id = x.id
		WHERE x.status = 'awaiting_llm' AND q.answered_at = 0 AND q.asked_at <= ? ORDER BY q.asked_at LIMIT 20`,
		toMillis(before))
}
