package main

import (
	"context"
	"crypto/x509"
	"fmt"
	"net/netip"

	"github.com/computclaw/airlock/app/egress"
)

// outside is the way out of boxes, and what they have to trust for it.
type outside struct {
	gateway   *egress.Gateway
	authority []byte // certificate of the instance's authority, PEM
	trusted   []byte // that and the operator's own, PEM: what boxes trust besides their runtime's roots
}

// openOutside makes the way out with the instance's authority. own is the server's listener; a command that is none has the zero address.
func openOutside(ctx context.Context, cfg config, i *instance, own netip.AddrPort) (outside, error) {
	authority, err := i.access.Authority(ctx)
	if err != nil {
		return outside{}, err
	}
	roots, err := upstreamRoots(cfg.ExtraCA)
	if err != nil {
		return outside{}, err
	}
	return outside{
		gateway:   egress.New(egress.Config{LocalServices: cfg.LocalServices, Listener: own, Authority: authority, Known: i.access.SearchSets().Known, Roots: roots}),
		authority: authority.Certificate(),
		trusted:   append(authority.Certificate(), cfg.ExtraCA.pem()...),
	}, nil
}

// upstreamRoots are the host's own roots and the operator's. Nil means the host's own.
func upstreamRoots(extra extraCA) (*x509.CertPool, error) {
	if len(extra.certificates) == 0 {
		return nil, nil
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		return nil, fmt.Errorf("the host's own certificates: %w", err)
	}
	for _, c := range extra.certificates {
		roots.AddCert(c)
	}
	return roots, nil
}
