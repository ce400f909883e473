package admin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/transfer"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
	"github.com/computclaw/airlock/cmd/airlock/internal/instance"
)

// restore is airlock admin restore FILE.
func (o *operator) restore(ctx context.Context, a cli.Args) error {
	dir, path := o.cfg.DataDir, a.Rest[0]
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && filepath.Base(path) == path {
		path = filepath.Join(dir, path) // a restore point by its bare name
	}
	point, err := transfer.IsPoint(path)
	if err != nil {
		return err
	}
	ring, keep, err := o.restoreKey()
	if err != nil {
		return err
	}
	r := transfer.Restore{Dir: dir, Keyring: ring, Replace: a.On("replace"), Keep: keep, By: o.by, Log: o.Warnings()}
	if point {
		done, err := r.FromPoint(ctx, path)
		if err != nil {
			return err
		}
		fmt.Fprintf(o.Out, "restored %s in %s\n", path, dir)
		o.tellAge(done)
		return nil
	}
	file, err := o.upload(path, a)
	if err != nil {
		return err
	}
	done, err := r.FromFile(ctx, file, nil)
	if err != nil {
		return err
	}
	fmt.Fprintf(o.Out, "restored %s in %s\n", done.Counts, dir)
	o.tellAge(done)
	fmt.Fprintln(o.Err, "backups are off in it: their target and passphrase are in no file. Set them up under Settings, "+
		"Backups")
	return nil
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
func (o *operator) restoreKey() (ring *secrets.Keyring, keep func() error, err error) {
	path := filepath.Join(o.cfg.DataDir, secrets.InstanceKeyFile)
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) || !o.cfg.OwnKey() {
		keys, err := instance.OpenKeys(o.cfg)
		return keys.Ring, nil, err
	}
	key, older := secrets.NewInstanceKey(), []app.Secret{}
	if !o.cfg.OldSecretKey.Empty() {
		older = append(older, o.cfg.OldSecretKey)
	}
	ring, err = secrets.NewKeyring(key, older...)
	return ring, func() error {
		if err := secrets.WriteKeys(o.cfg.DataDir, key); err != nil {
			return err
		}
		fmt.Fprintf(o.Err, "made a new instance key, %s; back it up apart from the database\n", path)
		return nil
	}, err
}
