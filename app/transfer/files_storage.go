package transfer

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/blobs"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// filesPrefix is put behind the prefix of backups, for files and artifacts.
const filesPrefix = "files/"

// FilesStorage keeps files and artifacts in the bucket of the backups, under a prefix of its own. It follows
// the settings; while they name no bucket each call fails. It is safe for concurrent use.
type FilesStorage struct {
	service *Service

	mu   sync.Mutex
	read time.Time // when settings were last read
	at   blobs.S3
	open *blobs.Bucket
}

// settingsAge is how long settings count before they are read again.
const settingsAge = 5 * time.Second

// NewFilesStorage returns the storage that the settings of backups name.
func NewFilesStorage(st *store.Store, ring *secrets.Keyring) *FilesStorage {
	return &FilesStorage{service: New(Config{Store: st, Keyring: ring})}
}

func (f *FilesStorage) bucket(ctx context.Context) (*blobs.Bucket, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.open != nil && time.Since(f.read) < settingsAge {
		return f.open, nil
	}
	b, ok, err := f.service.BackupSettings(ctx)
	if err != nil {
		return nil, err
	}
	if !ok || b.Kind != ToS3 {
		f.open = nil
		return nil, app.E(app.CodeConflict, "AIRLOCK_FILES_STORAGE is backups, but Settings, Backups names no bucket",
			"Set an S3 bucket there, or set AIRLOCK_FILES_STORAGE to directory.")
	}
	at, was := b.S3, f.at
	secret := at.SecretKey.Equal(was.SecretKey)
	at.SecretKey, was.SecretKey = app.Secret{}, app.Secret{}
	f.read = time.Now()
	if f.open != nil && secret && at == was {
		return f.open, nil
	}
	f.at = b.S3
	place := b.S3
	if place.Prefix != "" && place.Prefix[len(place.Prefix)-1] != '/' {
		place.Prefix += "/"
	}
	place.Prefix += filesPrefix
	f.open, err = blobs.OpenS3(place)
	return f.open, err
}

// Put implements blobs.Store.
func (f *FilesStorage) Put(ctx context.Context, name string, r io.Reader, size int64) error {
	bucket, err := f.bucket(ctx)
	if err != nil {
		return err
	}
	return bucket.Put(ctx, name, r, size)
}

// Get implements blobs.Store.
func (f *FilesStorage) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	bucket, err := f.bucket(ctx)
	if err != nil {
		return nil, err
	}
	return bucket.Get(ctx, name)
}

// List implements blobs.Store.
func (f *FilesStorage) List(ctx context.Context, prefix string) ([]blobs.Blob, error) {
	bucket, err := f.bucket(ctx)
	if err != nil {
		return nil, err
	}
	return bucket.List(ctx, prefix)
}

// Delete implements blobs.Store.
func (f *FilesStorage) Delete(ctx context.Context, name string) error {
	bucket, err := f.bucket(ctx)
	if err != nil {
		return err
	}
	return bucket.Delete(ctx, name)
}

func (f *FilesStorage) String() string { return "the bucket of the backups" }
