package instance

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/backups"
	"github.com/computclaw/airlock/app/files"
	"github.com/computclaw/airlock/app/instance"
	"github.com/computclaw/airlock/app/leases"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/retention"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/secrets/vault"
	"github.com/computclaw/airlock/app/transfer"
	"github.com/computclaw/airlock/cmd/airlock/internal/build"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
	"github.com/computclaw/airlock/cmd/airlock/internal/config"
	"github.com/computclaw/airlock/store"
)

// Instance is an opened data directory, for server and airlock admin.
type Instance struct {
	Store    *store.Store
	Keyring  *secrets.Keyring
	Hub      *live.Hub
	vault    *vault.Client  // nil if none is configured
	leases   *leases.Keeper // likewise
	Access   *access.Parts
	Files    *files.Files
	Transfer *transfer.Service
	Backups  *backups.Service
	Keeper   *retention.Keeper
	Key      instance.KeyInfo
	KeyMade  bool // just now
	Rotating bool // the key before is known, too
}

// Open opens the data directory, or creates it. The caller must close it.
func Open(ctx context.Context, cfg config.Config, log *slog.Logger) (_ *Instance, err error) {
	st, err := store.Open(ctx, cfg.DataDir, log)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, st.Close())
		}
	}()
	keys, err := OpenKeys(cfg)
	if err != nil {
		return nil, err
	}
	ring, err := instance.VerifyKeyring(ctx, st, keys.Ring)
	if err != nil {
		if keys.Made { // it opens nothing, and would be taken for the one that is missing
			err = errors.Join(lostKey(keys.From, err), os.Remove(keys.From))
		}
		return nil, err
	}
	hub := &live.Hub{}
	client, keeper, err := openVault(cfg, st, log)
	if err != nil {
		return nil, err
	}
	desk := access.New(access.Config{Store: st, Keyring: ring, Hub: hub, AgentProfiles: cfg.AgentProfiles, Vault: client,
		Leases: keeper})
	i := &Instance{Store: st, Keyring: ring, Hub: hub, vault: client, leases: keeper, Access: desk,
		Key: keyInfo(cfg, ring, keys.From), KeyMade: keys.Made, Rotating: keys.Rotating}
	if i.Files, err = openFiles(cfg, st, ring, log); err != nil {
		return nil, err
	}
	i.Transfer = transfer.New(transfer.Config{Store: st, Keyring: ring, Files: i.Files, Hub: hub, Dir: cfg.DataDir,
		Instance: i.Label(), Program: "airlock " + build.Version, Log: log})
	i.Backups = backups.New(backups.Config{Store: st, Keyring: ring, Transfer: i.Transfer, Hub: hub, Dir: cfg.DataDir,
		Instance: i.Label(), Log: log})
	i.Keeper = retention.New(retention.Config{Store: st, Policy: cfg.Retention, Hub: hub, Log: log})
	return i, nil
}

// CheckExisting refuses a command where there is no instance, or another user's.
func CheckExisting(dataDir string) error {
	path := filepath.Join(dataDir, store.FileName)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		dir, err := filepath.Abs(dataDir)
		if err != nil {
			return err
		}
		return cli.UsageError{Message: fmt.Sprintf(
			"there is no instance in %s; set AIRLOCK_DATA_DIR to the data directory of the server, or start it once", dir)}
	}
	if err != nil {
		return err
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); ok && int(owner.Uid) != os.Geteuid() {
		// Another user's files beside the database would lock the server out.
		return cli.UsageError{Message: fmt.Sprintf("%s belongs to user %d; run this as that user", path, owner.Uid)}
	}
	return nil
}

// NoRoomHere tells an operator what to do about a full disk. The store's own words are for agents.
func NoRoomHere(dir string, err error) error {
	var full *app.Error
	if !errors.As(err, &full) || full.Code != app.CodeStorageFull {
		return err
	}
	e := app.E(app.CodeStorageFull, fmt.Sprintf("there is no room on the disk of %s", dir),
		"Make room on it or enlarge it, then run this again. Nothing is damaged.")
	e.Cause = full.Cause
	return e
}

// Label names the instance for sandbox backends, which sweep only its leftovers. It reveals nothing
// about the key.
func (i *Instance) Label() string {
	return hex.EncodeToString(i.Keyring.Lookup(secrets.Settings, "instance label")[:8])
}

// Close closes the database and the connection to Vault.
func (i *Instance) Close() error { return errors.Join(i.closeVault(), i.Store.Close()) }

// Keys are the instance keys of a data directory.
type Keys struct {
	Ring     *secrets.Keyring
	From     string // where the instance key is from
	Made     bool   // it was made now
	Rotating bool   // the one before is on the ring, too
}

// OpenKeys reads the instance key and, while a rotation is not finished, the one before.
func OpenKeys(cfg config.Config) (k Keys, err error) {
	key, from, made, err := secrets.LoadInstanceKey(cfg.SecretKey, cfg.SecretKeyFile, cfg.DataDir)
	if err != nil {
		return k, err
	}
	var older []app.Secret
	switch {
	case !cfg.OldSecretKey.Empty():
		older = []app.Secret{cfg.OldSecretKey}
	case cfg.OwnKey():
		if older, err = secrets.OlderKeys(cfg.DataDir); err != nil {
			return k, err
		}
	}
	ring, err := secrets.NewKeyring(key, older...)
	return Keys{Ring: ring, From: from, Made: made, Rotating: len(older) > 0}, err
}
