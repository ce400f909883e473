package app

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// State says what a profile can be used for.
type State string

// The states. Unlocked becomes locked once and for good; revoked and expired end both.
const (
	StateUnlocked State = "unlocked"
	StateLocked   State = "locked"
	StateRevoked  State = "revoked"
	StateExpired  State = "expired"
)

// Profile is scoped access to credentials and hosts. Its ID is the agent's token: handle it as a
// secret.
type Profile struct {
	ID          string
	Handle      string // not secret: names the profile in logs, URLs of the UI and audit events
	Description string
	PairingCode string // "" for profiles that a person made
	CreatedBy   Actor
	CreatedFrom string // address of the creator
	Locked      bool
	Revoked     bool
	ExpiresAt   time.Time // zero: never
	Keys        []Key
	Hosts       []HostRequest // while unlocked: proposals and decisions; after the lock the policy counts
	Declined    []DeclinedHost
	Placement   Placement // where its scripts may run
	MayRun      MayRun    // what it may run
	Policy      int       // current policy version; 0 while unlocked
	CreatedAt   time.Time
	UpdatedAt   time.Time
	LockedAt    time.Time
	RevokedAt   time.Time // zero unless revoked
	RevokedAs   time.Time // UpdatedAt as the revocation made it
	LastUsedAt  time.Time
	Executions  int64
}

// Key is a credential's name in a profile's scripts.
type Key struct {
	Name         string
	Description  string // the agent's reason
	Mode         Mode   // requested by the agent; "" if it asked for none
	Hosts        []Host // requested; may only narrow the credential's
	CredentialID string // "" until a person has linked it
	// From the linked credential; else empty.
	Credential      string // its name
	CredentialMode  Mode
	CredentialHosts []Host // where the value may go now
	GrantHosts      []Host // where it may go by the profile's policy; empty before the lock
	ValueExists     bool
}

// HostRequest is a requested allow-list entry with a person's decision.
type HostRequest struct {
	Host
	Allowed   bool // a person said yes; entries that a person adds are allowed from the start
	CreatedAt time.Time
	Execution string // handle of the execution whose denial asked for it; "" if nobody ran into it
	Line      int    // in that execution's script, as the script claims; 0 if unknown
}

// DeclinedHost is a requested host that a person declined. It is kept until a person allows it or
// the agent gives another reason.
type DeclinedHost struct {
	Host
	At time.Time
}

// DeclinedHost returns the latest refusal of a canonical name and port. Port 0 means any port.
func (p Profile) DeclinedHost(name string, port int) (latest DeclinedHost, ok bool) {
	for _, d := range p.Declined {
		covers := d.Matches(name, port) || port == 0 && d.Matches(name, d.Ports[0])
		if covers && !d.At.Before(latest.At) {
			latest, ok = d, true
		}
	}
	return latest, ok
}

// State returns the profile's state at a time. Revocation wins over expiry.
func (p Profile) State(now time.Time) State {
	switch {
	case p.Revoked:
		return StateRevoked
	case !p.ExpiresAt.IsZero() && !now.Before(p.ExpiresAt):
		return StateExpired
	case p.Locked:
		return StateLocked
	}
	return StateUnlocked
}

// MaxProfileName is the longest name of a profile, in characters.
const MaxProfileName = 60

// SplitDescription returns a profile's short name (the first line) and purpose (the rest). A longer
// line's beginning is the name, and the purpose the whole text.
func SplitDescription(description string) (name, purpose string) {
	description = strings.TrimSpace(description)
	name, purpose, _ = strings.Cut(description, "\n")
	name = strings.TrimSpace(name)
	runes := []rune(name)
	if len(runes) <= MaxProfileName {
		return name, strings.TrimSpace(purpose)
	}
	name = string(runes[:MaxProfileName-1])
	if space := strings.LastIndexByte(name, ' '); space > MaxProfileName/2 {
		name = name[:space]
	}
	return strings.TrimSpace(name) + "…", description
}

// JoinDescription returns the description with a name and a purpose.
func JoinDescription(name, purpose string) string {
	return strings.TrimSpace(strings.TrimSpace(name) + "\n" + strings.TrimSpace(purpose))
}

// ProfilesWith returns the profiles with a key linked to a credential.
func ProfilesWith(profiles []Profile, credentialID string) []Profile {
	return slices.DeleteFunc(slices.Clone(profiles), func(p Profile) bool {
		return !slices.ContainsFunc(p.Keys, func(k Key) bool { return k.CredentialID == credentialID })
	})
}

