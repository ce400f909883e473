package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"
)

// Recorded is an answer that a re-run can play back.
type Recorded struct {
	RequestID string // that the answer is sealed for
	Asked     []byte // keyed hash of the question
	Sealed    []byte // the exact answer or, if it failed, the failure
	Failed    bool
}

// Recorded returns an execution's answers in order. CodeNotFound if the execution is gone.
func (tx Questions) Recorded(ctx context.Context, handle string) ([]Recorded, error) {
	id, err := tx.executionID(ctx, handle)
	if err != nil {
		return nil, err
	}
	rows, err := gorm.G[llmExchangeRow](tx.db).Select("request_id, asked, answer, failed").
		Where("execution_id = ? AND asked IS NOT NULL AND answer IS NOT NULL", id).Order("ordinal").Find(ctx)
	if err != nil {
		return nil, fmt.Errorf("store: read answers: %w", err)
	}
	list := make([]Recorded, len(rows))
	for i, r := range rows {
		list[i] = Recorded{RequestID: r.RequestID, Asked: r.Asked, Sealed: r.Answer, Failed: r.Failed}
	}
	return list, nil
}
