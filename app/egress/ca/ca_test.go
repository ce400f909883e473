package ca

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func authority(t testing.TB) *Authority {
	t.Helper()
	a, err := New(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func leaf(t testing.TB, a *Authority, host string) *tls.Certificate {
	t.Helper()
	c, err := a.Leaf(host)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestLeafVerifies(t *testing.T) {
	a := authority(t)
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(a.Certificate()) {
		t.Fatal("the authority's certificate can't be read")
	}
	long := strings.Repeat("long-label.", 12) + "example.com"
	for _, host := range []string{"api.example.com", "xn--bcher-kva.example", "under_score.example.com", "93.184.215.14",
		"2a00:1450::1", long} {
		c := leaf(t, a, host)
		if _, err := c.Leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: bracketed(host),
			KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}); err != nil {
			t.Errorf("%s: %v", host, err)
		}
		for _, other := range []string{"example.com", "www.api.example.com", "evil.test", "[93.184.215.15]"} {
			if c.Leaf.VerifyHostname(other) == nil {
				t.Errorf("the certificate of %s is good for %s", host, other)
			}
		}
		if life := c.Leaf.NotAfter.Sub(c.Leaf.NotBefore); life > 99*24*time.Hour || c.Leaf.IsCA ||
			len(c.Leaf.SubjectKeyId) == 0 ||
			!bytes.Equal(c.Leaf.AuthorityKeyId, a.certificate.SubjectKeyId) || c.Leaf.KeyUsage != x509.KeyUsageDigitalSignature {
			t.Errorf("%s: valid for %s, %+v", host, life, c.Leaf)
		}
	}
	if names := a.certificate.Subject.String(); !strings.Contains(names, "Airlock") {
		t.Errorf("the authority is called %s", names)
	}
}

func bracketed(host string) string {
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}

// The checks that Python 3.13 switches on are OpenSSL's strict ones.
func TestOpenSSLStrict(t *testing.T) {
	a := authority(t)
	dir := t.TempDir()
	root := filepath.Join(dir, "root.pem")
	write(t, root, a.Certificate())
	for i, host := range []string{"api.example.com", "93.184.215.14", "2a00:1450::1",
		strings.Repeat("a-very-long-label.", 6) + "example.com"} {
		file := filepath.Join(dir, fmt.Sprintf("leaf%d.pem", i))
		write(t, file, pem.EncodeToMemory(&pem.Block{Type: pemType, Bytes: leaf(t, a, host).Certificate[0]}))
		name := []string{"-verify_hostname", host}
		if i == 1 || i == 2 {
			name[0] = "-verify_ip"
		}
		args := append([]string{"verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", root}, append(name, file)...)
		if out, err := exec.Command("openssl", args...).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", host, err, out)
		}
	}
}

// Python's own TLS client, with the strict flag set as 3.13 does.
func TestPythonStrict(t *testing.T) {
	a := authority(t)
	root := filepath.Join(t.TempDir(), "root.pem")
	write(t, root, a.Certificate())
	listener, err := tls.Listen("tcp4", "127.0.0.1:0",
		&tls.Config{Certificates: []tls.Certificate{*leaf(t, a, "api.example.com")}, MinVersion: tls.VersionTLS12})
	if err != nil {
		t.Fatal(err)
	}
	var served sync.WaitGroup
	served.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write([]byte("hello"))
			c.Close()
		}
	})
	defer served.Wait()
	defer listener.Close()
	host, port, _ := strings.Cut(listener.Addr().String(), ":")
	script := `
import socket, ssl, sys
context = ssl.create_default_context(cafile=sys.argv[1])
context.verify_flags |= ssl.VERIFY_X509_STRICT | ssl.VERIFY_X509_PARTIAL_CHAIN
with socket.create_connection((sys.argv[2], int(sys.argv[3])), 10) as raw, context.wrap_socket(raw, server_hostname="api.example.com") as tls:
    print(tls.recv(5).decode(), tls.version())`
	out, err := exec.Command("/usr/bin/python3", "-c", script, root, host, port).CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "hello TLSv1.3") {
		t.Fatalf("%v: %s", err, out)
	}
}

