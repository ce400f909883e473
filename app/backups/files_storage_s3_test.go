//go:build s3

package backups

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/blobs"
	"github.com/computclaw/airlock/app/blobs/s3test"
	"github.com/computclaw/airlock/app/files"
	"github.com/computclaw/airlock/store"
)

// TestFilesLieInTheBucketOfBackups keeps contents in a directory and then in a real S3 bucket,
// after a change of settings. It reports a missing content and removes unreferenced ones.
func TestFilesLieInTheBucketOfBackups(t *testing.T) {
	h, _, _ := furnished(t, "aaaa")
	directory := must[*blobs.Dir](t)(blobs.OpenDir(t.TempDir()))
	now := time.Now()
	kept := files.New(files.Config{Store: h.cfg.Store, Keyring: h.cfg.Keyring, Dir: t.TempDir(),
		Storage: NewFilesStorage(h.Store, h.Ring, directory), Now: func() time.Time { return now }})
	keep := func(content string) (store.Blob, error) {
		spool := must[*files.Spool](t)(kept.NewSpool())
		defer spool.Close()
		_, err := io.WriteString(spool, content)
		h.No(err)
		h.No(spool.Finish())
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
	local := must[store.Blob](t)(keep("before the bucket"))
	if list := must[[]blobs.Blob](t)(directory.List(t.Context(), "")); len(list) != 1 {
		t.Errorf("in the directory: %v", list)
	}
	at := BackupSettings{Every: Daily, Keep: 1, Kind: ToS3, Files: true, S3: blobs.S3{Endpoint: s3test.Start(t), Bucket: s3test.Bucket,
		Prefix: "airlock", PathStyle: true, AccessKey: s3test.AccessKey, SecretKey: app.NewSecret(s3test.SecretKey)}}
	set := func(b BackupSettings) {
		t.Helper()
		h.No(h.SetBackupSettings(t.Context(), person(), b))
	}
	wrong := at
	wrong.S3.Bucket = "nowhere"
	wantField(t, "a bucket that isn't there, with backups off", h.SetBackupSettings(t.Context(), person(), wrong), "bucket")
	set(at)
	if text, err := read(local.ID); err != nil || text != "before the bucket" {
		t.Errorf("in the directory: %q, %v", text, err)
	}
	blob := must[store.Blob](t)(keep("a content"))
	if text, err := read(blob.ID); err != nil || text != "a content" {
		t.Errorf("%q, %v", text, err)
	}
	objects := must[[]blobs.Blob](t)(must[blobs.Store](t)(blobs.OpenS3(at.S3)).List(t.Context(), ""))
	if len(objects) != 0 {
		t.Errorf("among the backups: %v", objects)
	}
	under := at.S3
	under.Prefix = "airlock/files"
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
	if again := must[store.Blob](t)(keep("a content")); again.ID != blob.ID {
		t.Errorf("another blob: %+v", again)
	}
	if text, err := read(blob.ID); err != nil || text != "a content" {
		t.Errorf("%q, %v", text, err)
	}
	unticked := other
	unticked.Files = false
	set(unticked)
	if _, err := read(blob.ID); app.CodeOf(err) != app.CodeNotFound {
		t.Errorf("back in the directory: %v", err)
	}
	set(other)
	now = now.Add(2 * time.Hour)
	h.No(kept.Collect(t.Context()))
	under.Prefix = "other/files"
	objects = must[[]blobs.Blob](t)(must[blobs.Store](t)(blobs.OpenS3(under)).List(t.Context(), ""))
	if list := must[[]blobs.Blob](t)(directory.List(t.Context(), "")); len(objects) != 0 || len(list) != 0 {
		t.Errorf("nothing refers to %v, %v", objects, list)
	}
}
