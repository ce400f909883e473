package store

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"
)

type vaultLeaseRow struct {
	ID        string `gorm:"primaryKey"`
	CreatedAt int64  `gorm:"autoCreateTime:false"`
	ExpiresAt int64
}

func (vaultLeaseRow) TableName() string { return "vault_leases" }

// Lease is a lease in Vault that is to be given back.
type Lease struct {
	ID        string
	CreatedAt time.Time
	ExpiresAt time.Time
}

// Insert notes a lease. One that is noted already stays as it is, and fresh is false.
func (tx Leases) Insert(ctx context.Context, l Lease) (fresh bool, err error) {
	n, err := tx.exec(ctx, "INSERT INTO vault_leases (id, created_at, expires_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
		l.ID, toMillis(l.CreatedAt), toMillis(l.ExpiresAt))
	if err != nil {
		return false, fmt.Errorf("store: note a lease: %w", err)
	}
	return n == 1, nil
}

// Extend notes that a lease was renewed; one that is not noted any more is left alone.
func (tx Leases) Extend(ctx context.Context, id string, expires time.Time) error {
	if _, err := tx.exec(ctx, "UPDATE vault_leases SET expires_at = ? WHERE id = ?", toMillis(expires), id); err != nil {
		return fmt.Errorf("store: extend a lease: %w", err)
	}
	return nil
}

// Delete forgets a lease that is given back.
func (tx Leases) Delete(ctx context.Context, id string) error {
	if _, err := tx.exec(ctx, "DELETE FROM vault_leases WHERE id = ?", id); err != nil {
		return fmt.Errorf("store: forget a lease: %w", err)
	}
	return nil
}

// List lists what is to be given back, oldest first.
func (tx Leases) List(ctx context.Context) ([]Lease, error) {
	rows, err := gorm.G[vaultLeaseRow](tx.db).Order("created_at, id").Find(ctx)
	if err != nil {
		return nil, fmt.Errorf("store: read leases: %w", err)
	}
	list := make([]Lease, len(rows))
	for i, r := range rows {
		list[i] = Lease{r.ID, fromMillis(r.CreatedAt), fromMillis(r.ExpiresAt)}
	}
	return list, nil
}
