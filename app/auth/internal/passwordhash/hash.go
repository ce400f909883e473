// Package passwordhash hashes passwords and tokens with argon2id, in PHC form.
package passwordhash

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"

	"github.com/computclaw/airlock/app"
)

// Cost is what one hash costs. The zero Cost is Production.
type Cost struct {
	passes uint32
	memory uint32 // KiB
}

// Production is OWASP's second profile, about 30 ms.
// Passwords are also checked for length and against the commonest; tokens are long.
func Production() Cost { return Cost{passes: 2, memory: 19 << 10} }

// Cheap is for tests: its hashes take microseconds and protect nothing.
func Cheap() Cost { return Cost{passes: 1, memory: 8} }

const (
	lanes    = 1
	keyBytes = 32
)

// Hash returns the hash of a password with a salt of its own.
func (c Cost) Hash(password app.Secret) string {
	if c == (Cost{}) {
		c = Production()
	}
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // ends the program rather than fail
	key := argon2.IDKey([]byte(password.Reveal()), salt, c.passes, c.memory, lanes, keyBytes)
	enc := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s",
		argon2.Version, c.memory, c.passes, lanes, enc.EncodeToString(salt), enc.EncodeToString(key))
}

// Matches compares a password with a hash in constant time.
// The hash's own cost counts, within bounds, so that a later cost can differ.
func Matches(password app.Secret, hash string) (bool, error) {
	var version int
	var memory, passes uint32
	var lanes uint8
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return false, errors.New("passwordhash: unknown form")
	}
	if _, err := fmt.Sscanf(parts[2], "v=%d", &version); err != nil || version != argon2.Version {
		return false, errors.New("passwordhash: unknown version")
	}
	_, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &memory, &passes, &lanes)
	if err != nil || memory > 1<<20 || passes < 1 || passes > 100 || lanes < 1 {
		return false, errors.New("passwordhash: unknown cost")
	}
	salt, err := base64.RawStdEncoding.DecodeString(parts[4])
	if err != nil {
		return false, fmt.Errorf("passwordhash: salt: %w", err)
	}
	want, err := base64.RawStdEncoding.DecodeString(parts[5])
	if err != nil || len(want) < 16 || len(want) > 64 {
		return false, errors.New("passwordhash: the hash is damaged")
	}
	got := argon2.IDKey([]byte(password.Reveal()), salt, passes, memory, lanes, uint32(len(want)))
	return subtle.ConstantTimeCompare(got, want) == 1, nil
}
