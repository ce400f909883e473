package credentials

import (
	"time"

	"github.com/computclaw/airlock/app/leases"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/secrets/vault"
	"github.com/computclaw/airlock/store"
)

// Config is what New needs.
type Config struct {
	Store   *store.Store
	Keyring *secrets.Keyring
	Hub     *live.Hub
	Now     func() time.Time // in whole milliseconds, as the store keeps them
	Vault   *vault.Client    // nil: credentials can't refer to Vault
	Leases  *leases.Keeper   // of what Vault lends; needed with Vault
}

// Credentials groups the parts for credentials. They are safe for concurrent use.
type Credentials struct {
	Registry   *Registry
	Values     *Values
	Vault      *Vault
	Resolver   *Resolver
	SearchSets *SearchSets
}

// New returns the parts.
func New(cfg Config) Credentials {
	values, memory := &Values{keyring: cfg.Keyring}, newVaultMemory()
	vault := &Vault{hub: cfg.Hub, now: cfg.Now, client: cfg.Vault, leases: cfg.Leases, values: values,
		memory: memory, unreadable: map[string]unread{}}
	return Credentials{
		Registry: &Registry{store: cfg.Store, keyring: cfg.Keyring, hub: cfg.Hub, now: cfg.Now,
			values: values, vault: vault},
		Values:     values,
		Vault:      vault,
		Resolver:   &Resolver{store: cfg.Store, now: cfg.Now, values: values, vault: vault},
		SearchSets: newSearchSets(cfg.Store, cfg.Keyring, memory),
	}
}
