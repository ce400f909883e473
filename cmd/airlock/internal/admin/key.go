package admin

import (
	"context"
	"fmt"
	"strings"

	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/transfer"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
)

// rotateKey is airlock admin key rotate. After a crash at any point the key file has every key in
// use, and running it again continues.
func (o *operator) rotateKey(ctx context.Context, _ cli.Args) error {
	dir := o.cfg.DataDir
	key, _, _, err := secrets.LoadInstanceKey(o.cfg.SecretKey, o.cfg.SecretKeyFile, dir)
	if err != nil {
		return err
	}
	if o.cfg.OwnKey() {
		older, err := secrets.OlderKeys(dir)
		if err != nil {
			return err
		}
		if len(older) == 0 {
			before := key
			key = secrets.NewInstanceKey()
			if err := secrets.WriteKeys(dir, key, before); err != nil {
				return err
			}
			if err := o.Keyring.Renew(key, before); err != nil {
				return err
			}
		}
	}
	n, err := o.FinishRotation(ctx, o.cfg, o.by)
	if err != nil {
		return err
	}
	fmt.Fprintf(o.Out, "sealed %d tokens with the instance key %s\n", n, o.Keyring.KeyID())
	if !o.cfg.OwnKey() {
		fmt.Fprintln(o.Out, "AIRLOCK_SECRET_KEY_OLD is not needed any more")
	}
	return o.tellCopies()
}

// tellCopies names database copies that only the former key opens.
func (o *operator) tellCopies() error {
	copies, err := transfer.Copies(o.cfg.DataDir)
	if err != nil || len(copies) == 0 {
		return err
	}
	fmt.Fprintf(o.Err, "these copies of the database open with the instance key before only: delete them, or keep that "+
		"key for as long as you keep them (AIRLOCK_SECRET_KEY_OLD)\n  %s\n", strings.Join(copies, "\n  "))
	return nil
}
