package backups

import (
	"context"
	"io"
	"sync"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/blobs"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// filesPrefix is put behind the prefix of backups, for files and artifacts.
const filesPrefix = "files/"

// FilesStorage keeps files and artifacts in the bucket of backups, or else in a directory. The
// bucket's part has its own prefix. Reads look into the directory in both cases: a restore writes
// there. Safe for concurrent use.
type FilesStorage struct {
	service   *Service
	directory blobs.Store

	mu   sync.Mutex
	at   blobs.S3
	open *blobs.Bucket
}

// NewFilesStorage returns the storage that the settings of backups name.
func NewFilesStorage(st *store.Store, ring *secrets.Keyring, directory blobs.Store) *FilesStorage {
	return &FilesStorage{service: New(Config{Store: st, Keyring: ring}), directory: directory}
}

// storage is where contents are kept now.
func (f *FilesStorage) storage(ctx context.Context) (blobs.Store, error) {
	b, _, err := f.service.BackupSettings(ctx)
	if err != nil || !b.Files {
		return f.directory, err
	}
	bucket, err := f.bucket(b.S3)
	return blobs.Fallback{Store: bucket, Older: f.directory}, err
}

// bucket is opened anew only when its settings changed.
func (f *FilesStorage) bucket(at blobs.S3) (_ *blobs.Bucket, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.open != nil && isSameStorage(at, f.at) {
		return f.open, nil
	}
	f.at = at
	if at.Prefix != "" && at.Prefix[len(at.Prefix)-1] != '/' {
		at.Prefix += "/"
	}
	at.Prefix += filesPrefix
	f.open, err = blobs.OpenS3(at)
	return f.open, err
}

func isSameStorage(a, b blobs.S3) bool {
	secret := a.SecretKey.Equal(b.SecretKey)
	a.SecretKey, b.SecretKey = app.Secret{}, app.Secret{}
	return secret && a == b
}

// Put implements blobs.Store.
func (f *FilesStorage) Put(ctx context.Context, name string, r io.Reader, size int64) error {
	storage, err := f.storage(ctx)
	if err != nil {
		return err
	}
	return storage.Put(ctx, name, r, size)
}

// Get implements blobs.Store.
func (f *FilesStorage) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	storage, err := f.storage(ctx)
	if err != nil {
		return nil, err
	}
	return storage.Get(ctx, name)
}

// List implements blobs.Store.
func (f *FilesStorage) List(ctx context.Context, prefix string) ([]blobs.Blob, error) {
	storage, err := f.storage(ctx)
	if err != nil {
		return nil, err
	}
	return storage.List(ctx, prefix)
}

// Delete implements blobs.Store.
func (f *FilesStorage) Delete(ctx context.Context, name string) error {
	storage, err := f.storage(ctx)
	if err != nil {
		return err
	}
	return storage.Delete(ctx, name)
}

func (f *FilesStorage) String() string { return "what Settings, Backups names for files" }
