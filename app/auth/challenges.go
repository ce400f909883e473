package auth

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"sync"
	"time"
)

// challengeLife is how long a challenge of a passkey can be answered.
const challengeLife = 5 * time.Minute

// Parts of a challenge, in bytes: expiry, randomness, and proof of origin.
const (
	challengeEnd   = 8
	challengeNonce = 24
	challengeSize  = challengeEnd + challengeNonce + sha256.Size
)

// challenges makes challenges for passkeys and accepts each once. Only answered ones are kept, so
// strangers can't fill the memory. A restart ends all. It is safe for concurrent use.
type challenges struct {
	key [sha256.Size]byte // of this process

	mu    sync.Mutex
	spent map[string]time.Time // until when it would count
}

func newChallenges() *challenges {
	c := &challenges{spent: map[string]time.Time{}}
	_, _ = rand.Read(c.key[:]) // never fails
	return c
}

// issue returns a challenge for one purpose.
func (c *challenges) issue(purpose string, now time.Time) []byte {
	body := binary.BigEndian.AppendUint64(nil, uint64(now.Add(challengeLife).UnixMilli()))
	body = append(body, make([]byte, challengeNonce)...)
	_, _ = rand.Read(body[challengeEnd:])
	return append(body, c.sign(purpose, body)...)
}

// spend reports whether a base64url challenge is valid for the purpose and unspent.
func (c *challenges) spend(purpose, challenge string, now time.Time) bool {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(challenge)
	if err != nil || len(raw) != challengeSize {
		return false
	}
	body, sum := raw[:challengeSize-sha256.Size], raw[challengeSize-sha256.Size:]
	end := time.UnixMilli(int64(binary.BigEndian.Uint64(body)))
	if !hmac.Equal(sum, c.sign(purpose, body)) || !now.Before(end) {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for old, until := range c.spent {
		if !now.Before(until) {
			delete(c.spent, old)
		}
	}
	if _, ok := c.spent[string(body)]; ok {
		return false
	}
	c.spent[string(body)] = end
	return true
}

func (c *challenges) sign(purpose string, body []byte) []byte {
	mac := hmac.New(sha256.New, c.key[:])
	mac.Write(body)
	mac.Write([]byte(purpose))
	return mac.Sum(nil)
}
