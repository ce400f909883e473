// Package secrets seals and opens what must be unreadable at rest, and knows where the instance key comes from.
package secrets

import "github.com/computclaw/airlock/app"

// Purpose separates what a key is used for: each purpose has a subkey of its own.
type Purpose string

// The purposes.
const (
	Values   Purpose = "values"   // credential values
	Scripts  Purpose = "scripts"  // scripts and inputs of executions
	Profiles Purpose = "profiles" // profile ids
	Execs    Purpose = "execs"    // execution ids
	Settings Purpose = "settings" // instance settings that hold secrets
)

// Keyring seals with its first key and opens with any. It is safe for concurrent use.
type Keyring struct{}

// NewKeyring derives the subkeys (HKDF-SHA256) of the instance keys. The first key seals. Errors: a key has fewer than 32 characters.
func NewKeyring(current app.Secret, older ...app.Secret) (*Keyring, error) { panic("not built") }

// KeyID names the sealing key: 8 hex digits that tell nothing about it.
func (k *Keyring) KeyID() string { panic("not built") }

// Seal returns a token (AES-256-GCM; version, key id, time, nonce, ciphertext) bound to its row, such as "credential:<id>:<version>". The same row must be given to Open.
func (k *Keyring) Seal(p Purpose, row string, plaintext []byte) []byte { panic("not built") }

// Open returns what was sealed. Errors wrap ErrOpen: an unknown key, another row or purpose, or a token that was changed.
func (k *Keyring) Open(p Purpose, row string, token []byte) ([]byte, error) { panic("not built") }

// Lookup returns the keyed hash (HMAC-SHA256) by which a profile or execution id is found without storing it.
// It is derived from the oldest key, so that it survives rotation of the sealing key.
func (k *Keyring) Lookup(p Purpose, id string) []byte { panic("not built") }

// CheckValue is stored at first boot; Verify reports whether this keyring made it, so that a wrong key refuses to start.
func (k *Keyring) CheckValue() []byte { panic("not built") }

// Verify errors if check was made by another key.
func (k *Keyring) Verify(check []byte) error { panic("not built") }
