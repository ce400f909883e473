package blobs

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/transfer/blobs/s3test"
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

func TestStores(t *testing.T) {
	dir, err := OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]Store{"directory": dir, "S3": bucket(t, s3test.Start(t))} {
		t.Run(name, func(t *testing.T) {
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
		})
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

func TestS3Refusals(t *testing.T) {
	endpoint := s3test.Start(t)
	at := S3{Endpoint: endpoint, Bucket: s3test.Bucket, PathStyle: true, AccessKey: s3test.AccessKey,
		SecretKey: app.NewSecret("the wrong secret")}
	wrong, err := OpenS3(at)
	if err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{"put": wrong.Put(t.Context(), "a", strings.NewReader("x"), 1),
		"list": second(wrong.List(t.Context(), ""))} {
		if err == nil || !strings.Contains(err.Error(), "refuses the credentials") ||
			strings.Contains(err.Error(), "the wrong secret") {
			t.Errorf("%s: %v", what, err)
		}
	}
	at.SecretKey, at.Bucket = app.NewSecret(s3test.SecretKey), "nowhere"
	nowhere, err := OpenS3(at)
	if err != nil {
		t.Fatal(err)
	}
	if err := nowhere.Put(t.Context(), "a", strings.NewReader("x"), 1); err == nil ||
		!strings.Contains(err.Error(), "no bucket nowhere") {
		t.Errorf("%v", err)
	}
}

func second[T any](_ T, err error) error { return err }

// A storage that stops answering in the middle ends with the caller's patience, and one that fails
// says so.
func TestS3SlowAndFailing(t *testing.T) {
	real, err := url.Parse(s3test.Start(t))
	if err != nil {
		t.Fatal(err)
	}
	hang := make(chan struct{})
	// Host stays: it is signed
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme,
			r.Out.URL.Host = real.Scheme, real.Host
	}}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPut && strings.Contains(r.URL.Path, "slow"):
			select {
			case <-hang:
			case <-r.Context().Done():
			}
		case r.Method == http.MethodPut && strings.Contains(r.URL.Path, "broken"):
			http.Error(w, "no", http.StatusInternalServerError)
		default:
			proxy.ServeHTTP(w, r)
		}
	}))
	defer front.Close()
	defer close(hang)
	b := bucket(t, front.URL)
	put(t, b, "fine", []byte("x"))
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := b.Put(ctx, "slow", strings.NewReader("x"), 1); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("slow: %v", err)
	}
	if err := b.Put(t.Context(), "broken", strings.NewReader("x"), 1); err == nil {
		t.Error("a failure is no error")
	}
	// Nobody listens.
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	if err := bucket(t, "http://"+l.Addr().String()).Put(t.Context(), "a", strings.NewReader("x"), 1); err == nil {
		t.Error("nobody listens, and it is no error")
	}
}

// A process that was killed while it wrote leaves a part. The next write removes it when it is old,
// and touches nobody else's files. Whoever else may write to the directory can put a link where a
// backup will be written. What it leads to must stay as it is.
func TestABackupIsNotWrittenThroughALink(t *testing.T) {
	dir, victim := t.TempDir(), filepath.Join(t.TempDir(), "instance.key")
	d, err := OpenDir(dir)
	if err == nil {
		err = errors.Join(os.WriteFile(victim, []byte("key"), 0o600),
			os.Symlink(victim, filepath.Join(dir, "airlock-a.part")))
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

func TestPartsOfKilledProcessesAreRemoved(t *testing.T) {
	path := t.TempDir()
	d, err := OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-3 * stale / 2)
	for name, stays := range map[string]bool{"airlock-a-1.airlock.part": false, "airlock-a-2.airlock.part": true,
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
		put(t, d, "airlock-b-after."+name, []byte("y"))
		if _, err := os.Stat(file); (err == nil) != stays {
			t.Errorf("%s: %v", name, err)
		}
	}
}
