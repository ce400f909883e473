package secrets

import (
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/computclaw/airlock/app"
)

// ErrOpen is wrapped by every failure to open a token. The texts never contain plaintext or keys.
var ErrOpen = errors.New("secrets: the token can't be opened")

// ErrDamaged is the ErrOpen of bytes that no key opens.
var ErrDamaged = fmt.Errorf("%w: it is damaged", ErrOpen)

// ErrUnknownKey is the ErrOpen of a token sealed with a key not on the ring. Renew may add it.
var ErrUnknownKey = fmt.Errorf("%w", ErrOpen)

// Rows of what the keyring seals for itself.
const (
	checkRow  = "keyring:check"
	lookupRow = "keyring:lookup"
)

// checkText is sealed in a check value. A key that opens it is the right one.
const checkText = "airlock"

// Keyring seals with its first key and opens with any. It is safe for concurrent use and prints as
// its key id.
type Keyring struct {
	ring   *atomic.Pointer[[]key] // first seals; a pointer, so that copies change together
	lookup []byte
}

func (k *Keyring) keys() []key { return *k.ring.Load() }

// NewKeyring derives the subkeys (HKDF-SHA256) of the instance keys. The first key seals. Errors: a
// key has fewer than 32 characters.
func NewKeyring(current app.Secret, older ...app.Secret) (*Keyring, error) {
	k := &Keyring{ring: &atomic.Pointer[[]key]{}}
	if err := k.Renew(current, older...); err != nil {
		return nil, err
	}
	keys := k.keys()
	k.lookup = keys[len(keys)-1].derive("lookup")
	return k, nil
}

// Renew replaces the keys of a keyring in use, but not its lookup key. On an error nothing changes.
func (k *Keyring) Renew(current app.Secret, older ...app.Secret) error {
	var keys []key
	for i, secret := range append([]app.Secret{current}, older...) {
		if err := checkLength(secret); err != nil {
			return fmt.Errorf("secrets: instance key %d: %w", i+1, err)
		}
		keys = append(keys, newKey(secret))
	}
	k.ring.Store(&keys)
	return nil
}

// KeyIDBytes is KeyID as it stands in tokens.
func (k *Keyring) KeyIDBytes() []byte { id := k.keys()[0].id; return id[:] }

// KeyID names the sealing key by 8 hex digits. They reveal nothing about it.
func (k *Keyring) KeyID() string { return k.keys()[0].name() }

// Seal returns a token (AES-256-GCM) bound to its row, such as "credential:<id>:<version>". Open
// needs the same row.
func (k *Keyring) Seal(p Purpose, row string, plaintext []byte) []byte {
	return k.keys()[0].seal(p, row, plaintext, time.Now())
}

// Open returns the plaintext of a token. Errors wrap ErrOpen: an unknown key, another row or
// purpose, or a changed token.
func (k *Keyring) Open(p Purpose, row string, token []byte) ([]byte, error) {
	t, err := parseToken(token)
	if err != nil {
		return nil, err
	}
	known := false
	for _, key := range k.keys() {
		if key.id != t.keyID {
			continue
		}
		known = true
		if plaintext, ok := key.open(p, row, t); ok {
			return plaintext, nil
		}
	}
	if !known {
		return nil, fmt.Errorf("%w: it was sealed with key %x, which this instance doesn't have", ErrUnknownKey, t.keyID)
	}
	return nil, fmt.Errorf("%w: it was changed, or belongs to another row or purpose", ErrOpen)
}

// Lookup returns the keyed hash (HMAC-SHA256, 32 bytes) that finds an id. Rotations of the sealing
// key don't change it, see WithLookupKey.
func (k *Keyring) Lookup(p Purpose, id string) []byte { return LookupWith(k.LookupKey(p), id) }

// LookupKey returns the key of one purpose's hashes, for use on another instance.
func (k *Keyring) LookupKey(p Purpose) []byte { return expand(k.lookup, string(p)) }

// LookupWith is Lookup with a key from LookupKey.
func LookupWith(key []byte, id string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id))
	return mac.Sum(nil)
}

// SealLookupKey returns the lookup key, sealed with the current key under Settings. Store it at
// first boot and after a rotation; give it to WithLookupKey at every start.
func (k *Keyring) SealLookupKey() []byte { return k.Seal(Settings, lookupRow, k.lookup) }

// WithLookupKey returns a keyring with the lookup key of a SealLookupKey token. Errors wrap
// ErrOpen.
func (k *Keyring) WithLookupKey(token []byte) (*Keyring, error) {
	lookup, err := k.Open(Settings, lookupRow, token)
	if err != nil {
		return nil, fmt.Errorf("secrets: lookup key: %w", err)
	}
	if len(lookup) != sha256.Size {
		return nil, fmt.Errorf("secrets: lookup key: %w: it has %d bytes", ErrOpen, len(lookup))
	}
	return &Keyring{ring: k.ring, lookup: lookup}, nil
}

// CheckValue returns a token to store at first boot. Verify uses it to detect a wrong key.
func (k *Keyring) CheckValue() []byte { return k.Seal(Settings, checkRow, []byte(checkText)) }

// Verify returns an error wrapping ErrOpen if check's key is not on the ring.
func (k *Keyring) Verify(check []byte) error {
	text, err := k.Open(Settings, checkRow, check)
	if err != nil {
		return fmt.Errorf("secrets: this is not the instance key that the data was sealed with: %w", err)
	}
	if string(text) != checkText {
		return fmt.Errorf("secrets: %w: not a check value", ErrOpen)
	}
	return nil
}

// Format writes the key id for every verb, so keys are never printed.
func (k Keyring) Format(f fmt.State, _ rune) {
	_, _ = fmt.Fprintf(f, "keyring(%s)", k.keys()[0].name())
}
