//go:build s3

package transfer

import (
	"io"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/blobs"
	"github.com/computclaw/airlock/app/blobs/s3test"
	"github.com/computclaw/airlock/app/files"
	"github.com/computclaw/airlock/store"
)

// TestFilesLieInTheBucketOfBackups keeps contents on a real S3 server, follows a change of the settings, and
// says so when a content is not there.
func TestFilesLieInTheBucketOfBackups(t *testing.T) {
	h, _, _ := furnished(t, "aaaa")
	storage := NewFilesStorage(h.store, h.ring)
	kept := files.New(files.Config{Store: h.cfg.Store, Keyring: h.cfg.Keyring, Storage: storage, Dir: t.TempDir()})
	keep := func() (store.Blob, error) {
		spool := must[*files.Spool](t)(kept.NewSpool())
		defer spool.Close()
		_, err := io.WriteString(spool, "a content")
		h.no(err)
		h.no(spool.Finish())
		return kept.Keep(t.Context(), spool)
	}
	read := func(id int64) (string, error) {
		content, err := kept.Open(t.Context(), id)
		if err != nil {
			return "", err
		}
		defer content.Close()
		text, err := io.ReadAll(content)
		return string(text), err
	}
	if _, err := keep(); app.CodeOf(err) != app.CodeConflict {
		t.Errorf("without a bucket: %v", err)
	}
	at := BackupSettings{Every: Daily, Keep: 1, Kind: ToS3, S3: blobs.S3{Endpoint: s3test.Start(t), Bucket: s3test.Bucket,
		Prefix: "house", PathStyle: true, AccessKey: s3test.AccessKey, SecretKey: app.NewSecret(s3test.SecretKey)}}
	set := func(b BackupSettings) {
		t.Helper()
		h.no(h.SetBackupSettings(t.Context(), person(), b))
		storage.read = storage.read.Add(-settingsAge)
	}
	set(at)
	blob := must[store.Blob](t)(keep())
	if text, err := read(blob.ID); err != nil || text != "a content" {
		t.Errorf("%q, %v", text, err)
	}
	objects := must[[]blobs.Blob](t)(must[blobs.Store](t)(blobs.OpenS3(at.S3)).List(t.Context(), ""))
	if len(objects) != 0 {
		t.Errorf("among the backups: %v", objects)
	}
	under := at.S3
	under.Prefix = "house/files"
	objects = must[[]blobs.Blob](t)(must[blobs.Store](t)(blobs.OpenS3(under)).List(t.Context(), ""))
	if len(objects) != 1 || !strings.HasPrefix(objects[0].Name, "airlock-blob-") {
		t.Errorf("%v", objects)
	}
	other := at
	other.S3.Prefix = "other"
	set(other)
	if _, err := read(blob.ID); app.CodeOf(err) != app.CodeNotFound {
		t.Errorf("elsewhere: %v", err)
	}
	// What is sent again is kept where the storage is now.
	if again := must[store.Blob](t)(keep()); again.ID != blob.ID {
		t.Errorf("another blob: %+v", again)
	}
	if text, err := read(blob.ID); err != nil || text != "a content" {
		t.Errorf("%q, %v", text, err)
	}
	h.no(kept.Collect(t.Context()))
}
