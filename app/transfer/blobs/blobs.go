package blobs

import (
	"context"
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
	// Put writes a file of size bytes. It appears under its name only when it is whole, and never replaces another.
	Put(ctx context.Context, name string, r io.Reader, size int64) error
	// Get opens a file. The caller closes it.
	Get(ctx context.Context, name string) (io.ReadCloser, error)
	// List returns the files whose name begins with prefix, by name.
	List(ctx context.Context, prefix string) ([]Blob, error)
	// Delete removes a file; one that is not there is no error.
	Delete(ctx context.Context, name string) error
	// String says where it is, without secrets.
	String() string
}

var nameShape = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.-]{0,199}$`)
