package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/computclaw/airlock/app"
)

// maxAuditText bounds each text of an event, in bytes.
const maxAuditText = 2000

type auditEventRow struct {
	Seq          int64  `gorm:"primaryKey" json:"seq"`
	At           int64  `json:"at"`
	ActorKind    string `json:"actor_kind"`
	ActorName    string `json:"actor_name"`
	ActorAddress string `json:"actor_address"`
	Action       string `json:"action"`
	Subject      string `json:"subject"`
	Detail       string `json:"detail"`
	Prev         string `json:"prev"`
	Hash         string `json:"hash"`
}

func (auditEventRow) TableName() string { return "audit_events" }

// Audit appends an event to the chain in the transaction of the change that it records. Seq, Prev
// and Hash are filled here.
func (tx *Tx) Audit(ctx context.Context, e app.Event) error {
	last, err := selectValue[auditEventRow](ctx, tx.conn, "audit", "SELECT * FROM audit_events ORDER BY seq DESC LIMIT 1")
	if err != nil {
		return err
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
	if err := insertRow(ctx, tx.conn, "audit log", row); err != nil {
		return err
	}
	tx.audited = true
	return nil
}

// digest is sha256 over the event's JSON, in which no two different events look alike.
func (r auditEventRow) digest() string {
	text := toJSON([]any{r.Seq, r.At, r.ActorKind, r.ActorName, r.ActorAddress, r.Action, r.Subject, r.Detail, r.Prev})
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func (r auditEventRow) event() (app.Event, error) {
	return app.Event{
		Seq: r.Seq, At: fromMillis(r.At),
		Actor:  app.Actor{Kind: app.ActorKind(r.ActorKind), Name: r.ActorName, Address: r.ActorAddress},
		Action: r.Action, Subject: r.Subject, Detail: r.Detail, Prev: r.Prev, Hash: r.Hash,
	}, nil
}

// auditText makes text hash as it reads: JSON would replace what is not valid UTF-8.
func auditText(s string) string { return app.Clip(strings.ToValidUTF8(s, "\uFFFD"), maxAuditText) }
