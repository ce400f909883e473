package access

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// settingAsked is where the keys are kept by which other instances marked questions, each under a name of its own.
const settingAsked = "asked."

// AskedKeys returns the keys that came with imported history. A question is kept nowhere, only its mark, so the mark has to be understood where it comes to.
func AskedKeys(ctx context.Context, tx *store.Tx, ring *secrets.Keyring) ([][]byte, error) {
	settings, err := tx.SettingsUnder(ctx, settingAsked)
	if err != nil {
		return nil, err
	}
	var keys [][]byte
	for _, set := range settings {
		key, err := ring.Open(secrets.Settings, set.Key, set.Value)
		if err != nil {
			return nil, fmt.Errorf("access: %s: %w", set.Key, err)
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// MaxAskedKeys is how many such keys an instance has, with its own: what a file of ours may hold.
const MaxAskedKeys = 64

// KeepAskedKey keeps such a key, as long as there is room for it. Without it, re-runs here don't find the answers that were given there.
func KeepAskedKey(ctx context.Context, tx *store.Tx, ring *secrets.Keyring, key []byte, at time.Time) error {
	sum := sha256.Sum256(key)
	name := settingAsked + hex.EncodeToString(sum[:8])
	kept, err := tx.SettingsUnder(ctx, settingAsked)
	if err != nil {
		return err
	}
	if known := slices.ContainsFunc(kept, func(set store.Setting) bool { return set.Key == name }); !known && len(kept) >= MaxAskedKeys-1 {
		return nil
	}
	return tx.SetSettings(ctx, at, store.Setting{Key: name, Value: ring.Seal(secrets.Settings, name, key), Sealed: true})
}
