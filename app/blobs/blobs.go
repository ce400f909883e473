package blobs

import (
	"context"
	"errors"
	"io"
	"regexp"
	"time"
)

// Blob is a file in a store.
type Blob struct {
	Name string
	Size int64 // bytes
	At   time.Time
}

// Store keeps files by name. Names are plain: letters, digits, dots and dashes.
type Store interface {
	// Put writes a file of size bytes. It appears under its name only when complete, and never
	// replaces another.
	Put(ctx context.Context, name string, r io.Reader, size int64) error
	// Get opens a file. The caller closes it. fs.ErrNotExist if there is none.
	Get(ctx context.Context, name string) (io.ReadCloser, error)
	// List returns the files whose name begins with prefix, by name.
	List(ctx context.Context, prefix string) ([]Blob, error)
	// Delete removes a file; one that is not there is no error.
	Delete(ctx context.Context, name string) error
	// String says where it is, without secrets.
	String() string
}

// What is wrong with a storage, as far as it says so.
var (
	ErrUnreachable = errors.New("the storage can't be reached")
	ErrBucket      = errors.New("there is no bucket")
	ErrAccessKey   = errors.New("the storage refuses the credentials, it does not know the access key")
	ErrSecretKey   = errors.New("the storage refuses the credentials, the secret key is not that of the access key")
	ErrDenied      = errors.New("the storage refuses the credentials, they don't allow this")
)

var nameShape = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.-]*$`)

func isName(name string) bool { return len(name) <= 200 && nameShape.MatchString(name) }
