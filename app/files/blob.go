package files

import (
	"context"
	"fmt"
	"io"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/transfer/archive"
	"github.com/computclaw/airlock/store"
)

// blobPrefix begins the names of blobs in the storage.
const blobPrefix = "airlock-blob-"

// Keep puts the content of a finished Spool into the storage, unless it is there, and returns its blob.
// Something must refer to that within unusedLife. Errors: CodeStorageFull.
func (f *Files) Keep(ctx context.Context, s *Spool) (blob store.Blob, err error) {
	content := f.cfg.Keyring.Lookup(secrets.Blobs, "content:"+s.SHA256())
	found := false
	err = f.cfg.Store.Write(ctx, func(tx *store.Tx) (err error) {
		blob, found, err = tx.Blobs.Find(ctx, content, f.cfg.Now())
		return err
	})
	if err != nil || found {
		return blob, err
	}
	key := newKey()
	name := blobPrefix + app.NewID()
	own := store.Blob{Name: name, Size: s.Size(), Key: f.cfg.Keyring.Seal(secrets.Blobs, secrets.BlobRow(name), key)}
	if err := f.put(ctx, name, key, s); err != nil {
		return blob, err
	}
	err = f.cfg.Store.Write(ctx, func(tx *store.Tx) (err error) {
		blob, err = tx.Blobs.Add(ctx, own, content, f.cfg.Now())
		return err
	})
	if err == nil && blob.Name != name { // somebody else was faster
		err = f.cfg.Storage.Delete(ctx, name)
	}
	return blob, err
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
	key, err := f.cfg.Keyring.Open(secrets.Blobs, secrets.BlobRow(blob.Name), blob.Key)
	if err != nil {
		return nil, fmt.Errorf("files: open %s: %w", blob.Name, err)
	}
	sealed, err := f.cfg.Storage.Get(ctx, blob.Name)
	if err != nil {
		return nil, fmt.Errorf("files: %w", err)
	}
	return struct {
		io.Reader
		io.Closer
	}{archive.OpenChunks(sealed, key, blob.Name), sealed}, nil
}
