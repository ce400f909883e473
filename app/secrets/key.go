package secrets

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/computclaw/airlock/app"
)

// MinKey is the smallest number of characters of an instance key.
const MinKey = 32

const (
	tokenVersion = 1
	keyIDSize    = 4
	headerSize   = 1 + keyIDSize + 8
	nonceSize    = 12
	tagSize      = 16
)

func checkLength(secret app.Secret) error {
	if n := utf8.RuneCountInString(secret.Reveal()); n < MinKey {
		return fmt.Errorf("it has %d characters, at least %d are needed", n, MinKey)
	}
	return nil
}

// key is one instance key, ready to derive from.
type key struct {
	id   [keyIDSize]byte
	root []byte // HKDF pseudorandom key
}

func newKey(secret app.Secret) key {
	root, err := hkdf.Extract(sha256.New, []byte(secret.Reveal()), []byte("airlock instance key"))
	if err != nil {
		panic("secrets: SHA-256 is always available: " + err.Error())
	}
	k := key{root: root}
	copy(k.id[:], k.derive("key id"))
	return k
}

// derive returns 32 bytes for one use.
func (k key) derive(use string) []byte { return expand(k.root, use) }

func (k key) name() string { return hex.EncodeToString(k.id[:]) }

func (k key) aead(p Purpose) cipher.AEAD {
	block, err := aes.NewCipher(k.derive("seal " + string(p)))
	if err != nil {
		panic("secrets: 32 bytes are an AES key: " + err.Error())
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		panic("secrets: AES has GCM: " + err.Error())
	}
	return aead
}

func (k key) seal(p Purpose, row string, plaintext []byte, now time.Time) []byte {
	token := make([]byte, 0, headerSize+nonceSize+len(plaintext)+tagSize)
	token = append(token, tokenVersion)
	token = append(token, k.id[:]...)
	token = binary.BigEndian.AppendUint64(token, uint64(now.Unix()))
	nonce := make([]byte, nonceSize)
	_, _ = rand.Read(nonce) // it can't fail: the program ends if the kernel has no randomness
	data := associatedData(token, p, row)
	token = append(token, nonce...)
	return k.aead(p).Seal(token, nonce, plaintext, data)
}

func (k key) open(p Purpose, row string, t token) ([]byte, bool) {
	plaintext, err := k.aead(p).Open(nil, t.nonce, t.sealed, associatedData(t.header, p, row))
	return plaintext, err == nil
}

// token is a parsed token; nothing in it is verified yet.
type token struct {
	keyID                 [keyIDSize]byte
	header, nonce, sealed []byte
}

func parseToken(raw []byte) (token, error) {
	if len(raw) < headerSize+nonceSize+tagSize {
		return token{}, fmt.Errorf("%w: it is too short", ErrDamaged)
	}
	if raw[0] != tokenVersion {
		return token{}, fmt.Errorf("%w: version %d is not known", ErrOpen, raw[0])
	}
	t := token{header: raw[:headerSize], nonce: raw[headerSize : headerSize+nonceSize], sealed: raw[headerSize+nonceSize:]}
	copy(t.keyID[:], raw[1:])
	return t, nil
}

// associatedData binds a token to its header, purpose and row. Lengths keep ("a", "bc") and ("ab",
// "c") apart.
func associatedData(header []byte, p Purpose, row string) []byte {
	data := append([]byte("airlock token"), header...)
	data = binary.BigEndian.AppendUint32(data, uint32(len(p)))
	data = append(data, p...)
	data = binary.BigEndian.AppendUint32(data, uint32(len(row)))
	return append(data, row...)
}

// expand derives 32 bytes from a pseudorandom key.
func expand(root []byte, use string) []byte {
	out, err := hkdf.Expand(sha256.New, root, "airlock "+use, sha256.Size)
	if err != nil {
		panic("secrets: 32 bytes can always be derived: " + err.Error())
	}
	return out
}
