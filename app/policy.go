package app

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"
)

// Policy is what a profile's scripts may have and reach. Versions are immutable; each execution keeps the number of its own.
type Policy struct {
	ProfileID string    `json:"-"`
	Version   int       `json:"version"`
	Keys      []Grant   `json:"keys"`
	Hosts     []Host    `json:"hosts"`
	CreatedAt time.Time `json:"-"`
	CreatedBy Actor     `json:"-"`
}

// Grant links one key to one credential.
type Grant struct {
	Key          string `json:"key"`
	CredentialID string `json:"credential_id"`
	Mode         Mode   `json:"mode"` // of the credential when the version was made
	Hosts        []Host `json:"hosts,omitempty"`
}

// Digest identifies what the policy grants, independent of the profile and the time: sha256 over its JSON, hex.
func (p Policy) Digest() string {
	text, err := json.Marshal(struct {
		Keys  []Grant `json:"keys"`
		Hosts []Host  `json:"hosts"`
	}{p.Keys, p.Hosts})
	if err != nil {
		panic("app: a policy is always encodable: " + err.Error())
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
