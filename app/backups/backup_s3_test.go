//go:build s3

package backups

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/blobs"
	"github.com/computclaw/airlock/app/blobs/s3test"
	"github.com/computclaw/airlock/store"
)

// The storage loses bits: the backup is found out, doesn't stay, and the one before does.
func TestBackupToS3IsVerifiedByReadingItBack(t *testing.T) {
	h, _, _ := furnished(t, "aaaa")
	c := timed(h)
	real := must[*url.URL](t)(url.Parse(s3test.Start(t)))
	var spoil, keeps bool
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.Out.URL.Scheme, r.Out.URL.Host = real.Scheme, real.Host },
		ModifyResponse: func(r *http.Response) error {
			if spoil && r.Request.Method == http.MethodGet && strings.HasSuffix(r.Request.URL.Path, ".airlock") &&
				r.StatusCode < 300 {
				r.Body = struct {
					io.Reader
					io.Closer
				}{&flipping{Reader: r.Body}, r.Body}
			}
			return nil
		},
	}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if keeps && (r.Method == http.MethodDelete || r.URL.Query().Has("delete")) {
			http.Error(w, "", http.StatusForbidden)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	b := BackupSettings{On: true, Every: Hourly, Keep: 2, Kind: ToS3, Passphrase: app.NewSecret(words),
		S3: blobs.S3{Endpoint: front.URL, Bucket: s3test.Bucket, Prefix: "airlock", PathStyle: true,
			AccessKey: s3test.AccessKey, SecretKey: app.NewSecret(s3test.SecretKey)}}
	h.No(h.SetBackupSettings(t.Context(), person(), b))
	stored := func() int {
		target := must[blobs.Store](t)(b.open())
		return len(must[[]blobs.Blob](t)(target.List(t.Context(), "")))
	}
	must[store.Backup](t)(h.BackUp(t.Context(), person()))
	if stored() != 1 {
		t.Errorf("%d objects", stored())
	}
	c.set(c.now().Add(time.Minute))
	spoil = true
	if x, err := h.BackUp(t.Context(), person()); err == nil || x.Status != store.BackupFailed ||
		!strings.Contains(x.Error, "could not be restored") {
		t.Errorf("%+v, %v", x, err)
	}
	if stored() != 1 {
		t.Errorf("%d objects after a spoilt one", stored())
	}
	// A bucket from which nothing may be deleted has good backups, and says so.
	spoil, keeps = false, true
	for range 2 {
		c.set(c.now().Add(time.Minute))
		x := must[store.Backup](t)(h.BackUp(t.Context(), person()))
		if last := stored() == 3; x.Status != store.BackupVerified ||
			strings.Contains(x.Error, "could not be deleted") != last {
			t.Errorf("%+v", x)
		}
	}
	if state := must[BackupState](t)(h.BackupState(t.Context())); state.Problem != "" || stored() != 3 {
		t.Errorf("%d objects, %q", stored(), state.Problem)
	}
	keeps = false
	// Wrong credentials are refused at once, and a key is only sent to the endpoint it was entered
	// for.
	wrong := b
	wrong.S3.SecretKey = app.NewSecret("another secret key")
	wantField(t, "wrong key", h.SetBackupSettings(t.Context(), person(), wrong), "secret_key")
	wrong.S3.SecretKey, wrong.S3.Endpoint = app.Secret{}, "http://127.0.0.1:9"
	wantField(t, "other endpoint", h.SetBackupSettings(t.Context(), person(), wrong), "secret_key")
	wrong.S3.SecretKey = b.S3.SecretKey
	wantField(t, "nobody there", h.SetBackupSettings(t.Context(), person(), wrong), "endpoint")
	wrong = b
	wrong.S3.AccessKey = "ANOTHERACCESSKEY"
	wantField(t, "wrong access key", h.SetBackupSettings(t.Context(), person(), wrong), "access_key")
	wrong = b
	wrong.S3.Bucket = "nowhere"
	wantField(t, "no bucket", h.SetBackupSettings(t.Context(), person(), wrong), "bucket")
}

// flipping changes a bit deep inside.
type flipping struct {
	Reader interface{ Read([]byte) (int, error) }
	n      int
}

func (f *flipping) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	if f.n < 200 && f.n+n > 200 {
		p[200-f.n] ^= 1
	}
	f.n += n
	return n, err
}
