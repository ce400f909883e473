package access

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

// VerifyKeyring makes sure that the database was made with an instance key on the ring, and returns the keyring to use with it: one
// that finds ids by the lookup key kept in the database. At the first boot it stores both. A wrong key is an error; nothing can be read then.
func VerifyKeyring(ctx context.Context, st *store.Store, ring *secrets.Keyring) (*secrets.Keyring, error) {
	err := st.Write(ctx, func(tx *store.Tx) error {
		check, ok, err := tx.Setting(ctx, settingCheck)
		switch {
		case err != nil:
			return err
		case !ok:
			return tx.SetSettings(ctx, time.Now(),
				store.Setting{Key: settingCheck, Value: ring.CheckValue(), Sealed: true},
				store.Setting{Key: settingLookup, Value: ring.SealLookupKey(), Sealed: true})
		}
		if err := ring.Verify(check.Value); err != nil {
			return fmt.Errorf("access: set the instance key (AIRLOCK_SECRET_KEY or the data directory's instance.key) that this database was made with, or to which it was rotated since: %w", err)
		}
		lookup, ok, err := tx.Setting(ctx, settingLookup)
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("access: the database has lost the setting %s; restore a backup", settingLookup)
		}
		ring, err = ring.WithLookupKey(lookup.Value)
		return err
	})
	if err != nil {
		return nil, err
	}
	return ring, nil
}

// RenewKeyring seals anew, with the ring's present key, what VerifyKeyring keeps. It is the first step of a rotation, so that nobody begins with an older key alone any more, and the
// last one, after which older keys open nothing.
func RenewKeyring(ctx context.Context, tx *store.Tx, ring *secrets.Keyring, at time.Time) error {
	return tx.SetSettings(ctx, at,
		store.Setting{Key: settingCheck, Value: ring.CheckValue(), Sealed: true},
		store.Setting{Key: settingLookup, Value: ring.SealLookupKey(), Sealed: true})
}

// settingServing is where a running server says by which key it seals.
const settingServing = "keyring.serving"

// NoteServing notes by which key the server seals from now on.
func NoteServing(ctx context.Context, st *store.Store, ring *secrets.Keyring) error {
	return st.Write(ctx, func(tx *store.Tx) error {
		return tx.SetSettings(ctx, time.Now(), store.Setting{Key: settingServing, Value: []byte(ring.KeyID())})
	})
}

// ServesWith tells by which key the server said that it seals; "" if none ever did.
func ServesWith(ctx context.Context, st *store.Store) (id string, err error) {
	err = st.Read(ctx, func(tx *store.Tx) error {
		set, _, err := tx.Setting(ctx, settingServing)
		id = string(set.Value)
		return err
	})
	return id, err
}
