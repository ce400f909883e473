package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// Setting is one value that belongs to the instance.
type Setting struct {
	Key    string
	Value  []byte
	Sealed bool // Value is a token of the keyring
	// UpdatedAt is when it was set; reading fills it in.
	UpdatedAt time.Time
}

// Get returns one setting; ok is false if it was never set.
func (tx Settings) Get(ctx context.Context, key string) (s Setting, ok bool, err error) {
	row, err := gorm.G[settingRow](tx.db).Where("key = ?", key).Take(ctx)
	switch {
	case errors.Is(err, gorm.ErrRecordNotFound):
		return Setting{}, false, nil
	case err != nil:
		return Setting{}, false, fmt.Errorf("store: read setting: %w", err)
	}
	return Setting{row.Key, row.Value, row.Sealed, fromMillis(row.UpdatedAt)}, true, nil
}

// GetAll returns those of keys that are set.
func (tx Settings) GetAll(ctx context.Context, keys ...string) (map[string]Setting, error) {
	rows, err := gorm.G[settingRow](tx.db).Where("key IN ?", keys).Find(ctx)
	if err != nil {
		return nil, fmt.Errorf("store: read settings: %w", err)
	}
	found := make(map[string]Setting, len(rows))
	for _, r := range rows {
		found[r.Key] = Setting{r.Key, r.Value, r.Sealed, fromMillis(r.UpdatedAt)}
	}
	return found, nil
}

// Set sets all of them.
func (tx Settings) Set(ctx context.Context, at time.Time, settings ...Setting) error {
	for _, s := range settings {
		row := settingRow{s.Key, s.Value, s.Sealed, toMillis(at)}
		if err := gorm.G[settingRow](tx.db, clause.OnConflict{UpdateAll: true}).Create(ctx, &row); err != nil {
			return fmt.Errorf("store: set setting: %w", err)
		}
	}
	return nil
}

// Under returns the settings whose key begins with prefix, by key. prefix must end in a full stop.
func (tx Settings) Under(ctx context.Context, prefix string) ([]Setting, error) {
	rows, err := gorm.G[settingRow](tx.db).Where("key >= ? AND key < ?", prefix,
		prefix[:len(prefix)-1]+"/").Order("key").Find(ctx)
	if err != nil {
		return nil, fmt.Errorf("store: read settings: %w", err)
	}
	list := make([]Setting, len(rows))
	for i, r := range rows {
		list[i] = Setting{Key: r.Key, Value: r.Value, Sealed: r.Sealed}
	}
	return list, nil
}

// Delete removes a setting; one that is not set is no error.
func (tx Settings) Delete(ctx context.Context, key string) error {
	if _, err := tx.exec(ctx, "DELETE FROM settings WHERE key = ?", key); err != nil {
		return fmt.Errorf("store: delete setting: %w", err)
	}
	return nil
}
