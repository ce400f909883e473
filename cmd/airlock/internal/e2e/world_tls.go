package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httputil"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// TLSWorld is the world's TLS part: hosts of sealed credentials, of others, and broken ones.
type TLSWorld struct {
	Services string // AIRLOCK_LOCAL_SERVICES
	Roots    string // AIRLOCK_EXTRA_CA

	mu   sync.Mutex
	seen map[string][]byte // by host: all that was sent to it
}

// NewTLSWorld starts the servers. echo.test and its wildcard neighbours repeat everything;
// other.test belongs to nobody; badcert.test has an untrusted certificate; h2.test speaks HTTP/2
// only; ssh.test greets first.
func NewTLSWorld(t *testing.T) *TLSWorld {
	w := &TLSWorld{seen: map[string][]byte{}, Roots: filepath.Join(t.TempDir(), "roots.pem")}
	authority := NewTestAuthority(t)
	Must(t, os.WriteFile(w.Roots, authority.PEM, 0o644))
	stranger := NewTestAuthority(t)
	w.host(t, "echo.test:443", authority.Config(t, "echo.test"))
	w.host(t, "echo.test:80", nil)
	w.host(t, "body.test:443", authority.Config(t, "body.test"))
	w.host(t, "other.test:443", authority.Config(t, "other.test"))
	w.host(t, "other.test:80", nil)
	w.host(t, "badcert.test:443", stranger.Config(t, "badcert.test"))
	w.host(t, "wrongname.test:443", authority.Config(t, "somebody-else.test"))
	h2 := authority.Config(t, "h2.test")
	// Go's server alone would fall back to HTTP/1.1
	h2.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		if !slices.Contains(hello.SupportedProtos, "h2") {
			return nil, errors.New("HTTP/2 only")
		}
		return nil, nil
	}
	w.host(t, "h2.test:443", h2)
	w.greeter(t, "ssh.test:443")
	return w
}

// SentTo returns everything that a host got so far.
func (w *TLSWorld) SentTo(host string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.seen[host])
}

func (w *TLSWorld) record(place string, text []byte) {
	host, _, _ := strings.Cut(place, ":")
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen[host] = append(w.seen[host], text...)
}

func (w *TLSWorld) serve(t *testing.T, place string) net.Listener {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	Must(t, err)
	t.Cleanup(func() { l.Close() })
	if w.Services != "" {
		w.Services += ","
	}
	w.Services += place + "=" + l.Addr().String()
	return l
}

// host repeats every request in the body, a header and a cookie. /redirect leads to a given
// address, /refuse answers 401, /log shows everything received.
func (w *TLSWorld) host(t *testing.T, place string, config *tls.Config) {
	l := w.serve(t, place)
	server := &http.Server{ErrorLog: log.New(io.Discard, "", 0), TLSConfig: config,
		Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/log" {
				name, _, _ := strings.Cut(place, ":")
				_, _ = io.WriteString(rw, w.SentTo(name))
				return
			}
			text, _ := httputil.DumpRequest(r, true)
			w.record(place, text)
			if r.URL.Path == "/redirect" {
				rw.Header().Set("Location", "https://echo.test/?back="+r.Header.Get("Authorization"))
				rw.WriteHeader(http.StatusFound)
				return
			}
			if r.URL.Path == "/refuse" {
				rw.WriteHeader(http.StatusUnauthorized)
				return
			}
			rw.Header().Set("X-Authorization", r.Header.Get("Authorization"))
			http.SetCookie(rw, &http.Cookie{Name: "token", Value: strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")})
			rw.Header().Set("Trailer", "X-Trailer")
			_ = json.NewEncoder(rw).Encode(
				map[string]any{"method": r.Method, "host": r.Host, "path": r.URL.Path, "query": r.URL.RawQuery,
					"raw": string(text)})
			rw.Header().Set("X-Trailer", r.Header.Get("Authorization"))
		})}
	go func() {
		if config == nil {
			_ = server.Serve(l)
			return
		}
		_ = server.ServeTLS(l, "", "")
	}()
	t.Cleanup(func() { server.Close() })
}

// greeter speaks first, as SSH and mail servers do, and keeps what it hears.
func (w *TLSWorld) greeter(t *testing.T, place string) {
	l := w.serve(t, place)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				_, _ = io.WriteString(conn, "SSH-2.0-greeter\r\n")
				_ = conn.SetReadDeadline(time.Now().Add(5 * time.Second))
				text, _ := io.ReadAll(io.LimitReader(conn, 1<<16))
				w.record(place, text)
			}()
		}
	}()
}

type testAuthority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	PEM         []byte
}

// NewTestAuthority makes a certificate authority.
func NewTestAuthority(t *testing.T) *testAuthority {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	Must(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "Test authority"}, IsCA: true,
		BasicConstraintsValid: true,
		NotBefore:             time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	Must(t, err)
	certificate, err := x509.ParseCertificate(der)
	Must(t, err)
	return &testAuthority{certificate: certificate, key: key,
		PEM: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})}
}

func (a *testAuthority) Config(t *testing.T, name string) *tls.Config {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	Must(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key)
	Must(t, err)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}},
		MinVersion: tls.VersionTLS12}
}
