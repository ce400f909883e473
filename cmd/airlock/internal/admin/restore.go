package admin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/transfer"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
	"github.com/computclaw/airlock/cmd/airlock/internal/config"
	"github.com/computclaw/airlock/cmd/airlock/internal/harden"
	"github.com/computclaw/airlock/cmd/airlock/internal/instance"
)

// restore is airlock admin restore FILE. It makes the database, so it opens none.
func (o *operator) restore(ctx context.Context, args []string) error {
	f := cli.NewFlags("admin restore", Usage)
	replace, from, most := f.Bool("replace", false, ""), f.String("passphrase-file", "", ""), f.String("max-size", "", "")
	rest, err := f.Parse(o.Out, args, "FILE")
	if err != nil {
		return err
	}
	cfg, err := config.Load(o.Env)
	if err != nil {
		return err
	}
	if err := harden.Process(); err != nil {
		return err
	}
	lock, err := instance.LockDataDir(cfg.DataDir)
	if err != nil {
		return err
	}
	defer lock.Close()
	alone, err := instance.LockKeys(cfg.DataDir)
	if err != nil {
		return err
	}
	defer alone.Close()
	path := inDataDir(cfg.DataDir, rest[0])
	point, err := transfer.IsPoint(path)
	if err != nil {
		return err
	}
	ring, keep, err := o.restoreKey(cfg)
	if err != nil {
		return err
	}
	r := transfer.Restore{Dir: cfg.DataDir, Keyring: ring, Replace: *replace, Keep: keep, By: o.by,
		Log: slog.New(slog.NewTextHandler(o.Err, &slog.HandlerOptions{Level: slog.LevelWarn}))}
	if point {
		done, err := r.FromPoint(ctx, path)
		if err != nil {
			return err
		}
		fmt.Fprintf(o.Out, "restored %s in %s\n", path, cfg.DataDir)
		o.tellAge(done)
		return nil
	}
	file, err := o.upload(path, *from, *most)
	if err != nil {
		return err
	}
	done, err := r.FromFile(ctx, file, nil)
	if err != nil {
		return err
	}
	fmt.Fprintf(o.Out, "restored %s in %s\n", done.Counts, cfg.DataDir)
	o.tellAge(done)
	fmt.Fprintln(o.Err, "backups are off in it: their target and passphrase are in no file. Set them up under Settings, "+
		"Backups")
	return nil
}

// inDataDir finds a restore point by its bare name. The present directory comes first.
func inDataDir(dir, name string) string {
	if filepath.Base(name) != name {
		return name
	}
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		return name
	}
	if point := filepath.Join(dir, name); isFile(point) {
		return point
	}
	return name
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func (o *operator) tellAge(done transfer.Restored) {
	if !done.AsOf.IsZero() {
		fmt.Fprintf(o.Err, "everything is as it was at %s: hosts, modes, values and ends of profiles too\n",
			cli.Stamp(done.AsOf))
	}
	for _, said := range done.Said {
		fmt.Fprintln(o.Err, said)
	}
	if done.Kept {
		fmt.Fprintln(o.Err, "people, their passwords and the target of backups are those of the database that was "+
			"replaced, and what was revoked or deleted there does not come back")
		return
	}
	fmt.Fprintln(o.Err, "people, their passwords, and what is approved and revoked, are as they were when it was made. "+
		"Look through Settings, People, Profiles and Skills; airlock admin token sets a new password")
}

// restoreKey returns the directory's instance key, or a new one. A backup needs no old key; a
// restore point also opens with a known former one. keep stores a new key: call it after a
// successful restore, as no useless key must be left.
func (o *operator) restoreKey(cfg config.Config) (ring *secrets.Keyring, keep func() error, err error) {
	path := filepath.Join(cfg.DataDir, secrets.InstanceKeyFile)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) && cfg.SecretKey.Empty() && cfg.SecretKeyFile == "" {
		key, older := secrets.NewInstanceKey(), []app.Secret{}
		if !cfg.OldSecretKey.Empty() {
			older = append(older, cfg.OldSecretKey)
		}
		ring, err := secrets.NewKeyring(key, older...)
		return ring, func() error {
			if err := secrets.WriteKeys(cfg.DataDir, key); err != nil {
				return err
			}
			fmt.Fprintf(o.Err, "made a new instance key, %s; back it up apart from the database\n", path)
			return nil
		}, err
	}
	key, _, _, err := secrets.LoadInstanceKey(cfg.SecretKey, cfg.SecretKeyFile, cfg.DataDir)
	if err != nil {
		return nil, nil, err
	}
	older, err := instance.OlderKeys(cfg)
	if err != nil {
		return nil, nil, err
	}
	ring, err = secrets.NewKeyring(key, older...)
	return ring, func() error { return nil }, err
}
