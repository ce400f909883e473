package app

import (
	"bytes"
	"strings"
	"time"
)

// Bounds of passkeys: number per person, and lengths in bytes.
const (
	MaxPasskeys    = 20
	MaxPasskeyName = 64
	MaxPasskeyID   = 1023 // of WebAuthn
	maxPasskeyKey  = 4096
)

// Passkey is a person's public key for logins. The private key never leaves its authenticator.
type Passkey struct {
	ID             []byte    `json:"id"` // WebAuthn's credential id
	Name           string    `json:"name"`
	Host           string    `json:"host"` // WebAuthn's RP id: the only host name that it works for
	PublicKey      []byte    `json:"public_key"`
	SignCount      uint32    `json:"sign_count"` // of the newest login; 0 if the authenticator doesn't count
	BackupEligible bool      `json:"backup_eligible"`
	CreatedAt      time.Time `json:"created_at"`
	UsedAt         time.Time `json:"used_at"` // zero: never
}

// RelyingParty identifies this instance to passkeys, as its visitor reaches it.
type RelyingParty struct {
	ID     string // host name without port
	Origin string // https://airlock.example.com
}

// CheckPasskeyName returns a passkey's name with spaces trimmed and merged, else CodeInvalidField.
func CheckPasskeyName(name string) (string, error) {
	name = strings.Join(strings.Fields(name), " ")
	switch {
	case name == "":
		return "", Invalid("name", "the name is empty", "Name the device or password manager that holds the passkey.")
	case strings.ContainsFunc(name, IsInvisible):
		return "", Invalid("name", "the name contains a character that can't be seen", "Remove it.")
	}
	return name, CheckText("name", name, MaxPasskeyName)
}

// CheckPasskeys refuses passkeys that Airlock can't have stored.
func CheckPasskeys(list []Passkey) error {
	if len(list) > MaxPasskeys {
		return Invalid("passkeys", "there are too many passkeys", "Remove one that is not used.")
	}
	for i, k := range list {
		if len(k.ID) == 0 || len(k.ID) > MaxPasskeyID || len(k.PublicKey) == 0 || len(k.PublicKey) > maxPasskeyKey ||
			CheckStored("name", k.Name, MaxPasskeyName) != nil || CheckStored("host", k.Host, 253) != nil {
			return Invalid("passkeys", "a passkey has a missing or oversized id, key, name or host", "Add it again.")
		}
		for _, other := range list[:i] {
			if bytes.Equal(other.ID, k.ID) {
				return Invalid("passkeys", "two passkeys have the same id", "Remove one of the two.")
			}
		}
	}
	return nil
}
