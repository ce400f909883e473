package config

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
)

// ExtraCA are certificates that an operator trusts besides the host's own.
type ExtraCA struct {
	path         string
	Certificates []*x509.Certificate
}

// maxExtraCA bounds AIRLOCK_EXTRA_CA: every box gets a copy.
const maxExtraCA = 256 << 10

// setExtraCA reads a file of certificates only: a private key in it would go to every box.
func setExtraCA(c *Config, path string) error {
	text, err := readBounded(path, maxExtraCA)
	if err != nil {
		return err
	}
	certificates, err := parseCertificates([]byte(text))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	c.ExtraCA = ExtraCA{path: path, Certificates: certificates}
	return nil
}

// parseCertificates reads at least one PEM certificate. Text between them is a comment.
func parseCertificates(text []byte) ([]*x509.Certificate, error) {
	var list []*x509.Certificate
	for {
		var block *pem.Block
		block, text = pem.Decode(text)
		if block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			return nil, fmt.Errorf("it holds a %s, and only certificates belong there", block.Type)
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	if len(list) == 0 || bytes.Contains(text, []byte("-----BEGIN")) {
		return nil, errors.New("it is not a list of certificates in PEM")
	}
	return list, nil
}

// Pem returns the certificates and nothing else of the file.
func (e ExtraCA) Pem() []byte {
	var out []byte
	for _, c := range e.Certificates {
		out = append(out, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})...)
	}
	return out
}
