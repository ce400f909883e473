package store

import (
	"context"
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

type settingRow struct {
	Key       string `gorm:"primaryKey"`
	Value     []byte
	Sealed    bool
	UpdatedAt int64 `gorm:"autoUpdateTime:false"`
}

func (settingRow) TableName() string { return "settings" }

// Get returns one setting; ok is false if it was never set.
func (tx Settings) Get(ctx context.Context, key string) (s Setting, ok bool, err error) {
	found, err := tx.GetAll(ctx, key)
	s, ok = found[key]
	return s, ok, err
}

// GetAll returns those of keys that are set.
func (tx Settings) GetAll(ctx context.Context, keys ...string) (map[string]Setting, error) {
	list, err := selectAs(ctx, tx.conn, settingRow.setting, "read settings", "SELECT * FROM settings WHERE key IN ?", keys)
	if err != nil {
		return nil, err
	}
	found := make(map[string]Setting, len(list))
	for _, s := range list {
		found[s.Key] = s
	}
	return found, nil
}

// Set saves settings.
func (tx Settings) Set(ctx context.Context, at time.Time, settings ...Setting) error {
	for _, s := range settings {
		row := settingRow{s.Key, s.Value, s.Sealed, toMillis(at)}
		if err := gorm.G[settingRow](tx.db, clause.OnConflict{UpdateAll: true}).Create(ctx, &row); err != nil {
			return wrapError("set setting", err)
		}
	}
	return nil
}

// Under returns the settings whose key begins with prefix, by key. prefix must end in a full stop.
func (tx Settings) Under(ctx context.Context, prefix string) ([]Setting, error) {
	return selectAs(ctx, tx.conn, settingRow.setting, "read settings",
		"SELECT * FROM settings WHERE key >= ? AND key < ? ORDER BY key", prefix, prefix[:len(prefix)-1]+"/")
}

// Delete removes a setting; one that is not set is no error.
func (tx Settings) Delete(ctx context.Context, key string) error {
	return tx.run(ctx, "delete setting", "DELETE FROM settings WHERE key = ?", key)
}

func (r settingRow) setting() (Setting, error) {
	return Setting{r.Key, r.Value, r.Sealed, fromMillis(r.UpdatedAt)}, nil
}
