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
	dir      string
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
	keyPath  string   // its file; "" if it is in the environment
	KeyFrom  string   // where the instance key comes from
	KeyMade  bool     // just now
	Keys     *os.File // of a command beside the server: see ShareKeys
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
	key, from, made, err := secrets.LoadInstanceKey(cfg.SecretKey, cfg.SecretKeyFile, cfg.DataDir)
	if err != nil {
		return nil, err
	}
	older, err := OlderKeys(cfg)
	if err != nil {
		return nil, err
	}
	ring, err := secrets.NewKeyring(key, older...)
	if err != nil {
		return nil, err
	}
	if ring, err = instance.VerifyKeyring(ctx, st, ring); err != nil {
		if made { // it opens nothing, and would be taken for the one that is missing
			err = errors.Join(lostKey(from, err), os.Remove(from))
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
	i := &Instance{dir: cfg.DataDir, Store: st, Keyring: ring, Hub: hub, vault: client, leases: keeper, Access: desk,
		KeyFrom: from, KeyMade: made}
	switch {
	case !cfg.SecretKey.Empty():
	case cfg.SecretKeyFile != "":
		i.keyPath = cfg.SecretKeyFile
	default:
		i.keyPath = from
	}
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

// OpenExisting is Open for commands that must not create an instance.
func OpenExisting(ctx context.Context, cfg config.Config, log *slog.Logger) (*Instance, error) {
	path := filepath.Join(cfg.DataDir, store.FileName)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		dir, err := filepath.Abs(cfg.DataDir)
		if err != nil {
			return nil, err
		}
		return nil, cli.UsageError{Message: fmt.Sprintf(
			"there is no instance in %s; set AIRLOCK_DATA_DIR to the data directory of the server, or start it once", dir)}
	}
	if err != nil {
		return nil, err
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); ok && int(owner.Uid) != os.Geteuid() {
		// Another user's files beside the database would lock the server out.
		return nil, cli.UsageError{Message: fmt.Sprintf("%s belongs to user %d; run this as that user", path, owner.Uid)}
	}
	keys, err := ShareKeys(cfg.DataDir)
	if err != nil {
		return nil, err
	}
	i, err := Open(ctx, cfg, log)
	if err != nil {
		return nil, errors.Join(err, keys.Close())
	}
	i.Keys = keys
	return i, nil
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

// Close closes the database, the connection to Vault and the lock of the keys.
func (i *Instance) Close() error {
	err := errors.Join(i.closeVault(), i.Store.Close())
	if i.Keys != nil {
		err = errors.Join(err, i.Keys.Close())
	}
	return err
}

// OlderKeys are earlier instance keys while a rotation is not finished.
func OlderKeys(cfg config.Config) ([]app.Secret, error) {
	switch {
	case !cfg.OldSecretKey.Empty():
		return []app.Secret{cfg.OldSecretKey}, nil
	case !cfg.SecretKey.Empty() || cfg.SecretKeyFile != "":
		return nil, nil
	}
	return secrets.OlderKeys(cfg.DataDir)
}

// RenewKeys reads the instance keys again, for a server beside a rotation.
func (i *Instance) RenewKeys(cfg config.Config) error {
	key, _, _, err := secrets.LoadInstanceKey(cfg.SecretKey, cfg.SecretKeyFile, cfg.DataDir)
	if err != nil {
		return err
	}
	older, err := OlderKeys(cfg)
	if err != nil {
		return err
	}
	return i.Keyring.Renew(key, older...)
}
