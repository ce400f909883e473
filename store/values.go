package store

import (
	"context"
	"time"

	"github.com/computclaw/airlock/app"
)

// Value is one sealed version of a credential's value.
type Value struct {
	CredentialID string
	Version      int
	Sealed       []byte
	KeyID        string
	By           app.Actor
	At           time.Time
}

type credentialVersionRow struct {
	CredentialID string `gorm:"primaryKey"`
	Version      int    `gorm:"primaryKey;autoIncrement:false"`
	Value        []byte
	KeyID        string
	CreatedBy    string
	CreatedAt    int64 `gorm:"autoCreateTime:false"`
}

func (credentialVersionRow) TableName() string { return "credential_versions" }

// Insert adds the version after the current one and erases the value before it. Another version
// number than the next is CodeConflict.
func (tx Values) Insert(ctx context.Context, v Value) error {
	if err := tx.change(ctx, "credential",
		"UPDATE credentials SET version = ?, key_id = ?, value_set_at = ? WHERE id = ? AND version = ?",
		v.Version, v.KeyID, toMillis(v.At), v.CredentialID, v.Version-1); err != nil {
		return err
	}
	if err := tx.Erase(ctx, v.CredentialID, v.At); err != nil {
		return err
	}
	return insertRow(ctx, tx.conn, "credential",
		credentialVersionRow{v.CredentialID, v.Version, v.Sealed, v.KeyID, toJSON(v.By), toMillis(v.At)})
}

// Erase erases the current value of a credential, if it has one, and keeps it as a superseded one.
// Its versions stay counted. It is for credentials that get their value from elsewhere now.
func (tx Values) Erase(ctx context.Context, id string, at time.Time) error {
	if err := tx.supersede(ctx, id, at); err != nil {
		return err
	}
	return tx.run(ctx, "erase value",
		"UPDATE credential_versions SET value = NULL WHERE credential_id = ? AND value IS NOT NULL", id)
}

// Current returns the current sealed values of those credentials that have one.
func (tx Values) Current(ctx context.Context, ids []string) (map[string]Value, error) {
	list, err := selectAs(ctx, tx.conn, credentialVersionRow.value, "read values",
		"SELECT * FROM credential_versions WHERE credential_id IN ? AND value IS NOT NULL", ids)
	if err != nil {
		return nil, err
	}
	values := make(map[string]Value, len(list))
	for _, v := range list {
		values[v.CredentialID] = v
	}
	return values, nil
}

func (r credentialVersionRow) value() (Value, error) {
	by, err := fromJSON[app.Actor]("created_by", r.CreatedBy)
	return Value{r.CredentialID, r.Version, r.Value, r.KeyID, by, fromMillis(r.CreatedAt)}, err
}
