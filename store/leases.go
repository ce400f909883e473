package store

import (
	"context"
	"time"
)

// Lease is a lease in Vault that is to be given back.
type Lease struct {
	ID        string
	CreatedAt time.Time
	ExpiresAt time.Time
}

type vaultLeaseRow struct {
	ID        string `gorm:"primaryKey"`
	CreatedAt int64  `gorm:"autoCreateTime:false"`
	ExpiresAt int64
}

func (vaultLeaseRow) TableName() string { return "vault_leases" }

// Insert notes a lease. One that is noted already stays as it is, and fresh is false.
func (tx Leases) Insert(ctx context.Context, l Lease) (fresh bool, err error) {
	n, err := tx.exec(ctx, "INSERT INTO vault_leases (id, created_at, expires_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
		l.ID, toMillis(l.CreatedAt), toMillis(l.ExpiresAt))
	return n == 1, failed("note a lease", err)
}

// Extend notes that a lease was renewed. A lease that is no longer noted is ignored.
func (tx Leases) Extend(ctx context.Context, id string, expires time.Time) error {
	return tx.run(ctx, "extend a lease", "UPDATE vault_leases SET expires_at = ? WHERE id = ?", toMillis(expires), id)
}

// Delete forgets a lease that was given back.
func (tx Leases) Delete(ctx context.Context, id string) error {
	return tx.run(ctx, "forget a lease", "DELETE FROM vault_leases WHERE id = ?", id)
}

// List lists the leases to give back, oldest first.
func (tx Leases) List(ctx context.Context) ([]Lease, error) {
	return selectAs(ctx, tx.conn, vaultLeaseRow.lease, "read leases", "SELECT * FROM vault_leases ORDER BY created_at, id")
}

func (r vaultLeaseRow) lease() (Lease, error) {
	return Lease{r.ID, fromMillis(r.CreatedAt), fromMillis(r.ExpiresAt)}, nil
}
