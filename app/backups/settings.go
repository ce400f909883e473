package backups

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/blobs"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/transfer"
	"github.com/computclaw/airlock/app/transfer/archive"
	"github.com/computclaw/airlock/store"
)

// Frequencies of backups, in UTC: at every full hour, at 03:00, on Sundays at 03:00.
const (
	Hourly = "hourly"
	Daily  = "daily"
	Weekly = "weekly"
)

// Kinds of targets.
const (
	ToDirectory = "directory"
	ToS3        = "s3"
)

// BackupSettings say what is backed up where. Secrets never leave this package, except into the
// sealed setting.
type BackupSettings struct {
	On         bool
	Every      string // Hourly, Daily or Weekly
	Keep       int    // newest backups that are kept
	Kind       string // ToDirectory or ToS3
	Directory  string
	S3         blobs.S3
	Files      bool       // files and artifacts are kept in S3 too, whether backups are on or not
	Artifacts  bool       // backups take the contents of artifacts, too
	Passphrase app.Secret `json:"-"`
	Since      time.Time  // when it was switched on, or got another frequency: no time before is missed
}

// storedSettings is the sealed setting. Secrets are written nowhere else.
type storedSettings struct {
	BackupSettings
	SecretKey, Passphrase string
}

// BackupSettings returns what is set; ok is false if nothing ever was.
func (s *Service) BackupSettings(ctx context.Context) (b BackupSettings, ok bool, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		b, ok, err = s.readSettings(ctx, tx)
		return err
	})
	return b, ok, err
}

func (s *Service) readSettings(ctx context.Context, tx *store.Tx) (b BackupSettings, ok bool, err error) {
	set, ok, err := tx.Settings.Get(ctx, transfer.SettingBackup)
	if err != nil || !ok {
		return b, false, err
	}
	plain, err := s.cfg.Keyring.Open(secrets.Settings, transfer.SettingBackup, set.Value)
	if err != nil {
		return b, false, fmt.Errorf("backups: settings: %w", err)
	}
	var v storedSettings
	if err := json.Unmarshal(plain, &v); err != nil {
		return b, false, fmt.Errorf("backups: settings: %w", err)
	}
	b = v.BackupSettings
	b.Passphrase, b.S3.SecretKey = app.NewSecret(v.Passphrase), app.NewSecret(v.SecretKey)
	return b, true, nil
}

// SetBackupSettings checks and keeps the settings. It first writes, reads and deletes a small file
// at the target. Empty secrets stay unchanged. People only.
func (s *Service) SetBackupSettings(ctx context.Context, by app.Actor, b BackupSettings) error {
	if err := by.PeopleOnly(); err != nil {
		return err
	}
	was, _, err := s.BackupSettings(ctx)
	if err != nil {
		return err
	}
	if b.Passphrase.Empty() {
		b.Passphrase = was.Passphrase
	}
	// a key must not go to another place than it was typed for
	if b.S3.SecretKey.Empty() && b.S3.Endpoint == was.S3.Endpoint {
		b.S3.SecretKey = was.S3.SecretKey
	}
	b.Since = was.Since
	if b.On && (!was.On || b.Every != was.Every) {
		b.Since = s.now()
	}
	b.Files = b.Files && b.Kind == ToS3
	if err := b.check(); err != nil {
		return err
	}
	if b.On || b.Files {
		if err := s.checkSeparate(b); err != nil {
			return err
		}
		if err := b.try(ctx); err != nil {
			return err
		}
	}
	detail := "Backups are off."
	if b.On {
		detail = fmt.Sprintf("Backups: %s, the last %d are kept, %s.", b.Every, b.Keep, b.place())
		if b.Artifacts {
			detail += " They take the contents of artifacts."
		}
	}
	if b.Files {
		detail += fmt.Sprintf(" Files and artifacts go %s.", b.place())
	}
	plain, err := json.Marshal(storedSettings{b, b.S3.SecretKey.Reveal(), b.Passphrase.Reveal()})
	if err != nil {
		return fmt.Errorf("backups: settings: %w", err)
	}
	return s.cfg.Store.Write(ctx, func(tx *store.Tx) error {
		if err := tx.Settings.Set(ctx, s.now(),
			store.Setting{Key: transfer.SettingBackup, Sealed: true,
				Value: s.cfg.Keyring.Seal(secrets.Settings, transfer.SettingBackup, plain)}); err != nil {
			return err
		}
		return tx.Audit(ctx, s.event(by, "backup.settings", "backups", detail))
	})
}

func (b BackupSettings) check() error {
	switch {
	case b.Every != Hourly && b.Every != Daily && b.Every != Weekly:
		return app.Invalid("every", "the frequency is missing or not known", "Choose hourly, daily or weekly.")
	case b.Keep < 1 || b.Keep > 1000:
		return app.Invalid("keep", "the number of backups to keep is not from 1 to 1000", "Type a number such as 14.")
	case b.Kind != ToDirectory && b.Kind != ToS3:
		return app.Invalid("kind", "the kind of target is missing or not known", "Choose a directory or S3.")
	case !b.On:
		return nil
	case b.Passphrase.Empty():
		return app.Invalid("passphrase", "backups need a passphrase",
			"Type one, and keep it elsewhere: it opens the backups when this instance is lost.")
	}
	return archive.CheckPassphrase(b.Passphrase)
}

func (b BackupSettings) open() (blobs.Store, error) {
	if b.Kind == ToS3 {
		return blobs.OpenS3(b.S3)
	}
	return blobs.OpenDir(b.Directory)
}

// checkSeparate refuses a directory inside the data directory: what takes the data would take its
// backups.
func (s *Service) checkSeparate(b BackupSettings) error {
	if b.Kind != ToDirectory {
		return nil
	}
	data, err := filepath.EvalSymlinks(s.cfg.Dir)
	if err != nil {
		return fmt.Errorf("backups: data directory: %w", err)
	}
	if data, err = filepath.Abs(data); err != nil {
		return fmt.Errorf("backups: data directory: %w", err)
	}
	dir, err := filepath.EvalSymlinks(b.Directory)
	if err != nil { // what is wrong with it is found when it is tried
		return nil
	}
	if rel, err := filepath.Rel(data, dir); err == nil && filepath.IsLocal(rel) {
		return app.Invalid("directory", "backups can't be kept in the data directory",
			"Whatever takes the data would take them, too. Name a directory on another disk.")
	}
	return nil
}

func (b BackupSettings) place() string {
	target, err := b.open()
	if err != nil {
		return "to " + b.Kind
	}
	return "to " + target.String()
}
