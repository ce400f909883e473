//go:build s3

package blobs

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/blobs/s3test"
)

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

// A storage that stops answering ends with ctx, and a failing one returns its error.
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

func TestS3Stores(t *testing.T) { testStore(t, bucket(t, s3test.Start(t))) }
