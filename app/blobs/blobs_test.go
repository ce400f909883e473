package blobs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

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

// A stranger puts a pipe without a writer where a backup was. Opening it would block this and every
// later backup.
func TestAPipeInABackupsPlaceHoldsNobodyUp(t *testing.T) {
	path := t.TempDir()
	d, err := OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(filepath.Join(path, "airlock-a"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Get(t.Context(), "airlock-a"); err == nil || !strings.Contains(err.Error(), "regular") {
		t.Errorf("a pipe: %v", err)
	}
	if err := os.Symlink("/dev/zero", filepath.Join(path, "airlock-b")); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Get(t.Context(), "airlock-b"); err == nil {
		t.Error("a link was followed")
	}
}

func hostileS3(t *testing.T, fn func(w io.Writer, r *http.Request)) *Bucket {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/xml")
		if r.URL.Query().Has("location") {
			fmt.Fprint(w, `<LocationConstraint>us-east-1</LocationConstraint>`)
			return
		}
		fn(w, r)
	}))
	t.Cleanup(server.Close)
	return bucket(t, server.URL)
}

// A list is decoded in memory. A hostile storage could send an endless one, or endless pages.
func TestAListThatDoesNotEndIsGivenUp(t *testing.T) {
	var sent atomic.Int64
	page := `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>next</NextContinuationToken>`
	long := hostileS3(t, func(w io.Writer, _ *http.Request) {
		fmt.Fprint(w, page)
		for range 32 * maxAnswer / (1 << 10) {
			n, err := io.WriteString(w, strings.Repeat(" ", 1<<10))
			sent.Add(int64(n))
			if err != nil {
				return
			}
		}
		fmt.Fprint(w, "</ListBucketResult>")
	})
	if _, err := long.List(t.Context(), "airlock-"); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("one long page: %v", err)
	}
	if sent.Load() >= 32*maxAnswer {
		t.Errorf("%d bytes were taken", sent.Load())
	}
	names := strings.Repeat("<Contents><Key>airlock/airlock-aaaa-x</Key></Contents>", 10_000)
	many := hostileS3(t, func(w io.Writer, _ *http.Request) { fmt.Fprint(w, page+names+"</ListBucketResult>") })
	if _, err := many.List(t.Context(), "airlock-"); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("page after page: %v", err)
	}
}

func TestAListHoldsWhatWasAskedFor(t *testing.T) {
	b := hostileS3(t, func(w io.Writer, _ *http.Request) {
		fmt.Fprint(w, `<ListBucketResult><Contents><Key>airlock/other</Key></Contents>`+
			`<Contents><Key>airlock-x</Key></Contents><Contents><Key>airlock/airlock-a</Key></Contents></ListBucketResult>`)
	})
	list, err := b.List(t.Context(), "airlock-a")
	if err != nil || len(list) != 1 || list[0].Name != "airlock-a" {
		t.Errorf("%v, %v", list, err)
	}
}
