package blobs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/atomicfile"
)

// Dir is a directory, such as a mounted volume. Files have mode 0600.
type Dir struct{ path string }

// OpenDir opens an existing directory by its absolute path. It never makes one: an unmounted volume
// must not look like an empty one.
func OpenDir(path string) (*Dir, error) {
	if !filepath.IsAbs(path) {
		return nil, app.Invalid("directory", "the directory is not an absolute path", "Type one that begins with /.")
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("blobs: %w", err)
	}
	if !info.IsDir() {
		return nil, app.Invalid("directory", path+" is not a directory", "Name one that exists.")
	}
	return &Dir{filepath.Clean(path)}, nil
}

func (d *Dir) String() string { return "directory " + d.path }

const partSuffix = ".part"

const stale = 48 * time.Hour

func (d *Dir) sweep(now time.Time) error {
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return fmt.Errorf("blobs: %w", err)
	}
	for _, e := range entries {
		name, part := strings.CutSuffix(e.Name(), partSuffix)
		if !part || !isName(name) || !strings.HasPrefix(name, "airlock-") || !e.Type().IsRegular() {
			continue
		}
		info, err := e.Info()
		if err != nil || now.Sub(info.ModTime()) < stale {
			continue
		}
		if err := os.Remove(filepath.Join(d.path, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("blobs: %w", err)
		}
	}
	return nil
}

// Put implements Store.
func (d *Dir) Put(ctx context.Context, name string, r io.Reader, size int64) (err error) {
	path, err := d.file(name)
	if err != nil {
		return err
	}
	part := path + "." + app.NewID() + partSuffix // a part that a killed process left is in nobody's way
	//nolint:gosec // the name is checked; a link that somebody put there is not followed
	f, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("blobs: %w", err)
	}
	n, err := io.Copy(f, reading{ctx, r})
	if err == nil && n != size {
		err = io.ErrUnexpectedEOF
	}
	if err := atomicfile.Finish(f, path, err); err != nil {
		return fmt.Errorf("blobs: write %s: %w", name, err)
	}
	return nil
}

// Get implements Store.
func (d *Dir) Get(_ context.Context, name string) (io.ReadCloser, error) {
	path, err := d.file(name)
	if err != nil {
		return nil, err
	}
	// Others may write to the directory: a pipe there must not block us, nor a link divert us.
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0) //nolint:gosec // the name is checked
	if err != nil {
		return nil, fmt.Errorf("blobs: %w", err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", name)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("blobs: %w", err), f.Close())
	}
	return f, nil
}

// List implements Store. It removes what killed processes have left.
func (d *Dir) List(_ context.Context, prefix string) ([]Blob, error) {
	if err := d.sweep(time.Now()); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(d.path) // sorted
	if err != nil {
		return nil, fmt.Errorf("blobs: %w", err)
	}
	var list []Blob
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), prefix) || strings.HasSuffix(e.Name(), partSuffix) || !e.Type().IsRegular() {
			continue
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("blobs: %w", err)
		}
		list = append(list, Blob{e.Name(), info.Size(), info.ModTime()})
	}
	return list, nil
}

// Delete implements Store.
func (d *Dir) Delete(_ context.Context, name string) error {
	path, err := d.file(name)
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("blobs: %w", err)
	}
	return nil
}

func (d *Dir) file(name string) (string, error) {
	if !isName(name) {
		return "", fmt.Errorf("blobs: %q is not a name of a blob", name)
	}
	return filepath.Join(d.path, name), nil
}

// reading ends with its context.
type reading struct {
	ctx context.Context
	r   io.Reader
}

func (r reading) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}
