package blobs

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
)

// Fallback is a Store that also reads from an older one, such as after a change of storages. Safe
// for concurrent use if both are.
type Fallback struct {
	Store       // where files are written
	Older Store // where else they may be
}

// Get opens a file of either store. fs.ErrNotExist if neither has it.
func (f Fallback) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	r, err := f.Store.Get(ctx, name)
	if err == nil {
		return r, nil
	}
	older, olderErr := f.Older.Get(ctx, name)
	if olderErr == nil {
		return older, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, olderErr
	}
	return nil, err
}

// List returns the files of both, by name.
func (f Fallback) List(ctx context.Context, prefix string) ([]Blob, error) {
	list, err := f.Store.List(ctx, prefix)
	if err != nil {
		return nil, err
	}
	older, err := f.Older.List(ctx, prefix)
	list = append(list, older...)
	slices.SortFunc(list, func(a, b Blob) int { return strings.Compare(a.Name, b.Name) })
	return list, err
}

// Delete removes a file from both.
func (f Fallback) Delete(ctx context.Context, name string) error {
	return errors.Join(f.Store.Delete(ctx, name), f.Older.Delete(ctx, name))
}
