package files

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"os"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/transfer/archive"
)

// Spool holds one content in transit, on the disk. A key that is only in memory seals it. Write it,
// call Finish, read it any number of times, then close it. Not safe for concurrent use.
type Spool struct {
	file *os.File // has no name
	key  []byte
	seal io.WriteCloser
	sum  hash.Hash
	size int64
}

// NewSpool returns an empty Spool. Errors: CodeStorageFull.
func (f *Files) NewSpool() (*Spool, error) {
	file, err := unnamedFile(f.cfg.Dir)
	if err != nil {
		return nil, spoolError(err)
	}
	s := &Spool{file: file, key: newKey(), sum: sha256.New()}
	s.seal = archive.SealChunks(file, s.key, "")
	return s, nil
}

func newKey() []byte {
	key := make([]byte, archive.KeySize)
	_, _ = rand.Read(key) // it can't fail
	return key
}

func unnamedFile(dir string) (*os.File, error) {
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err == nil {
		return os.NewFile(uintptr(fd), dir), nil
	}
	if !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, unix.EISDIR) && !errors.Is(err, unix.EINVAL) {
		return nil, &os.PathError{Op: "open", Path: dir, Err: err}
	}
	file, err := os.CreateTemp(dir, ".spool-") // the volume can't do it in one step
	if err != nil {
		return nil, err
	}
	return file, os.Remove(file.Name())
}

// Write adds to the content. Errors: CodeStorageFull.
func (s *Spool) Write(p []byte) (int, error) {
	n, err := s.seal.Write(p)
	s.sum.Write(p[:n])
	s.size += int64(n)
	return n, spoolError(err)
}

// Finish ends the writing. Errors: CodeStorageFull.
func (s *Spool) Finish() error { return spoolError(s.seal.Close()) }

// Close gives the content up.
func (s *Spool) Close() { _ = s.file.Close() }

// Size is the length of the content, in bytes.
func (s *Spool) Size() int64 { return s.size }

// SHA256 is the digest of the content, in hex.
func (s *Spool) SHA256() string { return hex.EncodeToString(s.sum.Sum(nil)) }

// Open reads the content from its beginning.
func (s *Spool) Open() io.Reader {
	return archive.OpenChunks(io.NewSectionReader(s.file, 0, math.MaxInt64), s.key, "")
}

func spoolError(err error) error {
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) {
		e := errFull()
		e.Cause = err
		return e
	}
	if err != nil {
		return fmt.Errorf("files: %w", err)
	}
	return nil
}

func errFull() *app.Error {
	return app.E(app.CodeStorageFull, "there is no room on the server's disk",
		"Ask the person who runs Airlock to make room; then try again.")
}
