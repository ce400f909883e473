package profiles

import (
	"time"

	"github.com/computclaw/airlock/app/approvals"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/policy"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// Config is what New needs.
type Config struct {
	Store    *store.Store
	Keyring  *secrets.Keyring
	Hub      *live.Hub
	Now      func() time.Time // in whole milliseconds, as the store keeps them
	Versions *policy.Versions

	Approvals *approvals.Service

	AgentProfiles bool          // agents may create profiles
	MaxUnclaimed  int           // profiles of agents that may wait for a person; 0: 50
	UnclaimedLife time.Duration // of such a profile; 0: 7 days
}

// Profiles groups the parts for profiles. They are safe for concurrent use.
type Profiles struct {
	Registry   *Registry
	Keys       *Keys
	Hosts      *Hosts
	Lifecycle  *Lifecycle
	Placements *Placements
	CodeRules  *CodeRules
	Grants     *Grants
	Binder     *Binder
}

// New returns the parts.
func New(cfg Config) Profiles {
	if cfg.MaxUnclaimed == 0 {
		cfg.MaxUnclaimed = 50
	}
	if cfg.UnclaimedLife == 0 {
		cfg.UnclaimedLife = 7 * 24 * time.Hour
	}
	e := &editor{store: cfg.Store, keyring: cfg.Keyring, hub: cfg.Hub, now: cfg.Now, unclaimedLife: cfg.UnclaimedLife}
	return Profiles{
		Registry:   &Registry{editor: e, agents: cfg.AgentProfiles, maxUnclaimed: cfg.MaxUnclaimed},
		Keys:       &Keys{e},
		Hosts:      &Hosts{e, cfg.Versions},
		Lifecycle:  &Lifecycle{e, cfg.Versions},
		Placements: &Placements{e, cfg.Versions},
		CodeRules:  &CodeRules{e, cfg.Approvals},
		Grants:     &Grants{e, cfg.Versions},
		Binder:     &Binder{e},
	}
}
