package store

import (
	"context"
	"time"

	"github.com/computclaw/airlock/app"
)

// Invitation is a one-time token for somebody who is to be added.
type Invitation struct {
	ID        string
	Token     []byte // sha256
	CreatedBy app.Actor
	CreatedAt time.Time
	ExpiresAt time.Time
	Role      app.Role // of whoever uses it
}

type invitationRow struct {
	ID        string `gorm:"primaryKey"`
	Token     []byte
	CreatedBy string
	CreatedAt int64 `gorm:"autoCreateTime:false"`
	ExpiresAt int64
	Role      string
}

func (invitationRow) TableName() string { return "invitations" }

// Insert adds one.
func (tx Invitations) Insert(ctx context.Context, i Invitation) error {
	return insertRow(ctx, tx.conn, "invitation",
		invitationRow{i.ID, i.Token, toJSON(i.CreatedBy), toMillis(i.CreatedAt), toMillis(i.ExpiresAt),
			string(i.Role)})
}

// ByToken finds one by the hash of its token, also an expired one, else CodeNotFound.
func (tx Invitations) ByToken(ctx context.Context, token []byte) (Invitation, error) {
	return selectOne(ctx, tx.conn, invitationRow.invitation, "invitation",
		"SELECT * FROM invitations WHERE token = ?", token)
}

// List lists them, newest first.
func (tx Invitations) List(ctx context.Context) ([]Invitation, error) {
	return selectAs(ctx, tx.conn, invitationRow.invitation, "read invitations",
		"SELECT * FROM invitations ORDER BY created_at DESC, id")
}

// ByID finds one, also an expired one, else CodeNotFound.
func (tx Invitations) ByID(ctx context.Context, id string) (Invitation, error) {
	return selectOne(ctx, tx.conn, invitationRow.invitation, "invitation", "SELECT * FROM invitations WHERE id = ?", id)
}

// Delete withdraws one, or spends it. One that is gone is CodeConflict.
func (tx Invitations) Delete(ctx context.Context, id string) error {
	return tx.change(ctx, "invitation", "DELETE FROM invitations WHERE id = ?", id)
}

// DeleteAll withdraws all of them.
func (tx Invitations) DeleteAll(ctx context.Context) error {
	return tx.run(ctx, "withdraw invitations", "DELETE FROM invitations")
}

// Prune removes the expired ones.
func (tx Invitations) Prune(ctx context.Context, now time.Time) error {
	return tx.run(ctx, "prune invitations", "DELETE FROM invitations WHERE expires_at <= ?", toMillis(now))
}

func (r invitationRow) invitation() (Invitation, error) {
	by, err := fromJSON[app.Actor]("created_by", r.CreatedBy)
	return Invitation{r.ID, r.Token, by, fromMillis(r.CreatedAt), fromMillis(r.ExpiresAt), app.Role(r.Role)}, err
}
