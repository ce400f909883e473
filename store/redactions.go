package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"github.com/computclaw/airlock/app/redact"
)

// RedactionHits returns what was masked in an execution, by channel, for people only. It is empty
// until the execution has ended. CodeNotFound if there is no such execution.
func (tx Executions) RedactionHits(ctx context.Context, handle string) (map[string]redact.Hits, error) {
	id, err := tx.executionID(ctx, handle)
	if err != nil {
		return nil, err
	}
	rows, err := gorm.G[redactionHitRow](tx.db).Where("execution_id = ?",
		id).Order("channel, name, rule, encoding").Find(ctx)
	if err != nil {
		return nil, fmt.Errorf("store: read redaction hits: %w", err)
	}
	hits := map[string]redact.Hits{}
	for _, r := range rows {
		hits[r.Channel] = append(hits[r.Channel],
			redact.Hit{Name: r.Name, Rule: r.Rule, Encoding: r.Encoding, Count: r.Count})
	}
	return hits, nil
}
