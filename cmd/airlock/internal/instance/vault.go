package instance

import (
	"context"
	"errors"
	"log/slog"
	"slices"
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

// StartVault revokes leases of a dead process, and logs in. Without a Vault it warns of credentials
// that need one.
func (i *Instance) StartVault(ctx context.Context, log *slog.Logger) error {
	if i.vault != nil {
		i.vault.Start(ctx)
		return i.leases.Start(ctx)
	}
	list, err := i.Access.Credentials.List(ctx)
	if err != nil {
		return err
	}
	if n := slices.IndexFunc(list, func(c app.Credential) bool { return c.Source == app.SourceVault }); n >= 0 {
		log.Warn("credentials come from Vault, and none is configured (VAULT_ADDR): executions that need them fail", "first",
			list[n].Name)
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
