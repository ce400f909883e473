package access

import (
	"time"

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

// The parts under names that hide none of their methods where Service embeds them.
type (
	auditLog           = audit.Log
	adminToken         = auth.AdminToken
	sessions           = auth.Sessions
	logins             = auth.Logins
	enrollment         = auth.Enrollment
	people             = auth.People
	invitations        = auth.Invitations
	credentialRegistry = credentials.Registry
	vaultReader        = credentials.Vault
	resolver           = credentials.Resolver
	policies           = policy.Versions
	profileRegistry    = profiles.Registry
	profileKeys        = profiles.Keys
	profileHosts       = profiles.Hosts
	lifecycle          = profiles.Lifecycle
	placements         = profiles.Placements
	binder             = profiles.Binder
	switches           = instance.Switches
	authority          = instance.Authority
)

// Service is all of these parts. It is safe for concurrent use.
type Service struct {
	*auditLog
	*adminToken
	*sessions
	*logins
	*enrollment
	*people
	*invitations
	*credentialRegistry
	*vaultReader
	*resolver
	*policies
	*profileRegistry
	*profileKeys
	*profileHosts
	*lifecycle
	*placements
	*binder
	*switches
	*authority

	searchSets *credentials.SearchSets
}

// Config is what New needs.
type Config struct {
	Store    *store.Store
	Keyring  *secrets.Keyring // as instance.VerifyKeyring returned it
	Hub      *live.Hub        // nil: nobody is told
	Now      func() time.Time // nil: time.Now
	Vault    *vault.Client    // nil: credentials can't refer to Vault
	Leases   *leases.Keeper   // of what Vault lends; needed with Vault
	HashCost auth.HashCost    // of passwords; zero is for production

	AgentProfiles bool          // agents may create profiles
	MaxUnclaimed  int           // profiles of agents that may wait for a person; 0: 50
	UnclaimedLife time.Duration // of such a profile; 0: 7 days
}

// New returns a Service.
func New(cfg Config) *Service {
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
	versions := policy.NewVersions(cfg.Store, now, creds.Values)
	profs := profiles.New(profiles.Config{
		Store: cfg.Store, Keyring: cfg.Keyring, Hub: cfg.Hub, Now: now, Versions: versions,
		AgentProfiles: cfg.AgentProfiles, MaxUnclaimed: cfg.MaxUnclaimed, UnclaimedLife: cfg.UnclaimedLife,
	})
	return &Service{
		auditLog:   audit.New(cfg.Store, now),
		adminToken: in.AdminToken, sessions: in.Sessions, logins: in.Logins,
		enrollment: in.Enrollment, people: in.People, invitations: in.Invitations,
		credentialRegistry: creds.Registry, vaultReader: creds.Vault, resolver: creds.Resolver,
		policies:        versions,
		profileRegistry: profs.Registry, profileKeys: profs.Keys, profileHosts: profs.Hosts,
		lifecycle: profs.Lifecycle, placements: profs.Placements, binder: profs.Binder,
		switches:   instance.NewSwitches(cfg.Store, cfg.Hub, now),
		authority:  instance.NewAuthority(cfg.Store, cfg.Keyring, now),
		searchSets: creds.SearchSets,
	}
}

// SearchSets returns what is known of each host's values.
func (s *Service) SearchSets() *credentials.SearchSets { return s.searchSets }
