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
}

// Setting returns one setting; ok is false if it was never set.
func (tx *Tx) Setting(ctx context.Context, key string) (s Setting, ok bool, err error) {
	row, err := gorm.G[settingRow](tx.db).Where("key = ?", key).Take(ctx)
	switch {
	case errors.Is(err, gorm.ErrRecordNotFound):
		return Setting{}, false, nil
	case err != nil:
		return Setting{}, false, fmt.Errorf("store: read setting: %w", err)
	}
	return Setting{row.Key, row.Value, row.Sealed}, true, nil
}

// SetSettings sets all of them.
func (tx *Tx) SetSettings(ctx context.Context, at time.Time, settings ...Setting) error {
	for _, s := range settings {
		row := settingRow{s.Key, s.Value, s.Sealed, toMillis(at)}
		if err := gorm.G[settingRow](tx.db, clause.OnConflict{UpdateAll: true}).Create(ctx, &row); err != nil {
			return fmt.Errorf("store: set setting: %w", err)
		}
	}
	return nil
}
