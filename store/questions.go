package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"gorm.io/gorm"

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

// Ask stores a running execution's question and makes it wait. CodeConflict if it doesn't run.
func (tx Questions) Ask(ctx context.Context, handle string, q Question) error {
	id, err := tx.move(ctx, handle, app.StatusRunning, app.StatusAwaitingLLM)
	if err != nil {
		return err
	}
	row := llmExchangeRow{ExecutionID: id, Ordinal: q.Ordinal, RequestID: q.RequestID, Prompt: q.Prompt.String(),
		Model:      q.Model.String(),
		AnsweredBy: "{}", AskedAt: toMillis(q.At), Asked: q.Asked}
	if err := gorm.G[llmExchangeRow](tx.db).Create(ctx, &row); err != nil {
		return fmt.Errorf("store: ask: %w", err)
	}
	return nil
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

// Answer stores the answer to an execution's open question and lets it run on. CodeConflict if it
// doesn't wait, or for another answer.
func (tx Questions) Answer(ctx context.Context, handle string, r Reply) error {
	id, err := tx.move(ctx, handle, app.StatusAwaitingLLM, app.StatusRunning)
	if err != nil {
		return err
	}
	by, err := json.Marshal(r.By)
	if err != nil {
		return fmt.Errorf("store: answer: %w", err)
	}
	rows, err := tx.exec(ctx,
		`UPDATE llm_exchanges SET response = ?, answer = ?, failed = ?, answered_by = ?, answered_at = ?
		WHERE execution_id = ? AND request_id = ? AND answered_at = 0`, r.Response.String(), r.Sealed, r.Failed, string(by), toMillis(r.At), id, r.RequestID)
	return changed(rows, err, "question")
}

// move takes one arrow of the state machine and returns the row id.
func (tx Questions) move(ctx context.Context, handle string, from, to app.Status) (int64, error) {
	rows, err := gorm.G[executionRow](tx.db).Raw(
		"UPDATE executions SET status = ? WHERE handle = ? AND status = ? RETURNING id", string(to), handle,
		string(from)).Find(ctx)
	if err := changed(int64(len(rows)), err, "execution"); err != nil {
		return 0, err
	}
	return rows[0].ID, nil
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
	rows, err := gorm.G[llmExchangeRow](tx.db).
		Select("ordinal, request_id, prompt, model, response, failed, answered_by, asked_at, answered_at").
		Where(where, args...).Order("ordinal").Find(ctx)
	if err != nil {
		return nil, fmt.Errorf("store: read exchanges: %w", err)
	}
	list := make([]app.LLMExchange, len(rows))
	for i, r := range rows {
		list[i] = app.LLMExchange{RequestID: r.RequestID, Ordinal: r.Ordinal, Prompt: r.Prompt, Model: r.Model,
			Response: r.Response, Failed: r.Failed,
			AskedAt: fromMillis(r.AskedAt), AnsweredAt: fromMillis(r.AnsweredAt)}
		if err := json.Unmarshal([]byte(r.AnsweredBy), &list[i].AnsweredBy); err != nil {
			return nil, fmt.Errorf("store: read exchanges: %w", err)
		}
	}
	return list, nil
}