// CanChangeKeys returns nil while keys can be added and removed.
func (p Profile) CanChangeKeys(now time.Time) error {
	switch p.State(now) {
	case StateUnlocked:
		return nil
	case StateLocked:
		return E(CodeProfileLocked, "the profile is locked; its keys can't change any more",
			"Create a new profile with POST /profiles if you need other keys.")
	}
	return p.CanUse(now)
}

// CheckReference refuses an agent's {KEY} host without such a key, or with a secret one. It could
// only mislead a person.
func (p Profile) CheckReference(h Host) error {
	key := h.KeyReference()
	if key == "" {
		return nil
	}
	for _, k := range p.Keys {
		if k.Name != key {
			continue
		}
		mode := k.Mode
		if k.CredentialID != "" {
			mode = k.CredentialMode
		}
		if mode == ModePlain || mode == "" {
			return nil
		}
		return Invalid("host", fmt.Sprintf("the host %s refers to a key that is %s: only a plain key names a host", h, mode),
			"Ask for the key with the mode plain if its value is only a host name, or write the host name itself.")
	}
	return Invalid("host", fmt.Sprintf("the host %s refers to a key that the profile does not have", h),
		"Ask for the key first, with POST /profiles/{id}/keys and the mode plain, or write the host name itself.")
}

// CanUse returns nil unless the profile is revoked or expired. Expired profiles may still read.
func (p Profile) CanUse(now time.Time) error {
	switch p.State(now) {
	case StateRevoked:
		return ErrProfileRevoked()
	case StateExpired:
		return E(CodeProfileExpired, fmt.Sprintf("the profile expired at %s", p.ExpiresAt.UTC().Format(time.RFC3339)),
			"Ask the person who runs Airlock to extend it; the id stays the same.")
	}
	return nil
}

// ErrProfileRevoked refuses requests of a revoked or deleted profile.
func ErrProfileRevoked() *Error {
	return E(CodeProfileRevoked, "the profile was revoked",
		"Ask the person who runs Airlock for a new profile, or create one with POST /profiles.")
}

// ErrUnknownProfile refuses a submission with an unknown profile id.
func ErrUnknownProfile() *Error {
	return E(CodeUnauthorized, "no profile has this id", "Check the ark_ id, or create a profile with POST /profiles.")
}

// CanExecute returns nil if scripts may run now, else the missing step.
func (p Profile) CanExecute(now time.Time) error {
	if err := p.CanUse(now); err != nil {
		return err
	}
	if !p.Locked {
		return E(CodeProfileUnlocked, "the profile is not locked yet",
			"Ask the person to open setup_url, fill in the values and press Lock; then GET /profiles/{id}?wait=50 returns "+
				"when it is done.")
	}
	for _, k := range p.Keys {
		switch {
		case k.ValueExists:
		case k.CredentialID == "":
			return E(CodeMissingValue, fmt.Sprintf("the key %s has no value any more: its credential was deleted", k.Name),
				"Create a new profile with POST /profiles: keys can't change after the lock.")
		default:
			return E(CodeMissingValue, fmt.Sprintf("the key %s has no value", k.Name),
				"Ask the person to set a value for it in Airlock; then GET /profiles/{id}?wait=50 returns when it is done.")
		}
	}
	return nil
}

// CanLock returns nil if a person may lock the profile now.
func (p Profile) CanLock(now time.Time) error {
	if err := p.CanChangeKeys(now); err != nil {
		return err
	}
	for _, k := range p.Keys {
		if !k.ValueExists {
			return E(CodeMissingValue, fmt.Sprintf("the key %s has no value yet", k.Name),
				"Link it to a credential and set the value, or remove the key.")
		}
	}
	return nil
}

// RestoreTime is how long a revocation can be undone.
const RestoreTime = 10 * time.Minute

// CanRestore returns nil while a revocation can be undone. It must be recent, without other changes
// since.
func (p Profile) CanRestore(now time.Time) error {
	switch {
	case !p.Revoked:
		return E(CodeConflict, "the profile is not revoked", "There is nothing to take back.")
	case p.RevokedAs.IsZero() || !p.UpdatedAt.Equal(p.RevokedAs):
		return E(CodeConflict, "something about the profile has changed since it was revoked",
			"Duplicate it, look at the copy, and lock that.")
	case now.After(p.RevokedAt.Add(RestoreTime)):
		return E(CodeConflict, "the profile was revoked more than ten minutes ago",
			"Duplicate it, look at the copy, and lock that.")
	}
	return nil
}
