package egress

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/netip"
	"slices"
	"time"

	"golang.org/x/time/rate"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/ca"
	"github.com/computclaw/airlock/app/egress/swap"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/plugins/wire"
)

// Config holds the operator's decisions for all executions.
type Config struct {
	// LocalServices are the exact pairs of AIRLOCK_LOCAL_SERVICES: canonical "name:port" to an
	// address. See ParseLocalServices.
	LocalServices map[string]netip.AddrPort
	// Listener is Airlock's own port, which is never reachable at any address.
	Listener netip.AddrPort
	// Lookup returns the addresses of a canonical name. Nil asks the system's resolver.
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	// Limits bound each execution. Zero fields mean DefaultLimits.
	Limits Limits
	// Authority issues certificates of intercepted hosts. Without one, hosts with a sealed
	// credential are refused.
	Authority *ca.Authority
	// Known returns the values of all credentials of a canonical host and port, if one is sealed;
	// else nil. It is called for every connection and answer, from any goroutine. After an error
	// nothing of the host passes. A nil Known knows nothing.
	Known func(ctx context.Context, host string, port int) (*swap.Values, error)
	// Roots verify intercepted hosts. Nil means the system's.
	Roots *x509.CertPool
}

// Grant is an execution's hosts and credentials.
type Grant struct {
	Hosts  []app.Host
	Sealed []secrets.Resolved
	Given  []app.Secret // values that the script holds itself: they are not withheld from it
}

// Limits bound the egress of one execution.
type Limits struct {
	Connections int     // open at a time
	Rate        float64 // new connections per second; more than that have to wait
	Burst       int     // new connections that need not wait
	// requests per second on connections that are read; more have to wait. As many again need not
	Requests float64
	Bytes    int64         // both directions, all connections together
	Idle     time.Duration // a connection without a byte either way is cut
	Dial     time.Duration // for waiting, resolving and connecting together; for a TLS handshake once more
	Head     time.Duration // for a TLS hello, or the head of a request once it has begun
	Names    int           // different names that wildcard entries are used for
}

// DefaultLimits apply where an instance configures none.
func DefaultLimits() Limits {
	return Limits{
		Connections: wire.MaxConnects,
		Rate:        50,
		Burst:       100,
		Requests:    500,
		Bytes:       10 << 30,
		Idle:        30 * time.Minute, // longer than a wait for the LLM, in which a script's connections rest
		Dial:        10 * time.Second,
		Head:        15 * time.Second,
		Names:       100,
	}
}

// Conn is an open connection to an allowed host. Closing it ends its ledger row; again does
// nothing.
type Conn interface {
	io.ReadWriteCloser
	// CloseWrite ends the sending side, as TCP's FIN does.
	CloseWrite() error
}

// Gateway dials for all boxes of the process. It is safe for concurrent use.
type Gateway struct {
	local    map[string]netip.AddrPort
	listener netip.AddrPort
	lookup   func(ctx context.Context, host string) ([]netip.Addr, error)
	limits   Limits
	own      *ownAddresses

	authority *ca.Authority
	known     func(ctx context.Context, host string, port int) (*swap.Values, error)
	roots     *x509.CertPool
}

// New returns a Gateway.
func New(cfg Config) *Gateway {
	g := &Gateway{
		local:    make(map[string]netip.AddrPort, len(cfg.LocalServices)),
		listener: unmap(cfg.Listener),
		lookup:   cfg.Lookup,
		limits:   withDefaults(cfg.Limits),
		own:      &ownAddresses{read: net.InterfaceAddrs},

		authority: cfg.Authority,
		known:     cfg.Known,
		roots:     cfg.Roots,
	}
	for place, target := range cfg.LocalServices {
		g.local[place] = unmap(target)
	}
	if g.known == nil {
		g.known = func(context.Context, string, int) (*swap.Values, error) { return nil, nil }
	}
	if g.lookup == nil {
		g.lookup = lookupWith(&net.Resolver{PreferGo: true})
	}
	return g
}

// Session starts the egress of one execution. Entries that are not canonical, and unreplaced
// references to keys, match nothing. changed, if not nil, is called from any goroutine after a
// ledger row was added or ended; it must not block.
func (g *Gateway) Session(grant Grant, changed func()) *Session {
	if changed == nil {
		changed = func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	swapper := swap.New(grant.Sealed, grant.Given...)
	return &Session{
		gateway:  g,
		hosts:    canonicalHosts(grant.Hosts),
		sealed:   slices.Clone(grant.Sealed),
		outgoing: swapper,
		incoming: swapper,
		limiter:  rate.NewLimiter(rate.Limit(g.limits.Rate), g.limits.Burst),
		requests: rate.NewLimiter(rate.Limit(g.limits.Requests), int(g.limits.Requests)+1),
		ledger:   newLedger(changed),
		tickets:  tls.NewLRUClientSessionCache(g.limits.Connections),
		ctx:      ctx,
		cancel:   cancel,
		wild:     map[string]struct{}{},
		open:     map[*link]struct{}{},
	}
}

func withDefaults(l Limits) Limits {
	d := DefaultLimits()
	return Limits{
		Connections: positive(l.Connections, d.Connections),
		Rate:        positive(l.Rate, d.Rate),
		Burst:       positive(l.Burst, d.Burst),
		Requests:    positive(l.Requests, d.Requests),
		Bytes:       positive(l.Bytes, d.Bytes),
		Idle:        positive(l.Idle, d.Idle),
		Dial:        positive(l.Dial, d.Dial),
		Head:        positive(l.Head, d.Head),
		Names:       positive(l.Names, d.Names),
	}
}

func positive[T cmp.Ordered](n, otherwise T) T {
	var zero T
	if n > zero {
		return n
	}
	return otherwise
}

func unmap(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap(), a.Port())
}
