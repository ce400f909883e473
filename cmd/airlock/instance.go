package main

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
	"github.com/computclaw/airlock/app/leases"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/retention"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/secrets/vault"
	"github.com/computclaw/airlock/app/transfer"
	"github.com/computclaw/airlock/store"
)

// instance is an opened data directory: what the server and airlock admin have in common.
type instance struct {
	dir      string
	store    *store.Store
	keyring  *secrets.Keyring
	hub      *live.Hub
	vault    *vault.Client  // nil if none is configured
	leases   *leases.Keeper // likewise
	access   *access.Service
	transfer *transfer.Service
	keeper   *retention.Keeper
	keyPath  string   // its file; "" if it is in the environment
	keyFrom  string   // where the instance key comes from
	keyMade  bool     // just now
	keys     *os.File // of a command beside the server: see shareKeys
}

// openInstance opens the data directory, which is made if need be. The caller must close it.
func openInstance(ctx context.Context, cfg config, log *slog.Logger) (_ *instance, err error) {
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
	older, err := olderKeys(cfg)
	if err != nil {
		return nil, err
	}
	ring, err := secrets.NewKeyring(key, older...)
	if err != nil {
		return nil, err
	}
	if ring, err = access.VerifyKeyring(ctx, st, ring); err != nil {
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
	desk := access.New(access.Config{Store: st, Keyring: ring, Hub: hub, AgentProfiles: cfg.AgentProfiles, Vault: client, Leases: keeper})
	i := &instance{dir: cfg.DataDir, store: st, keyring: ring, hub: hub, vault: client, leases: keeper, access: desk, keyFrom: from, keyMade: made}
	switch {
	case !cfg.SecretKey.Empty():
	case cfg.SecretKeyFile != "":
		i.keyPath = cfg.SecretKeyFile
	default:
		i.keyPath = from
	}
	i.transfer = transfer.New(transfer.Config{Store: st, Keyring: ring, Hub: hub, Dir: cfg.DataDir, Instance: i.label(), Program: "airlock " + version(), Log: log})
	i.keeper = retention.New(retention.Config{Store: st, Policy: cfg.Retention, Hub: hub, Log: log})
	return i, nil
}

// existingInstance is openInstance for commands that must not make a new instance where there is none.
func existingInstance(ctx context.Context, cfg config, log *slog.Logger) (*instance, error) {
	path := filepath.Join(cfg.DataDir, store.FileName)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usageError{message: fmt.Sprintf("there is no instance in %s; set AIRLOCK_DATA_DIR to the data directory of the server, or start it once", cfg.DataDir)}
	}
	if err != nil {
		return nil, err
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); ok && int(owner.Uid) != os.Geteuid() {
		// Files that another user makes beside the database would lock the server out.
		return nil, usageError{message: fmt.Sprintf("%s belongs to user %d; run this as that user", path, owner.Uid)}
	}
	keys, err := shareKeys(cfg.DataDir)
	if err != nil {
		return nil, err
	}
	i, err := openInstance(ctx, cfg, log)
	if err != nil {
		return nil, errors.Join(err, keys.Close())
	}
	i.keys = keys
	return i, nil
}

// noRoomHere says of a full disk what to do to whoever can do it: the words of the store are for agents, who can only ask and wait.
func noRoomHere(dir string, err error) error {
	var full *app.Error
	if !errors.As(err, &full) || full.Code != app.CodeStorageFull {
		return err
	}
	e := app.E(app.CodeStorageFull, fmt.Sprintf("there is no room on the disk of %s", dir), "Make room on it or enlarge it, then run this again. Nothing is damaged.")
	e.Cause = full.Cause
	return e
}

// label names the instance for sandbox backends, so that they sweep what it left behind and nothing else. It tells nothing about the key.
func (i *instance) label() string {
	return hex.EncodeToString(i.keyring.Lookup(secrets.Settings, "instance label")[:8])
}

func (i *instance) close() error {
	err := errors.Join(i.closeVault(), i.store.Close())
	if i.keys != nil {
		err = errors.Join(err, i.keys.Close())
	}
	return err
}

// olderKeys are the instance keys before the present one, as long as a rotation is not finished.
func olderKeys(cfg config) ([]app.Secret, error) {
	switch {
	case !cfg.OldSecretKey.Empty():
		return []app.Secret{cfg.OldSecretKey}, nil
	case !cfg.SecretKey.Empty() || cfg.SecretKeyFile != "":
		return nil, nil
	}
	return secrets.OlderKeys(cfg.DataDir)
}

// renewKeys reads the instance keys again, for a server beside which they are rotated.
func (i *instance) renewKeys(cfg config) error {
	key, _, _, err := secrets.LoadInstanceKey(cfg.SecretKey, cfg.SecretKeyFile, cfg.DataDir)
	if err != nil {
		return err
	}
	older, err := olderKeys(cfg)
	if err != nil {
		return err
	}
	return i.keyring.Renew(key, older...)
}
