// Package access is the desk where people and agents arrange who may have what: credentials, profiles, keys, hosts, policies,
// admin sessions and the audit log. The web API, the admin UI and `airlock admin` all go through it, so each rule stands once:
// checked, sealed, stored and audited in one transaction.
//
// It stands beside app/engine because the rules of profiles and credentials are needed by three callers and belong to none of them.
package access

import (
	"context"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// Service is the desk. It is safe for concurrent use.
type Service struct{}

// Config is what a Service needs.
type Config struct {
	Store   *store.Store
	Keyring *secrets.Keyring
	Hub     *live.Hub
	Now     func() time.Time // nil: time.Now
	// AgentProfiles says whether agents may create profiles, how many may wait unclaimed at once (default 50), and how long an
	// unclaimed one lives (default 7 days).
	AgentProfiles bool
	MaxUnclaimed  int
	UnclaimedLife time.Duration
}

// New returns a Service.
func New(cfg Config) *Service { panic("not built") }

// ---- profiles; every getter returns app.CodeNotFound for what is not there ----

// CreateProfile makes an unlocked profile. For an agent it gets a pairing code and counts against the quota.
func (s *Service) CreateProfile(ctx context.Context, by app.Actor, description string) (app.Profile, error) {
	panic("not built")
}

// Profile finds a profile by its id, the agent's token.
func (s *Service) Profile(ctx context.Context, id string) (app.Profile, error) { panic("not built") }

// ProfileByHandle finds a profile for people.
func (s *Service) ProfileByHandle(ctx context.Context, handle string) (app.Profile, error) {
	panic("not built")
}

// Profiles lists all for people, newest first, IDs opened so that they can be copied.
func (s *Service) Profiles(ctx context.Context) ([]app.Profile, error) { panic("not built") }

// AddKeys adds keys, or replaces the description and requests of those that exist and aren't linked. Unlocked only; all or none.
func (s *Service) AddKeys(ctx context.Context, by app.Actor, handle string, keys []app.Key) (app.Profile, error) {
	panic("not built")
}

// RemoveKey removes a key. Unlocked only.
func (s *Service) RemoveKey(ctx context.Context, by app.Actor, handle, name string) (app.Profile, error) {
	panic("not built")
}

// LinkKey links a key to a credential (by name), or unlinks it with "". Unlocked only; people only.
func (s *Service) LinkKey(ctx context.Context, by app.Actor, handle, key, credential string) (app.Profile, error) {
	panic("not built")
}

// ProposeHosts records hosts an agent asks for. They grant nothing. Private is ignored. Works before and after the lock.
func (s *Service) ProposeHosts(ctx context.Context, by app.Actor, handle string, hosts []app.Host) (app.Profile, error) {
	panic("not built")
}

// SetHosts makes exactly these hosts the allowed ones; proposals that aren't among them stay as undecided proposals unless they
// are in dismissed. Before the lock freely, after it as a new policy version for later executions. People only.
func (s *Service) SetHosts(ctx context.Context, by app.Actor, handle string, allowed []app.Host, dismissed []string) (app.Profile, error) {
	panic("not built")
}

// DescribeProfile changes the description. People only.
func (s *Service) DescribeProfile(ctx context.Context, by app.Actor, handle, description string) (app.Profile, error) {
	panic("not built")
}

// Lock makes the first policy version and locks, one-way. seen is the profile's UpdatedAt that the person looked at: if it changed since, CodeConflict.
// A zero seen skips that check.
func (s *Service) Lock(ctx context.Context, by app.Actor, handle string, seen time.Time) (app.Profile, error) {
	panic("not built")
}

// Revoke ends the profile at once and for good. Callers that have an engine also call its KillProfile.
func (s *Service) Revoke(ctx context.Context, by app.Actor, handle string) (app.Profile, error) {
	panic("not built")
}

// SetExpiry sets, extends or (zero) removes the expiry, also of an expired profile.
func (s *Service) SetExpiry(ctx context.Context, by app.Actor, handle string, at time.Time) (app.Profile, error) {
	panic("not built")
}

// DeleteProfile removes a profile; its executions stay. Callers that have an engine also call its KillProfile.
func (s *Service) DeleteProfile(ctx context.Context, by app.Actor, handle string) error {
	panic("not built")
}

// Policy returns one version of a profile's policy.
func (s *Service) Policy(ctx context.Context, handle string, version int) (app.Policy, error) {
	panic("not built")
}

// ---- credentials; people and airlock admin only ----

// Credentials lists all by name.
func (s *Service) Credentials(ctx context.Context) ([]app.Credential, error) { panic("not built") }

// Credential finds one by name.
func (s *Service) Credential(ctx context.Context, name string) (app.Credential, error) {
	panic("not built")
}

// CredentialInput is what a person sets. An empty Value leaves the value as it is.
type CredentialInput struct {
	Name        string
	Description string
	Mode        app.Mode
	Hosts       []app.Host
	Value       app.Secret
}

// SetCredential creates the credential or changes it; a value becomes a new version that every profile sees from its next execution on.
func (s *Service) SetCredential(ctx context.Context, by app.Actor, in CredentialInput) (app.Credential, error) {
	panic("not built")
}

// CreateCredential is SetCredential that refuses an existing name with CodeConflict.
func (s *Service) CreateCredential(ctx context.Context, by app.Actor, in CredentialInput) (app.Credential, error) {
	panic("not built")
}

// DeleteCredential removes it with all versions. CodeInUse while a locked, usable profile has a key linked to it.
func (s *Service) DeleteCredential(ctx context.Context, by app.Actor, name string) error {
	panic("not built")
}

// ---- for the engine ----

// Value is one resolved key of an execution.
type Value struct {
	Key        string
	Credential string // id
	Version    int
	Mode       app.Mode
	Secret     app.Secret
}

// Resolve opens the current values of a policy's keys and counts their use. A missing one is CodeMissingValue naming the key.
func (s *Service) Resolve(ctx context.Context, p app.Policy) ([]Value, error) { panic("not built") }

// ---- admin sessions ----

// EnsureAdminToken sets the admin token: the configured one if not empty, else on the first boot a new one, which is returned to be printed once.
// Only a hash (argon2id) is stored.
func (s *Service) EnsureAdminToken(ctx context.Context, configured app.Secret) (printed app.Secret, err error) {
	panic("not built")
}

// NewAdminToken replaces the admin token and ends all sessions.
func (s *Service) NewAdminToken(ctx context.Context, by app.Actor) (app.Secret, error) {
	panic("not built")
}

// Login checks the admin token, rate-limited per address and globally, and opens a session. Every refusal is the same CodeUnauthorized,
// except CodeRateLimited.
func (s *Service) Login(ctx context.Context, address, userAgent string, token app.Secret) (session app.Secret, expires time.Time, err error) {
	panic("not built")
}

// Session returns the actor of a valid session and extends its idle time, else CodeUnauthorized.
func (s *Service) Session(ctx context.Context, session app.Secret, address string) (app.Actor, error) {
	panic("not built")
}

// Logout ends a session.
func (s *Service) Logout(ctx context.Context, session app.Secret) error { panic("not built") }

// ---- audit ----

// Audit lists events, newest first, before a sequence number (0: from the newest).
func (s *Service) Audit(ctx context.Context, before int64, limit int) ([]app.Event, error) {
	panic("not built")
}

// VerifyAudit walks the hash chain and returns the first broken sequence number, or 0.
func (s *Service) VerifyAudit(ctx context.Context) (int64, error) { panic("not built") }

// KnownValues returns the non-plain current values of a profile's linked keys for masking text of that profile outside an execution.
func (s *Service) KnownValues(ctx context.Context, handle string) ([]redact.Value, error) {
	panic("not built")
}
