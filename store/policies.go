package store

import (
	"context"
	"fmt"

	"github.com/computclaw/airlock/app"
)

type policyRow struct {
	ProfileHandle string `gorm:"primaryKey"`
	Version       int    `gorm:"primaryKey;autoIncrement:false"`
	Body          string
	Digest        string
	CreatedBy     string
	CreatedAt     int64 `gorm:"autoCreateTime:false"`
}

func (policyRow) TableName() string { return "policies" }

// Insert adds a version. A version that exists is CodeConflict: versions never change.
func (tx Policies) Insert(ctx context.Context, handle string, p app.Policy) error {
	return insertRow(ctx, tx.conn, "policy",
		policyRow{handle, p.Version, toJSON(p), p.Digest(), toJSON(p.CreatedBy), toMillis(p.CreatedAt)})
}

// Version returns one version of a profile's policy, also after the profile was deleted. ProfileID
// is empty.
func (tx Policies) Version(ctx context.Context, handle string, version int) (app.Policy, error) {
	var row policyRow
	err := tx.row(ctx, `SELECT body, digest, created_by, created_at FROM policies
		WHERE profile_handle = ? AND version = ?`, handle, version).
		Scan(&row.Body, &row.Digest, &row.CreatedBy, &row.CreatedAt)
	if err != nil {
		return app.Policy{}, notFound(err, "policy")
	}
	p, err := fromJSON[app.Policy]("policy", row.Body)
	if err == nil && p.Digest() != row.Digest {
		err = fmt.Errorf("store: policy %s version %d is not as it was written", handle, version)
	}
	if err != nil {
		return app.Policy{}, err
	}
	p.CreatedAt = fromMillis(row.CreatedAt)
	if p.CreatedBy, err = fromJSON[app.Actor]("created_by", row.CreatedBy); err != nil {
		return app.Policy{}, err
	}
	return p, nil
}
