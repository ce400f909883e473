package access

import (
	"time"

	"github.com/computclaw/airlock/app/approvals"
	"github.com/computclaw/airlock/app/audit"
	"github.com/computclaw/airlock/app/auth"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/instance"
	"github.com/computclaw/airlock/app/leases"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/policy"
	"github.com/computclaw/airlock/app/profiles"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/secrets/vault"
	"github.com/computclaw/airlock/store"
)

// Parts groups the parts. They are safe for concurrent use.
type Parts struct {
	Audit       *audit.Log
	AdminToken  *auth.AdminToken
	Sessions    *auth.Sessions
	Logins      *auth.Logins
	Enrollment  *auth.Enrollment
	Passkeys    *auth.Passkeys
	People      *auth.People
	Invitations *auth.Invitations
	Credentials *credentials.Registry
	Vault       *credentials.Vault
	Resolver    *credentials.Resolver
	SearchSets  *credentials.SearchSets
	Policies    *policy.Versions
	Profiles    *profiles.Registry
	Keys        *profiles.Keys
	Hosts       *profiles.Hosts
	Lifecycle   *profiles.Lifecycle
	Placements  *profiles.Placements
	CodeRules   *profiles.CodeRules
	Grants      *profiles.Grants
	Approvals   *approvals.Service
	Binder      *profiles.Binder
	Switches    *instance.Switches
	Authority   *instance.Authority
}

// Config is what New needs.
type Config struct {
	Store    *store.Store
	Keyring  *secrets.Keyring // as instance.VerifyKeyring returned it
	Hub      *live.Hub        // nil: changes are not announced
	Now      func() time.Time // nil: time.Now
	Vault    *vault.Client    // nil: credentials can't refer to Vault
	Leases   *leases.Keeper   // of what Vault lends; needed with Vault
	HashCost auth.HashCost    // of passwords; zero is for production

	AgentProfiles bool          // agents may create profiles
	MaxUnclaimed  int           // profiles of agents that may wait for a person; 0: 50
	UnclaimedLife time.Duration // of such a profile; 0: 7 days
}

// New returns the parts of one instance.
func New(cfg Config) *Parts {
	if cfg.Hub == nil {
		cfg.Hub = &live.Hub{}
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	// The store keeps milliseconds: what a change returns equals what is read later.
	now := func() time.Time { return cfg.Now().UTC().Truncate(time.Millisecond) }
	cfg.Store.OnAudit(func() { cfg.Hub.Publish(live.Audit) })
	in := auth.New(auth.Config{Store: cfg.Store, Keyring: cfg.Keyring, Now: now, Cost: cfg.HashCost})
	creds := credentials.New(credentials.Config{
		Store: cfg.Store, Keyring: cfg.Keyring, Hub: cfg.Hub, Now: now, Vault: cfg.Vault, Leases: cfg.Leases,
	})
	asked := approvals.New(approvals.Config{Store: cfg.Store, Hub: cfg.Hub, Now: now})
	versions := policy.NewVersions(cfg.Store, now, creds.Values)
	profs := profiles.New(profiles.Config{
		Store: cfg.Store, Keyring: cfg.Keyring, Hub: cfg.Hub, Now: now, Versions: versions,
		Approvals:     asked,
		AgentProfiles: cfg.AgentProfiles, MaxUnclaimed: cfg.MaxUnclaimed, UnclaimedLife: cfg.UnclaimedLife,
	})
	return &Parts{
		Audit:      audit.New(cfg.Store, now),
		AdminToken: in.AdminToken, Sessions: in.Sessions, Logins: in.Logins, Enrollment: in.Enrollment,
		Passkeys: in.Passkeys, People: in.People, Invitations: in.Invitations,
		Credentials: creds.Registry, Vault: creds.Vault, Resolver: creds.Resolver, SearchSets: creds.SearchSets,
		Policies: versions,
		Profiles: profs.Registry, Keys: profs.Keys, Hosts: profs.Hosts, Lifecycle: profs.Lifecycle,
		Placements: profs.Placements, CodeRules: profs.CodeRules, Grants: profs.Grants,
		Approvals: asked, Binder: profs.Binder,
		Switches:  instance.NewSwitches(cfg.Store, cfg.Hub, now),
		Authority: instance.NewAuthority(cfg.Store, cfg.Keyring, now),
	}
}
