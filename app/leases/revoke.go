package leases

import (
	"context"
	"time"

	"github.com/computclaw/airlock/app/secrets/vault"
	"github.com/computclaw/airlock/store"
)

const (
	revokeRetry = time.Second // after a failed revocation, doubled up to revokeLast
	revokeLast  = time.Minute
	expiryGrace = time.Hour // Vault itself revokes what has expired; then there is nothing left to do
)

func (k *Keeper) giveBack(leases []vault.Lease) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, l := range leases {
		k.giveBackLocked(l.ID, k.cfg.Now().Add(seconds(l)))
	}
}

// giveBackLocked revokes a lease in the background, with retries. After Close it is left to the
// next start.
func (k *Keeper) giveBackLocked(id string, expires time.Time) {
	if k.closed {
		return
	}
	k.running.Go(func() {
		for wait := revokeRetry; ; wait = min(2*wait, revokeLast) {
			err := k.revoke(id)
			k.setFailed(id, err)
			if err == nil {
				k.deleteRow(id)
				return
			}
			if k.cfg.Now().After(expires.Add(expiryGrace)) {
				k.setFailed(id, nil)
				k.cfg.Log.Error("a lease could not be revoked in Vault; it has expired by itself", "lease", id, "error", err)
				k.deleteRow(id)
				return
			}
			k.cfg.Log.Warn("a lease could not be revoked in Vault; it is tried again", "lease", id, "in", wait, "error", err)
			timer := time.NewTimer(wait)
			select {
			case <-timer.C:
			case <-k.closing:
				timer.Stop()
				return // the row stays for the next start
			}
		}
	})
}

func (k *Keeper) revoke(id string) error {
	if err := k.revokes.Acquire(k.ctx, 1); err != nil {
		return err
	}
	defer k.revokes.Release(1)
	return k.cfg.Vault.Revoke(k.ctx, id)
}

// setFailed stores why a lease could not be revoked; nil clears it.
func (k *Keeper) setFailed(id string, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err == nil {
		delete(k.failed, id)
	} else {
		k.failed[id] = err
	}
}

func (k *Keeper) deleteRow(id string) {
	err := k.cfg.Store.Write(context.WithoutCancel(k.ctx),
		func(tx *store.Tx) error { return tx.Leases.Delete(context.WithoutCancel(k.ctx), id) })
	if err != nil {
		k.cfg.Log.Error("a lease that was revoked could not be forgotten", "lease", id, "error", err)
	}
}
