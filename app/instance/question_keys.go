package instance

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

// settingQuestionKey prefixes settings with question keys of imported history.
const settingQuestionKey = "asked."

// AskedKeys returns the question keys of imported history. Questions are stored as keyed hashes,
// with their original instance's key.
func AskedKeys(ctx context.Context, tx *store.Tx, ring *secrets.Keyring) ([][]byte, error) {
	settings, err := tx.Settings.Under(ctx, settingQuestionKey)
	if err != nil {
		return nil, err
	}
	var keys [][]byte
	for _, set := range settings {
		key, err := ring.Open(secrets.Settings, set.Key, set.Value)
		if err != nil {
			return nil, fmt.Errorf("instance: %s: %w", set.Key, err)
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// MaxAskedKeys bounds the question keys of an instance, with its own.
const MaxAskedKeys = 64

// KeepAskedKey stores a question key, up to MaxAskedKeys. Re-runs need it to find imported answers.
func KeepAskedKey(ctx context.Context, tx *store.Tx, ring *secrets.Keyring, key []byte, at time.Time) error {
	sum := sha256.Sum256(key)
	name := settingQuestionKey + hex.EncodeToString(sum[:8])
	kept, err := tx.Settings.Under(ctx, settingQuestionKey)
	if err != nil {
		return err
	}
	known := slices.ContainsFunc(kept, func(set store.Setting) bool { return set.Key == name })
	if !known && len(kept) >= MaxAskedKeys-1 {
		return nil
	}
	return tx.Settings.Set(ctx, at, store.Setting{Key: name, Value: ring.Seal(secrets.Settings, name, key),
		Sealed: true})
}
