package app

import (
	"crypto/rand"
	"strings"
)

// Prefixes of ids that are visible to people and agents.
const (
	ProfilePrefix   = "ark_"
	ExecutionPrefix = "exec_"
	AdminPrefix     = "atk_"
)

// crockford is base 32 without easily misread letters, in lower case.
const crockford = "0123456789abcdefghjkmnpqrstvwxyz"

// randomText returns n characters of 5 random bits each. It can't fail: crypto/rand ends the
// program without randomness.
func randomText(n int) string {
	raw := make([]byte, n)
	_, _ = rand.Read(raw)
	for i, b := range raw {
		raw[i] = crockford[b&31]
	}
	return string(raw)
}

// NewProfileID returns an unguessable profile id (130 bits). It is the agent's token: never log it.
func NewProfileID() string { return ProfilePrefix + randomText(26) }

// NewExecutionID returns an unguessable execution id (130 bits). It suffices to poll and answer the
// execution: never log it.
func NewExecutionID() string { return ExecutionPrefix + randomText(26) }

// NewAdminToken returns an admin token (160 bits).
func NewAdminToken() Secret { return NewSecret(AdminPrefix + randomText(32)) }

// NewSessionToken returns the value of an admin session cookie (160 bits).
func NewSessionToken() Secret { return NewSecret(randomText(32)) }

// NewPairingCode returns a short code such as "k7m-4qx". A person recognises the agent's request by
// it. It is no secret.
func NewPairingCode() string { return randomText(3) + "-" + randomText(3) }

// NewID returns an internal row id (130 bits, not secret), also for logs.
func NewID() string { return randomText(26) }

// IsID reports whether s has the shape of an internal row id.
func IsID(s string) bool { return hasShape(s, "") }

// IsProfileID reports whether s has the shape of a profile id. Ids from elsewhere may have 8 to 64
// characters after the prefix.
func IsProfileID(s string) bool { return hasShape(s, ProfilePrefix) }

// IsExecutionID reports whether s has the shape of an execution id.
func IsExecutionID(s string) bool { return hasShape(s, ExecutionPrefix) }

func hasShape(s, prefix string) bool {
	rest, ok := strings.CutPrefix(s, prefix)
	if !ok || len(rest) < 8 || len(rest) > 64 {
		return false
	}
	for _, c := range []byte(rest) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}
