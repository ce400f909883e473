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

// Audit appends an event to the chain in the transaction of the change that it records. Seq, Prev
// and Hash are filled here.
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
	tx.audited = true
	return nil
}

// digest is sha256 over the event's JSON, in which no two different events look alike.
func (r auditEventRow) digest() string {
	text, err := json.Marshal([]any{r.Seq, r.At, r.ActorKind, r.ActorName, r.ActorAddress, r.Action, r.Subject, r.Detail,
		r.Prev})
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
