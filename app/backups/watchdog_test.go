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

// A storage that falls silent, before or in the middle of a file, is given up. That backup fails
// with a reason and doesn't block the next.
func TestABackupToAStorageThatFallsSilentFails(t *testing.T) {
	for name, method := range map[string]string{"while it takes": http.MethodPut, "while it gives back": http.MethodGet} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, _, _ := furnished(t, "aaaa")
			front, silent := hanging(t, method)
			settings := BackupSettings{On: true, Every: Daily, Keep: 2, Kind: ToS3, Passphrase: app.NewSecret(words),
				S3: blobs.S3{Endpoint: front, Bucket: s3test.Bucket, PathStyle: true, AccessKey: s3test.AccessKey,
					SecretKey: app.NewSecret(s3test.SecretKey)}}
			h.No(h.SetBackupSettings(t.Context(), person(), settings))
			must[store.Backup](t)(h.BackUp(t.Context(), person()))
			h.silence = 2 * time.Second
			silent <- true
			x, err := h.BackUp(t.Context(), person())
			if err == nil || x.Status != store.BackupFailed || !strings.Contains(x.Error, "the storage was silent") {
				t.Errorf("%+v, %v", x, err)
			}
			h.silence = silence
			<-silent
			must[store.Backup](t)(h.BackUp(t.Context(), person()))
		})
	}
}

// hanging is an S3 server that falls silent for one method while the channel holds a value.
func hanging(t *testing.T, method string) (endpoint string, silent chan bool) {
	t.Helper()
	real := must[*url.URL](t)(url.Parse(s3test.Start(t)))
	silent, over := make(chan bool, 1), make(chan struct{})
	hang := func(r *http.Request) {
		select {
		case <-over:
		case <-r.Context().Done():
		}
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.Out.URL.Scheme, r.Out.URL.Host = real.Scheme, real.Host },
		ModifyResponse: func(r *http.Response) error {
			if len(silent) > 0 && r.Request.Method == method && method == http.MethodGet &&
				strings.HasSuffix(r.Request.URL.Path, ".airlock") {
				r.Body = readCloser{io.MultiReader(io.LimitReader(r.Body, 100), waiting(func() { hang(r.Request) })), r.Body}
			}
			return nil
		},
	}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(silent) > 0 && r.Method == method && method == http.MethodPut {
			hang(r)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	t.Cleanup(func() { close(over) })
	return front.URL, silent
}

// waiting gives nothing until its function has returned.
type waiting func()

func (w waiting) Read([]byte) (int, error) {
	w()
	return 0, io.ErrUnexpectedEOF
}
