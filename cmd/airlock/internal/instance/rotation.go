package instance

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/instance"
	"github.com/computclaw/airlock/app/rekey"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/sleep"
	"github.com/computclaw/airlock/cmd/airlock/internal/config"
	"github.com/computclaw/airlock/store"
)

// FinishRotation seals everything with the instance key and drops the one before from instance.key.
// After a crash it is repeated. It returns the number of tokens sealed.
func (i *Instance) FinishRotation(ctx context.Context, cfg config.Config, by app.Actor) (n int, err error) {
	if n, err = rekey.Run(ctx, i.Store, i.Keyring); err != nil {
		return n, err
	}
	if cfg.OwnKey() {
		key, _, _, err := secrets.LoadInstanceKey(cfg.SecretKey, cfg.SecretKeyFile, cfg.DataDir)
		if err != nil {
			return n, err
		}
		if err := secrets.WriteKeys(cfg.DataDir, key); err != nil {
			return n, err
		}
	}
	if n == 0 {
		return 0, nil
	}
	detail := fmt.Sprintf("Sealed %d tokens with the instance key %s; older keys open nothing any more.", n,
		i.Keyring.KeyID())
	return n, i.Store.Write(ctx, func(tx *store.Tx) error {
		return tx.Audit(ctx, app.NewEvent(time.Now(), by, "key.rotated", "instance", detail))
	})
}

// FinishRotationBeside is FinishRotation beside a server. A command from before the rotation may
// still seal with the old key, so it shuts new ones out and waits for those that run.
func (i *Instance) FinishRotationBeside(ctx context.Context, cfg config.Config) (n int, err error) {
	err = i.Store.Write(ctx, func(tx *store.Tx) error { return instance.RenewKeyring(ctx, tx, i.Keyring, time.Now()) })
	if err != nil {
		return 0, err
	}
	shared, err := ShareKeys(cfg.DataDir)
	if err != nil {
		return 0, err
	}
	for {
		err = unix.Flock(int(shared.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EWOULDBLOCK) {
			break
		}
		if err = sleep.For(ctx, 200*time.Millisecond); err != nil {
			break
		}
	}
	if err = errors.Join(err, shared.Close()); err != nil {
		return 0, err
	}
	return i.FinishRotation(ctx, cfg, app.System())
}
