package docker

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/docker/dockertest"
)

// authority signs certificates for one test.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	dir  string
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{dir: t.TempDir()}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	a.key = newKey(t)
	raw, err := x509.CreateCertificate(rand.Reader, template, template, &a.key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	if a.cert, err = x509.ParseCertificate(raw); err != nil {
		t.Fatal(err)
	}
	a.write(t, "ca.pem", "CERTIFICATE", raw)
	return a
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func (a *authority) write(t *testing.T, name, kind string, raw []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(a.dir, name), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: raw}),
		0o600); err != nil {
		t.Fatal(err)
	}
}

// issue writes a certificate for 127.0.0.1 and its key.
func (a *authority) issue(t *testing.T, cert, key string) {
	t.Helper()
	own := newKey(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: cert}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter:    time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, a.cert, &own.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalECPrivateKey(own)
	if err != nil {
		t.Fatal(err)
	}
	a.write(t, cert, "CERTIFICATE", raw)
	a.write(t, key, "EC PRIVATE KEY", der)
}

// TestTLS has an engine on tcp that asks for a certificate. One that isn't from the right authority
// gets no answer and gives none.
func TestTLS(t *testing.T) {
	a := newAuthority(t)
	a.issue(t, "server.pem", "server-key.pem")
	a.issue(t, "cert.pem", "key.pem")
	host := fmt.Sprintf("tcp://127.0.0.1:%d", freePort(t))
	d := dockertest.New(t, "--host", host, "--tlsverify", "--tlscacert", filepath.Join(a.dir, "ca.pem"),
		"--tlscert", filepath.Join(a.dir, "server.pem"), "--tlskey", filepath.Join(a.dir, "server-key.pem"))
	if err := d.Import(testImage, base); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, map[string]string{"host": host, "cert_path": a.dir, "image": testImage})
	w.ready(t)
	if out, exit, err := w.do(t, plugins.Spec{}, python("print('over TLS')")); err != nil || exit.Code != 0 ||
		out != "over TLS\n" {
		t.Errorf("output %q, %+v, %v", out, exit, err)
	}
	noneLeft(t, d, w.cfg.Instance)

	stranger := newAuthority(t)
	stranger.issue(t, "cert.pem", "key.pem")
	w.cfg.Settings["cert_path"] = stranger.dir
	if why := w.unready(t); !strings.Contains(why, "certificate") {
		t.Errorf("with another authority's certificates: %q", why)
	}
	w.cfg.Settings["cert_path"] = ""
	delete(w.cfg.Settings, "cert_path")
	if why := w.unready(t); why == "" {
		t.Error("without certificates")
	}
}

func freePort(tb testing.TB) int {
	tb.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