func TestLoad(t *testing.T) {
	a, other := authority(t), authority(t)
	same, err := Load(a.Certificate(), a.Key())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(same.Certificate(), a.Certificate()) || !slices.Equal(same.Key(), a.Key()) ||
		!same.Expires().Equal(a.Expires()) {
		t.Error("what was loaded is another authority")
	}
	if years := time.Until(a.Expires()).Hours() / 24 / 365; years < 9.9 || years > 10.1 {
		t.Errorf("valid for %.1f years", years)
	}
	l := leaf(t, a, "a.example.com")
	leafPEM := pem.EncodeToMemory(&pem.Block{Type: pemType, Bytes: l.Certificate[0]})
	leafKey, _ := x509.MarshalPKCS8PrivateKey(a.leafKey)
	p384, _ := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	otherCurve, _ := x509.MarshalPKCS8PrivateKey(p384)
	sec1, _ := x509.MarshalECPrivateKey(a.key)
	withHeader := pem.EncodeToMemory(
		&pem.Block{Type: pemType, Headers: map[string]string{"A": "b"}, Bytes: a.certificate.Raw})
	for name, c := range map[string]struct{ certificate, key []byte }{
		"nothing":                 {nil, nil},
		"no key":                  {a.Certificate(), nil},
		"no certificate":          {nil, a.Key()},
		"another's key":           {a.Certificate(), other.Key()},
		"a key of another curve":  {a.Certificate(), otherCurve},
		"a key in another form":   {a.Certificate(), sec1},
		"a leaf":                  {leafPEM, leafKey},
		"two certificates":        {append(a.Certificate(), other.Certificate()...), a.Key()},
		"text before":             {append([]byte("text\n"), a.Certificate()...), a.Key()},
		"a block of another type": {pem.EncodeToMemory(&pem.Block{Type: "X509 CRL", Bytes: a.certificate.Raw}), a.Key()},
		"headers in the block":    {withHeader, a.Key()},
		"bytes after the key":     {a.Certificate(), append(a.Key(), 0)},
		"a certificate cut short": {pem.EncodeToMemory(&pem.Block{Type: pemType, Bytes: a.certificate.Raw[:100]}), a.Key()},
		"a certificate, one bit of": {pem.EncodeToMemory(&pem.Block{Type: pemType, Bytes: flipped(a.certificate.Raw)}),
			a.Key()},
	} {
		if _, err := Load(c.certificate, c.key); err == nil {
			t.Errorf("%s loads", name)
		}
	}
}

func flipped(der []byte) []byte {
	der = slices.Clone(der)
	der[len(der)-20] ^= 1 // in the signature
	return der
}

func TestLeafIsCachedAndRenewed(t *testing.T) {
	a := authority(t)
	now := time.Now()
	a.now = func() time.Time { return now }
	first := leaf(t, a, "a.example.com")
	now = now.Add(59 * 24 * time.Hour)
	if leaf(t, a, "a.example.com") != first {
		t.Error("issued again though it is good for long")
	}
	now = now.Add(2 * 24 * time.Hour)
	second := leaf(t, a, "a.example.com")
	if second == first || second.Leaf.NotAfter.Before(now.Add(80*24*time.Hour)) {
		t.Errorf("not renewed: until %s", second.Leaf.NotAfter)
	}
	if first.Leaf.SerialNumber.Cmp(second.Leaf.SerialNumber) == 0 {
		t.Error("two certificates with one serial number")
	}
	now = a.Expires().Add(-24 * time.Hour)
	if l := leaf(t, a, "a.example.com").Leaf; l.NotAfter.After(a.Expires()) {
		t.Error("a leaf outlives its authority")
	}
	now = a.Expires()
	if _, err := a.Leaf("a.example.com"); err == nil {
		t.Error("an expired authority issues")
	}
}

func TestLeafCacheIsBounded(t *testing.T) {
	a := authority(t)
	var wg sync.WaitGroup
	for part := range 4 {
		wg.Go(func() {
			for i := range maxCached/4 + 20 {
				if _, err := a.Leaf(fmt.Sprintf("h%d-%d.example.com", part, i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if len(a.cache) > maxCached {
		t.Errorf("%d certificates are kept", len(a.cache))
	}
}

func TestOddNamesGetNoLeaf(t *testing.T) {
	a := authority(t)
	for _, host := range []string{"", "*.example.com", "EXAMPLE.com", "example.com.", "a b", "::ffff:1.2.3.4",
		"evil\x00.example.com", "b\u00fccher.example"} {
		if _, err := a.Leaf(host); err == nil {
			t.Errorf("%q gets a certificate", host)
		}
	}
}

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func BenchmarkIssue(b *testing.B) {
	a := authority(b)
	for i := range b.N {
		if _, err := a.issue(fmt.Sprintf("h%d.example.com", i), time.Now()); err != nil {
			b.Fatal(err)
		}
	}
}
