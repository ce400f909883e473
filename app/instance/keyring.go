package instance

import (
	"context"
	"fmt"
	"time"

	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// Settings of the keyring.
const (
	settingCheck  = "keyring.check"
	settingLookup = "keyring.lookup"
)

// VerifyKeyring checks that a key of the ring made the database. It returns the keyring to use,
// with the database's lookup key. The first boot stores both.
func VerifyKeyring(ctx context.Context, st *store.Store, ring *secrets.Keyring) (*secrets.Keyring, error) {
	err := st.Write(ctx, func(tx *store.Tx) error {
		check, ok, err := tx.Settings.Get(ctx, settingCheck)
		switch {
		case err != nil:
			return err
		case !ok:
			return tx.Settings.Set(ctx, time.Now(),
				store.Setting{Key: settingCheck, Value: ring.CheckValue(), Sealed: true},
				store.Setting{Key: settingLookup, Value: ring.SealLookupKey(), Sealed: true})
		}
		if err := ring.Verify(check.Value); err != nil {
			return fmt.Errorf("instance: set the instance key (AIRLOCK_SECRET_KEY or the data directory's instance.key) "+
				"that this database was made with, or to which it was rotated since: %w", err)
		}
		lookup, ok, err := tx.Settings.Get(ctx, settingLookup)
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("instance: the database has lost the setting %s; restore a backup", settingLookup)
		}
		ring, err = ring.WithLookupKey(lookup.Value)
		return err
	})
	if err != nil {
		return nil, err
	}
	return ring, nil
}

// RenewKeyring reseals VerifyKeyring's records with the ring's present key. A rotation starts with
// it, so an older key alone no longer starts. It also ends with it; then older keys open nothing.
func RenewKeyring(ctx context.Context, tx *store.Tx, ring *secrets.Keyring, at time.Time) error {
	return tx.Settings.Set(ctx, at,
		store.Setting{Key: settingCheck, Value: ring.CheckValue(), Sealed: true},
		store.Setting{Key: settingLookup, Value: ring.SealLookupKey(), Sealed: true})
}
