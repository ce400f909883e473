package instance

import (
	"context"
	"crypto/x509"
	"fmt"
	"net/netip"

	"github.com/computclaw/airlock/app/egress"
	"github.com/computclaw/airlock/app/testrequest"
	"github.com/computclaw/airlock/cmd/airlock/internal/config"
)

// Network is the boxes' way out, and the certificates they trust for it.
type Network struct {
	Gateway   *egress.Gateway
	Authority []byte // certificate of the instance's authority, PEM
	Trusted   []byte // that and the operator's own, PEM: what boxes trust besides their runtime's roots
}

// OpenNetwork opens the way out with the instance's authority. own: the server's listener, or the
// zero address.
func OpenNetwork(ctx context.Context, cfg config.Config, i *Instance, own netip.AddrPort) (Network, error) {
	authority, err := i.Access.Authority.Get(ctx)
	if err != nil {
		return Network{}, err
	}
	roots, err := upstreamRoots(cfg.ExtraCA)
	if err != nil {
		return Network{}, err
	}
	return Network{
		Gateway: egress.New(egress.Config{LocalServices: cfg.LocalServices, Listener: own, Authority: authority,
			Known: i.Access.SearchSets.ValuesFor, Roots: roots}),
		Authority: authority.Certificate(),
		Trusted:   append(authority.Certificate(), cfg.ExtraCA.Pem()...),
	}, nil
}

func upstreamRoots(extra config.ExtraCA) (*x509.CertPool, error) {
	if len(extra.Certificates) == 0 {
		return nil, nil
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		return nil, fmt.Errorf("the host's own certificates: %w", err)
	}
	for _, c := range extra.Certificates {
		roots.AddCert(c)
	}
	return roots, nil
}

// Tester tests credentials on the scripts' way. aside: the settings may differ from the server's.
func (o Network) Tester(i *Instance, aside bool) *testrequest.Tester {
	return testrequest.New(testrequest.Config{Access: i.Access, Gateway: o.Gateway, Authority: o.Authority, Aside: aside})
}
