package ca

import (
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/computclaw/airlock/app"
)

const (
	leafLifetime = 90 * 24 * time.Hour // clients refuse long ones
	leafReserve  = 30 * 24 * time.Hour // a cached leaf with less time left is replaced: no execution lasts so long
	maxCached    = 1024
)

// maxCommonName is X.509's longest common name.
const maxCommonName = 64

// Leaf returns a certificate for a canonical host name or address, perhaps cached. It is valid for
// that host only. It fails for a name that is not canonical and an expired Authority.
func (a *Authority) Leaf(host string) (*tls.Certificate, error) {
	now := a.now()
	a.mu.Lock()
	defer a.mu.Unlock()
	if c, ok := a.cache[host]; ok && now.Before(renewal(c.Leaf)) && !now.Before(c.Leaf.NotBefore) {
		return c, nil
	}
	c, err := a.issue(host, now)
	if err != nil {
		return nil, fmt.Errorf("issue a certificate for %q: %w", app.Clip(host, 80), err)
	}
	if _, known := a.cache[host]; !known && len(a.cache) >= maxCached {
		for other := range a.cache { // any one: issuing again costs a signature
			delete(a.cache, other)
			break
		}
	}
	a.cache[host] = c
	return c, nil
}

// renewal is when to replace a cached leaf.
func renewal(leaf *x509.Certificate) time.Time {
	life := leaf.NotAfter.Sub(leaf.NotBefore)
	return leaf.NotAfter.Add(-min(leafReserve, life/3))
}

func (a *Authority) issue(host string, now time.Time) (*tls.Certificate, error) {
	if name, err := app.CanonicalName(host); err != nil {
		return nil, err
	} else if name != host {
		return nil, fmt.Errorf("the canonical form is %q", name)
	}
	if !now.Before(a.certificate.NotAfter) || now.Before(a.certificate.NotBefore) {
		return nil, fmt.Errorf("the authority is valid from %s to %s only", a.certificate.NotBefore.Format(time.DateOnly),
			a.certificate.NotAfter.Format(time.DateOnly))
	}
	template, err := a.template(host, now)
	if err != nil {
		return nil, err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, &a.leafKey.PublicKey, a.key)
	if err != nil {
		return nil, err
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: a.leafKey, Leaf: leaf}, nil
}

func (a *Authority) template(host string, now time.Time) (*x509.Certificate, error) {
	id, err := keyID(&a.leafKey.PublicKey)
	if err != nil {
		return nil, err
	}
	serial, err := newSerial()
	if err != nil {
		return nil, err
	}
	t := &x509.Certificate{
		SerialNumber:          serial,
		NotBefore:             latest(now.Add(-skew), a.certificate.NotBefore),
		NotAfter:              earliest(now.Add(leafLifetime), a.certificate.NotAfter),
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		SubjectKeyId:          id,
		AuthorityKeyId:        a.certificate.SubjectKeyId,
	}
	if len(host) <= maxCommonName {
		t.Subject = pkix.Name{CommonName: host}
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		t.IPAddresses = []net.IP{addr.AsSlice()}
	} else {
		t.DNSNames = []string{host}
	}
	return t, nil
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earliest(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
