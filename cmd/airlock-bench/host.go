package main

import (
	"crypto/tls"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"time"

	"github.com/computclaw/airlock/app/egress/ca"
)

// benchService is the host that scripts talk to.
type benchService struct {
	authority  *ca.Authority // of its certificate
	tls, plain *httptest.Server
}

func startHost() (*benchService, error) {
	authority, err := ca.New(time.Now())
	if err != nil {
		return nil, err
	}
	s := &benchService{authority: authority, plain: httptest.NewServer(http.HandlerFunc(answerBytes)),
		tls: httptest.NewUnstartedServer(http.HandlerFunc(answerBytes))}
	s.tls.TLS = &tls.Config{MinVersion: tls.VersionTLS12,
		GetCertificate: func(h *tls.ClientHelloInfo) (*tls.Certificate, error) { return authority.Leaf(h.ServerName) }}
	s.tls.StartTLS()
	return s, nil
}

func (s *benchService) stop() {
	s.plain.CloseClientConnections()
	s.tls.CloseClientConnections()
	s.plain.Close()
	s.tls.Close()
}

// answerBytes reads the body and answers with the requested number of bytes.
func answerBytes(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return
	}
	size, _ := strconv.ParseInt(r.URL.Query().Get("n"), 10, 64)
	w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
	// Like compressed data: runs of one byte are searched more slowly.
	_, _ = io.CopyN(w, rand.NewChaCha8([32]byte{}), size)
}

// services returns a value of AIRLOCK_LOCAL_SERVICES for the server's names.
func (s *benchService) services() string {
	return strings.Join([]string{
		net.JoinHostPort(benchHost, "443") + "=" + s.tls.Listener.Addr().String(),
		net.JoinHostPort(benchPassed, "443") + "=" + s.tls.Listener.Addr().String(),
		net.JoinHostPort(benchRaw, strconv.Itoa(rawPort)) + "=" + s.plain.Listener.Addr().String(),
	}, ",")
}
