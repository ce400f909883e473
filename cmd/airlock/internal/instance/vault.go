package instance

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/leases"
	"github.com/computclaw/airlock/app/secrets/vault"
	"github.com/computclaw/airlock/cmd/airlock/internal/config"
	"github.com/computclaw/airlock/store"
)

// How long a shutdown waits for requests, and then for the engine. Executions' ends may wait ten
// seconds for their check.
const (
	Grace       = 10 * time.Second
	EngineGrace = 15 * time.Second
)

// openVault opens Vault for reading and revoking, or returns nil without one. It sends nothing yet.
func openVault(cfg config.Config, st *store.Store, log *slog.Logger) (*vault.Client, *leases.Keeper, error) {
	if cfg.Vault.Address == "" {
		return nil, nil, nil
	}
	cfg.Vault.Log = log
	client, err := vault.New(cfg.Vault)
	if err != nil {
		return nil, nil, err
	}
	return client, leases.New(leases.Config{Store: st, Vault: client, Log: log}), nil
}

// StartVault revokes leases of a dead process, and logs in.
func (i *Instance) StartVault(ctx context.Context, log *slog.Logger) error {
	if i.vault == nil {
		var left []store.Lease
		err := i.Store.Read(ctx, func(tx *store.Tx) (err error) {
			left, err = tx.Leases.List(ctx)
			return err
		})
		if len(left) > 0 {
			log.Warn("leases in Vault can't be revoked, since none is configured any more (VAULT_ADDR); they live until they "+
				"expire", "count", len(left))
		}
		if err := i.warnOfNoVault(ctx, log); err != nil { // no reason not to start: whoever needs such a credential is told
			log.Warn("whether credentials come from Vault could not be read", "error", err)
		}
		return err
	}
	i.vault.Start(ctx)
	return i.leases.Start(ctx)
}

// warnOfNoVault names credentials that can't be read without Vault.
func (i *Instance) warnOfNoVault(ctx context.Context, log *slog.Logger) error {
	list, err := i.Access.Credentials.List(ctx)
	if err != nil {
		return err
	}
	var names []string
	for _, c := range list {
		if c.Source == app.SourceVault {
			names = append(names, c.Name)
		}
	}
	if len(names) > 0 {
		log.Warn("credentials come from Vault, and none is configured (VAULT_ADDR): executions that need them fail", "count",
			len(names), "first", names[0])
	}
	return nil
}

// closeVault gives everything back.
func (i *Instance) closeVault() error {
	if i.vault == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), Grace)
	defer cancel()
	return errors.Join(i.leases.Close(ctx), i.vault.Close(ctx))
}
