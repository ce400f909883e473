package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"gorm.io/gorm"

	"github.com/computclaw/airlock/app"
)

// maxAuditText bounds each text of an event, in bytes.
const maxAuditText = 2000

// Audit appends an event to the chain in the transaction of the change that it records. Seq, Prev and Hash are filled here.
func (tx *Tx) Audit(ctx context.Context, e app.Event) error {
	last, err := gorm.G[auditEventRow](tx.db).Order("seq DESC").Take(ctx)
	if err != nil && !errors.Is(err, gorm.ErrRecordNotFound) {
		return fmt.Errorf("store: audit: %w", err)
	}
	row := auditEventRow{
		Seq:          last.Seq + 1,
		At:           toMillis(e.At),
		ActorKind:    string(e.Actor.Kind),
		ActorName:    auditText(e.Actor.Name),
		ActorAddress: auditText(e.Actor.Address),
		Action:       e.Action,
		Subject:      auditText(e.Subject),
		Detail:       auditText(e.Detail),
		Prev:         last.Hash,
	}
	row.Hash = row.digest()
	if err := gorm.G[auditEventRow](tx.db).Create(ctx, &row); err != nil {
		return fmt.Errorf("store: audit: %w", err)
	}
	return nil
}

// AuditEvents lists events, newest first, with a sequence number below before (0: from the newest).
func (tx *Tx) AuditEvents(ctx context.Context, before int64, limit int) ([]app.Event, error) {
	query := gorm.G[auditEventRow](tx.db).Order("seq DESC").Limit(limit)
	if before > 0 {
		query = query.Where("seq < ?", before)
	}
	rows, err := query.Find(ctx)
	if err != nil {
		return nil, fmt.Errorf("store: read audit: %w", err)
	}
	events := make([]app.Event, len(rows))
	for i, r := range rows {
		events[i] = r.event()
	}
	return events, nil
}

// VerifyAudit walks the chain and returns the sequence number of the first event that is missing, out of place or not as it was written; 0 if all are.
// An event that was cut off the end is noticed too, since numbers are never given twice.
func (tx *Tx) VerifyAudit(ctx context.Context) (int64, error) {
	var seq int64
	var hash string
	for {
		rows, err := gorm.G[auditEventRow](tx.db).Where("seq > ?", seq).Order("seq").Limit(1000).Find(ctx)
		if err != nil {
			return 0, fmt.Errorf("store: read audit: %w", err)
		}
		for _, r := range rows {
			if r.Seq != seq+1 || r.Prev != hash || r.Hash != r.digest() {
				return seq + 1, nil
			}
			seq, hash = r.Seq, r.Hash
		}
		if len(rows) == 0 {
			break
		}
	}
	var given int64
	if err := tx.db.WithContext(ctx).Raw("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'audit_events'").Scan(&given).Error; err != nil {
		return 0, fmt.Errorf("store: read audit: %w", err)
	}
	if given != seq {
		return seq + 1, nil
	}
	return 0, nil
}

// digest is sha256 over the event's JSON, in which no two different events look alike.
func (r auditEventRow) digest() string {
	text, err := json.Marshal([]any{r.Seq, r.At, r.ActorKind, r.ActorName, r.ActorAddress, r.Action, r.Subject, r.Detail, r.Prev})
	if err != nil {
		panic("store: numbers and texts are always encodable: " + err.Error())
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func (r auditEventRow) event() app.Event {
	return app.Event{
		Seq: r.Seq, At: fromMillis(r.At),
		Actor:  app.Actor{Kind: app.ActorKind(r.ActorKind), Name: r.ActorName, Address: r.ActorAddress},
		Action: r.Action, Subject: r.Subject, Detail: r.Detail, Prev: r.Prev, Hash: r.Hash,
	}
}

// auditText makes text hash as it reads: JSON would replace what is not valid UTF-8.
func auditText(s string) string { return app.Clip(strings.ToValidUTF8(s, "\uFFFD"), maxAuditText) }
