package ca

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"sync"
	"time"
)

// lifetime is how long an Authority's certificate is valid.
const lifetime = 10 * 365 * 24 * time.Hour

// skew is how far certificates are backdated, for clocks that differ.
const skew = time.Hour

const pemType = "CERTIFICATE"

// Authority issues certificates. It is safe for concurrent use.
type Authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	leafKey     *ecdsa.PrivateKey
	now         func() time.Time

	mu    sync.Mutex
	cache map[string]*tls.Certificate
}

// New makes an Authority with a new ECDSA P-256 key, valid for ten years.
func New(now time.Time) (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	id, err := keyID(&key.PublicKey)
	if err != nil {
		return nil, err
	}
	serial, err := newSerial()
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: serial,
		Subject: pkix.Name{CommonName: "Airlock " + hex.EncodeToString(id[:4]),
			Organization: []string{"Airlock"}},
		NotBefore:             now.Add(-skew),
		NotAfter:              now.Add(lifetime),
		IsCA:                  true,
		BasicConstraintsValid: true,
		MaxPathLenZero:        true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		SubjectKeyId:          id,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, fmt.Errorf("sign the authority's certificate: %w", err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("read the authority's certificate: %w", err)
	}
	return newAuthority(certificate, key)
}

// Load returns the Authority of a certificate and its key. It fails unless they are exactly one
// authority's. An expired one loads, but issues nothing.
func Load(certificatePEM, key []byte) (*Authority, error) {
	certificate, err := parseCertificate(certificatePEM)
	if err != nil {
		return nil, fmt.Errorf("the authority's certificate: %w", err)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("the authority's key is not PKCS #8: %w", err)
	}
	private, ok := parsed.(*ecdsa.PrivateKey)
	if !ok || private.Curve != elliptic.P256() {
		return nil, errors.New("the authority's key is not an ECDSA key on P-256")
	}
	if !private.PublicKey.Equal(certificate.PublicKey) {
		return nil, errors.New("the authority's key does not belong to its certificate")
	}
	a, err := newAuthority(certificate, private)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(a.Key(), key) {
		return nil, errors.New("the authority's key is not encoded as Key does it")
	}
	return a, nil
}

func parseCertificate(text []byte) (*x509.Certificate, error) {
	block, rest := pem.Decode(text)
	switch {
	case block == nil || block.Type != pemType || len(block.Headers) != 0:
		return nil, errors.New("it is not a certificate in PEM")
	case len(bytes.TrimSpace(rest)) != 0 || !bytes.HasPrefix(text, []byte("-----BEGIN")):
		return nil, errors.New("there is more than one certificate")
	}
	c, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, err
	}
	switch {
	case !c.IsCA || !c.BasicConstraintsValid || c.KeyUsage&x509.KeyUsageCertSign == 0:
		return nil, errors.New("it is not an authority's")
	case len(c.SubjectKeyId) == 0:
		return nil, errors.New("it has no subject key identifier")
	}
	if err := c.CheckSignatureFrom(c); err != nil {
		return nil, fmt.Errorf("it is not signed by itself: %w", err)
	}
	return c, nil
}

func newAuthority(certificate *x509.Certificate, key *ecdsa.PrivateKey) (*Authority, error) {
	leafKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	return &Authority{certificate: certificate, key: key, leafKey: leafKey, now: time.Now,
		cache: map[string]*tls.Certificate{}}, nil
}

// Certificate is the Authority's own, in PEM. It is not secret.
func (a *Authority) Certificate() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: pemType, Bytes: a.certificate.Raw})
}

// Key is the private key in PKCS #8 (DER), to be stored sealed.
func (a *Authority) Key() []byte {
	der, err := x509.MarshalPKCS8PrivateKey(a.key)
	if err != nil {
		panic("ca: a key on P-256 can always be encoded: " + err.Error())
	}
	return der
}

// Expires is when the Authority's certificate ends.
func (a *Authority) Expires() time.Time { return a.certificate.NotAfter }

// keyID returns a public key's identifier: 20 bytes of SHA-256 (RFC 7093).
func keyID(key *ecdsa.PublicKey) ([]byte, error) {
	bits, err := key.Bytes()
	if err != nil {
		return nil, fmt.Errorf("encode a public key: %w", err)
	}
	sum := sha256.Sum256(bits)
	return sum[:20], nil
}

// newSerial returns a positive random number of 127 bits.
func newSerial() (*big.Int, error) {
	n, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, fmt.Errorf("make a serial number: %w", err)
	}
	return n.Add(n, big.NewInt(1)), nil
}
