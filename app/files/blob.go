package files

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/transfer/archive"
	"github.com/computclaw/airlock/store"
)

// blobPrefix begins the names of all blobs in the storage.
const blobPrefix = "airlock-blob-"

// ownPrefix begins the names of this instance's blobs: several may share a bucket.
func ownPrefix(ring *secrets.Keyring) string {
	return blobPrefix + hex.EncodeToString(ring.Lookup(secrets.Blobs, "instance")[:8]) + "-"
}

// Keep stores a finished Spool's content, unless it is there, and returns its blob. Something must
// refer to the blob within unusedLife. Errors: CodeStorageFull.
func (f *Files) Keep(ctx context.Context, s *Spool) (store.Blob, error) {
	return f.keep(ctx, s, func(do func(*store.Tx) error) error { return f.cfg.Store.Write(ctx, do) })
}

// KeepIn is Keep in the caller's transaction, for callers that block other writers anyway. A
// rollback leaves a blob without a row, which Collect removes.
func (f *Files) KeepIn(ctx context.Context, tx *store.Tx, s *Spool) (store.Blob, error) {
	return f.keep(ctx, s, func(do func(*store.Tx) error) error { return do(tx) })
}

func (f *Files) keep(
	ctx context.Context, s *Spool, write func(func(*store.Tx) error) error,
) (blob store.Blob, err error) {
	content := f.content(s)
	found := false
	err = write(func(tx *store.Tx) (err error) {
		blob, found, err = tx.Blobs.Find(ctx, content, f.cfg.Now())
		return err
	})
	if err != nil {
		return blob, err
	}
	if found {
		return blob, f.restore(ctx, blob, s)
	}
	key := newKey()
	own := f.newBlob(key, s)
	if err := f.put(ctx, own.Name, key, s); err != nil {
		return blob, err
	}
	err = write(func(tx *store.Tx) (err error) {
		blob, err = tx.Blobs.Add(ctx, own, content, f.cfg.Now())
		return err
	})
	if err == nil && blob.Name != own.Name { // somebody else was faster
		err = f.cfg.Storage.Delete(ctx, own.Name)
	}
	return blob, err
}

// content names what a spool holds, by a keyed hash.
func (f *Files) content(s *Spool) []byte {
	return f.cfg.Keyring.Lookup(secrets.Blobs, "content:"+s.SHA256())
}

func (f *Files) newBlob(key []byte, s *Spool) store.Blob {
	name := f.prefix + app.NewID()
	return store.Blob{Name: name, Size: s.Size(), Key: f.cfg.Keyring.Seal(secrets.Blobs, secrets.BlobRow(name), key)}
}

// restore rewrites a blob that the storage has lost, such as after a change of storages.
func (f *Files) restore(ctx context.Context, blob store.Blob, s *Spool) error {
	sealed, err := f.cfg.Storage.Get(ctx, blob.Name)
	if err == nil {
		return sealed.Close()
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("files: %w", err)
	}
	key, err := f.key(blob)
	if err != nil {
		return err
	}
	return f.put(ctx, blob.Name, key, s)
}

func (f *Files) key(blob store.Blob) ([]byte, error) {
	key, err := f.cfg.Keyring.Open(secrets.Blobs, secrets.BlobRow(blob.Name), blob.Key)
	if err != nil {
		return nil, fmt.Errorf("files: open %s: %w", blob.Name, err)
	}
	return key, nil
}

// put writes a blob. It is on the disk when put returns.
func (f *Files) put(ctx context.Context, name string, key []byte, s *Spool) error {
	from, to := io.Pipe()
	go func() {
		sealed := archive.SealChunks(to, key, name)
		_, err := io.Copy(sealed, s.Open())
		if err == nil {
			err = sealed.Close()
		}
		_ = to.CloseWithError(err)
	}()
	defer func() { _ = from.Close() }() // ends the goroutine, which has the spool no longer then
	return spoolError(f.cfg.Storage.Put(ctx, name, from, archive.SealedSize(s.Size())))
}

func (f *Files) open(ctx context.Context, blob store.Blob) (io.ReadCloser, error) {
	key, err := f.key(blob)
	if err != nil {
		return nil, err
	}
	sealed, err := f.cfg.Storage.Get(ctx, blob.Name)
	if errors.Is(err, fs.ErrNotExist) {
		f.cfg.Log.Error("a content is not in the storage", "blob", blob.Name, "storage", f.cfg.Storage.String())
		e := app.E(app.CodeNotFound, "the content is not in the server's storage",
			"Ask the person who runs Airlock: the storage was changed, or has lost it.")
		e.Cause = err
		return nil, e
	}
	if err != nil {
		return nil, fmt.Errorf("files: %w", err)
	}
	return struct {
		io.Reader
		io.Closer
	}{archive.OpenChunks(sealed, key, blob.Name), sealed}, nil
}
