package archive

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"

	"github.com/computclaw/airlock/app"
)

const (
	magic      = "AIRLOCK\x1a"
	version    = 1
	saltSize   = 16
	signedSize = 38
	macSize    = sha256.Size
	headerSize = signedSize + macSize
	chunkSize  = 64 << 10
	tagSize    = 16
	nonceSize  = 12
)

// Reasons for an unreadable file. Errors of this package wrap one of them.
var (
	ErrFormat     = errors.New("archive: not an .airlock file")
	ErrVersion    = errors.New("archive: made by a newer version")
	ErrCost       = errors.New("archive: costs out of bounds")
	ErrPassphrase = errors.New("archive: wrong passphrase")
	ErrDamaged    = errors.New("archive: damaged")
	ErrTooLarge   = errors.New("archive: unpacks to too much")
)

// Cost is what stretching the passphrase takes.
type Cost struct {
	Memory uint32 // KiB
	Passes uint32
	Lanes  uint32
}

// DefaultCost is the second choice of RFC 9106: 64 MiB, three passes, four lanes.
func DefaultCost() Cost { return Cost{Memory: 64 << 10, Passes: 3, Lanes: 4} }

// Limits of a file's demands on its reader: the work of about ten of our own files.
const (
	maxMemory = 512 << 10 // KiB
	maxPasses = 16
	maxLanes  = 16
	maxWork   = 2 << 20 // KiB times passes
)

func (c Cost) check() error {
	switch {
	case c.Passes < 1, c.Lanes < 1, c.Memory < 8*c.Lanes:
		return fmt.Errorf("%w: less than Argon2 allows", ErrFormat)
	case c.Memory > maxMemory, c.Passes > maxPasses, c.Lanes > maxLanes, uint64(c.Memory)*uint64(c.Passes) > maxWork:
		return fmt.Errorf("%w: it asks for %d MiB and %d passes", ErrCost, c.Memory>>10, c.Passes)
	}
	return nil
}

// keys are what a passphrase and a header come to.
type keys struct {
	mac    []byte
	chunks cipher.AEAD
}

// stretch takes as long as cost says.
func stretch(passphrase app.Secret, salt []byte, c Cost) (keys, error) {
	root := argon2.IDKey(norm.NFC.Bytes([]byte(passphrase.Reveal())), salt, c.Passes, c.Memory,
		uint8(c.Lanes), 32) //nolint:gosec // check bounds the lanes
	mac, err := hkdf.Expand(sha256.New, root, "airlock file header", 32)
	if err != nil {
		return keys{}, fmt.Errorf("archive: %w", err)
	}
	key, err := hkdf.Expand(sha256.New, root, "airlock file chunks", 32)
	if err != nil {
		return keys{}, fmt.Errorf("archive: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return keys{}, fmt.Errorf("archive: %w", err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return keys{}, fmt.Errorf("archive: %w", err)
	}
	return keys{mac, aead}, nil
}

func (k keys) sign(header []byte) []byte {
	h := hmac.New(sha256.New, k.mac)
	h.Write(header[:signedSize])
	return h.Sum(nil)
}

// newHeader makes the header of a new file.
func newHeader(passphrase app.Secret, c Cost) ([]byte, keys, error) {
	if err := c.check(); err != nil {
		return nil, keys{}, err
	}
	header := append(make([]byte, 0, headerSize), magic...)
	header = binary.BigEndian.AppendUint16(header, version)
	for _, n := range []uint32{c.Memory, c.Passes, c.Lanes} {
		header = binary.BigEndian.AppendUint32(header, n)
	}
	salt := make([]byte, saltSize)
	_, _ = rand.Read(salt) // it can't fail: the program ends if the kernel has no randomness
	header = append(header, salt...)
	k, err := stretch(passphrase, salt, c)
	if err != nil {
		return nil, keys{}, err
	}
	return append(header, k.sign(header)...), k, nil
}

// openHeader reads and verifies a header.
func openHeader(r io.Reader, passphrase app.Secret) ([]byte, keys, error) {
	header := make([]byte, headerSize)
	n, err := io.ReadFull(r, header)
	if n < len(magic) || string(header[:len(magic)]) != magic {
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, keys{}, fmt.Errorf("archive: read: %w", err)
		}
		return nil, keys{}, ErrFormat
	}
	if v := binary.BigEndian.Uint16(header[8:]); n >= 10 && v != version {
		if v == 0 {
			return nil, keys{}, fmt.Errorf("%w: version 0", ErrFormat)
		}
		return nil, keys{}, fmt.Errorf("%w: container version %d, this program knows up to %d", ErrVersion, v, version)
	}
	if err != nil {
		return nil, keys{}, cut(err)
	}
	c := Cost{binary.BigEndian.Uint32(header[10:]), binary.BigEndian.Uint32(header[14:]),
		binary.BigEndian.Uint32(header[18:])}
	if err := c.check(); err != nil {
		return nil, keys{}, err
	}
	k, err := stretch(passphrase, header[22:signedSize], c)
	if err != nil {
		return nil, keys{}, err
	}
	if !hmac.Equal(k.sign(header), header[signedSize:]) {
		return nil, keys{}, ErrPassphrase
	}
	return header, k, nil
}

// cut says that a file ended early, and passes other errors of the source on.
func cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: its end is missing", ErrDamaged)
	}
	return fmt.Errorf("archive: read: %w", err)
}
