package blobs

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/blobs/s3test"
)

func bucket(t *testing.T, endpoint string) *Bucket {
	t.Helper()
	b, err := OpenS3(S3{Endpoint: endpoint, Bucket: s3test.Bucket, Prefix: "airlock", PathStyle: true,
		AccessKey: s3test.AccessKey, SecretKey: app.NewSecret(s3test.SecretKey)})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func put(t *testing.T, s Store, name string, content []byte) {
	t.Helper()
	if err := s.Put(t.Context(), name, bytes.NewReader(content), int64(len(content))); err != nil {
		t.Fatal(err)
	}
}

func TestDirStores(t *testing.T) {
	dir, err := OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	testStore(t, dir)
}

func testStore(t *testing.T, s Store) {
	t.Helper()
	big := bytes.Repeat([]byte("0123456789abcdef"), 2<<20) // more than a part
	put(t, s, "a-1.airlock", []byte("one"))
	put(t, s, "a-2.airlock", big)
	put(t, s, "b-1.airlock", nil)
	list, err := s.List(t.Context(), "a-")
	if err != nil || len(list) != 2 || list[0].Name != "a-1.airlock" || list[1].Size != int64(len(big)) ||
		time.Since(list[0].At) > time.Hour {
		t.Errorf("%v, %v", list, err)
	}
	r, err := s.Get(t.Context(), "a-2.airlock")
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(r)
	if err != nil || !bytes.Equal(got, big) {
		t.Errorf("%d bytes came back, %v", len(got), err)
	}
	_ = r.Close()
	if err := s.Put(t.Context(), "a-1.airlock", strings.NewReader("two"), 3); err == nil {
		t.Error("a backup was replaced")
	}
	if err := s.Put(t.Context(), "a-3.airlock", strings.NewReader("cut"), 10); err == nil {
		t.Error("half a file was kept")
	}
	if _, err := s.Get(t.Context(), "a-3.airlock"); err == nil {
		t.Error("half a file is there")
	}
	for _, bad := range []string{"", "../a", "a/b", ".hidden", "a\x00"} {
		if err := s.Put(t.Context(), bad, strings.NewReader("x"), 1); err == nil {
			t.Errorf("the name %q was taken", bad)
		}
	}
	for range 2 {
		if err := s.Delete(t.Context(), "a-1.airlock"); err != nil {
			t.Error(err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Put(ended, "a-4.airlock", strings.NewReader("x"), 1); err == nil {
		t.Error("it goes on after its context")
	}
}

func TestDirMustBeThere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"", "relative", "/nowhere/at/all", file} {
		if _, err := OpenDir(path); err == nil {
			t.Errorf("%q was taken", path)
		}
	}
}

func TestS3Settings(t *testing.T) {
	for _, endpoint := range []string{"", "s3.example.com", "ftp://s3.example.com", "https://",
		"https://user@s3.example.com", "https://s3.example.com/bucket"} {
		if _, err := OpenS3(S3{Endpoint: endpoint, Bucket: "b", AccessKey: "a", SecretKey: app.NewSecret("s")}); err == nil {
			t.Errorf("%q was taken", endpoint)
		}
	}
}

// Others with access to the directory can put a link where a backup will be written. Its target
// must stay unchanged.
func TestABackupIsNotWrittenThroughALink(t *testing.T) {
	dir, victim := t.TempDir(), filepath.Join(t.TempDir(), "instance.key")
	d, err := OpenDir(dir)
	if err == nil {
		err = errors.Join(os.WriteFile(victim, []byte("key"), 0o600),
			os.Symlink(victim, filepath.Join(dir, "airlock-a")))
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Put(t.Context(), "airlock-a", strings.NewReader("backup"), 6); !errors.Is(err, fs.ErrExist) {
		t.Errorf("%v", err)
	}
	if got, err := os.ReadFile(victim); string(got) != "key" {
		t.Errorf("it became %q, %v", got, err)
	}
}

func TestAPartOfAKilledProcessIsInNobodysWay(t *testing.T) {
	dir := t.TempDir()
	d, err := OpenDir(dir)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "airlock-a.part"), []byte("bac"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Put(t.Context(), "airlock-a", strings.NewReader("backup"), 6); err != nil {
		t.Error(err)
	}
}

// A killed process leaves a part. It is removed when old, and foreign files are untouched.
func TestPartsOfKilledProcessesAreRemoved(t *testing.T) {
	path := t.TempDir()
	d, err := OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-3 * stale / 2)
	for name, stays := range map[string]bool{"airlock-a-1.airlock.part": false, "airlock-a-1.airlock.0a1b.part": false, "airlock-a-2.airlock.part": true,
		"notes.part": true, "airlock-a-3.airlock": true} {
		file := filepath.Join(path, name)
		if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if name != "airlock-a-2.airlock.part" { // that one is being written
			if err := os.Chtimes(file, old, old); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := d.List(t.Context(), "airlock-"); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(file); (err == nil) != stays {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestBucketsAreNamed: without a prefix the name doesn't end in a comma.
func TestBucketsAreNamed(t *testing.T) {
	at := S3{Endpoint: "https://s3.example.com", Bucket: "house", AccessKey: "key", SecretKey: app.NewSecret("secret")}
	for prefix, want := range map[string]string{
		"": "bucket house at https://s3.example.com", "a/b/": "bucket house at https://s3.example.com, prefix a/b",
	} {
		at.Prefix = prefix
		b, err := OpenS3(at)
		if err != nil {
			t.Fatal(err)
		}
		if got := b.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A backup to a storage that falls silent fails instead of staying under way.
func TestASilentConnectionBreaks(t *testing.T) {
	here, there := net.Pipe()
	defer there.Close()
	defer here.Close()
	c := watchedConn{here, 20 * time.Millisecond}
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("reading: %v", err)
	}
	if _, err := c.Write([]byte("x")); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("writing: %v", err)
	}
}
