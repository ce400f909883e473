package admin

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
	appinstance "github.com/computclaw/airlock/app/instance"
	"github.com/computclaw/airlock/app/rekey"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/sleep"
	"github.com/computclaw/airlock/app/transfer"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
	"github.com/computclaw/airlock/cmd/airlock/internal/instance"
	"github.com/computclaw/airlock/store"
)

// knowWithin bounds how long a server takes to learn the new key, settleWithin how long it still
// writes data sealed with the old one.
const (
	knowWithin   = 30 * time.Second
	settleWithin = 5 * time.Second
)

// rotateKey is airlock admin key rotate. After a crash at any point the key file has every key in
// use, and running it again continues.
func (o *operator) rotateKey(ctx context.Context, args []string) error {
	if _, err := o.Parse(ctx, cli.NewFlags("admin key rotate", Usage), args); err != nil {
		return err
	}
	only, err := instance.LockRotation(o.cfg.DataDir)
	if err != nil {
		return err
	}
	defer only.Close()
	own := o.cfg.SecretKey.Empty() && o.cfg.SecretKeyFile == ""
	if own {
		if err := o.addKey(); err != nil {
			return err
		}
	}
	if err := o.note(ctx, "key.rotate",
		"Began to seal everything with the instance key "+o.Keyring.KeyID()+"."); err != nil {
		return err
	}
	if _, err := o.serverKnows(ctx); err != nil {
		return err
	}
	if err := o.shutOldKeysOut(ctx); err != nil {
		return err
	}
	running, err := o.serverKnows(ctx) // one may have been started meanwhile
	if err != nil {
		return err
	}
	if err := o.othersAreDone(ctx); err != nil {
		return err
	}
	n, err := o.sealAll(ctx, running)
	if err != nil {
		return err
	}
	if own {
		if err := o.dropKeys(); err != nil {
			return err
		}
	}
	if err := o.note(ctx, "key.rotated",
		fmt.Sprintf("Sealed %d tokens with the instance key %s; older keys open nothing any more.", n,
			o.Keyring.KeyID())); err != nil {
		return err
	}
	fmt.Fprintf(o.Out, "sealed %d tokens with the instance key %s\n", n, o.Keyring.KeyID())
	if !own {
		fmt.Fprintln(o.Out, "AIRLOCK_SECRET_KEY_OLD is not needed any more")
	}
	return o.tellCopies(own)
}

// sealAll seals everything with the new key, and returns the number of tokens.
func (o *operator) sealAll(ctx context.Context, serverRuns bool) (int, error) {
	n, err := rekey.Run(ctx, o.Store, o.Keyring)
	if err != nil || !serverRuns {
		return n, err
	}
	// A request sealed with the old key may have been written behind the first pass.
	if err := sleep.For(ctx, settleWithin); err != nil {
		return n, err
	}
	more, err := rekey.Run(ctx, o.Store, o.Keyring)
	return n + more, err
}

// tellCopies names database copies that only the former key opens.
func (o *operator) tellCopies(own bool) error {
	copies, err := transfer.Copies(o.cfg.DataDir)
	if err != nil || len(copies) == 0 {
		return err
	}
	key := "keep that one for as long as you keep them: airlock admin restore takes it from AIRLOCK_SECRET_KEY_OLD"
	if own {
		key = "which is gone unless you have a copy of it: delete them, and make a backup, which needs no instance key"
	}
	fmt.Fprintf(o.Err, "these copies of the database open with the instance key before only, %s:\n  %s\n", key,
		strings.Join(copies, "\n  "))
	return nil
}

// addKey puts a new key first in the key file, unless a rotation has begun.
func (o *operator) addKey() error {
	current, _, _, err := secrets.LoadInstanceKey(app.Secret{}, "", o.cfg.DataDir)
	if err != nil {
		return err
	}
	older, err := secrets.OlderKeys(o.cfg.DataDir)
	if err != nil {
		return err
	}
	if len(older) == 0 {
		if err := secrets.WriteKeys(o.cfg.DataDir, secrets.NewInstanceKey(), current); err != nil {
			return err
		}
	}
	return o.RenewKeys(o.cfg)
}

func (o *operator) dropKeys() error {
	current, _, _, err := secrets.LoadInstanceKey(app.Secret{}, "", o.cfg.DataDir)
	if err != nil {
		return err
	}
	return secrets.WriteKeys(o.cfg.DataDir, current)
}

func (o *operator) note(ctx context.Context, action, detail string) error {
	return o.Store.Write(ctx, func(tx *store.Tx) error {
		return tx.Audit(ctx, app.Event{At: time.Now().UTC().Truncate(time.Millisecond), Actor: o.by, Action: action,
			Subject: "instance", Detail: detail})
	})
}

// shutOldKeysOut makes the database refuse commands that have only an older key. Data that they
// seal would be lost. Earlier ones hold the key lock, or are the server.
func (o *operator) shutOldKeysOut(ctx context.Context) error {
	return o.Store.Write(ctx, func(tx *store.Tx) error { return appinstance.RenewKeyring(ctx, tx, o.Keyring, time.Now()) })
}

// othersAreDone waits until no other airlock admin with only the old key can be running.
func (o *operator) othersAreDone(ctx context.Context) error {
	for reported, deadline := false, time.Now().Add(knowWithin); ; reported = true {
		alone, err := instance.AloneWithKeys(o.Keys)
		if alone || err != nil {
			return err
		}
		if !reported {
			fmt.Fprintln(o.Err, "waiting until the other airlock admin commands have ended")
		}
		if time.Now().After(deadline) {
			return app.E(app.CodeConflict, "another airlock admin command runs that may not have the new instance key",
				"Nothing was sealed anew. Wait until it has ended, or end it, and run this again.")
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// serverKnows waits until a running server seals with the present key; running is false without
// one.
func (o *operator) serverKnows(ctx context.Context) (running bool, err error) {
	for deadline := time.Now().Add(knowWithin); ; {
		lock, err := instance.LockDataDir(o.cfg.DataDir)
		if err == nil {
			return false, lock.Close()
		}
		id, err := appinstance.ServesWith(ctx, o.Store)
		if err != nil || id == o.Keyring.KeyID() {
			return true, err
		}
		if time.Now().After(deadline) {
			return true, app.E(app.CodeConflict, "the running server does not have the new instance key",
				"Nothing was sealed anew. Start the server again with the new key in AIRLOCK_SECRET_KEY and the one before in "+
					"AIRLOCK_SECRET_KEY_OLD, and run this in the same environment.")
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return true, ctx.Err()
		}
	}
}
