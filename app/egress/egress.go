package egress

import (
	"context"
	"io"
	"net"
	"net/netip"
	"time"

	"golang.org/x/time/rate"

	"github.com/computclaw/airlock/app"
)

// Config is what the operator decides for all executions.
type Config struct {
	// LocalServices are the exact pairs of AIRLOCK_LOCAL_SERVICES: canonical "name:port" to an address on this host. See ParseLocalServices.
	LocalServices map[string]netip.AddrPort
	// Listener is Airlock's own port; it is never reachable, whatever address it is tried on.
	Listener netip.AddrPort
	// Lookup returns the addresses of a canonical name. Nil asks the system's resolver for both families.
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	// Limits bound each execution. Zero fields take the value of DefaultLimits.
	Limits Limits
}

// Limits bound the egress of one execution.
type Limits struct {
	Connections int           // open at a time
	Rate        float64       // new connections per second; more than that have to wait
	Burst       int           // new connections that need not wait
	Bytes       int64         // both directions, all connections together
	Idle        time.Duration // a connection without a byte either way is cut
	Dial        time.Duration // for waiting, resolving and connecting together
}

// DefaultLimits are those of an instance that configures none.
func DefaultLimits() Limits {
	return Limits{
		Connections: 64,
		Rate:        50,
		Burst:       100,
		Bytes:       10 << 30,
		Idle:        30 * time.Minute, // longer than a wait for the LLM, in which a script's connections rest
		Dial:        10 * time.Second,
	}
}

// Conn is an open connection to an allowed host. Closing it ends its ledger row; closing it again does nothing.
type Conn interface {
	io.ReadWriteCloser
	// CloseWrite ends the sending side, as TCP's FIN does.
	CloseWrite() error
}

// Gateway dials for boxes. One serves the whole process. It is safe for concurrent use.
type Gateway struct {
	local    map[string]netip.AddrPort
	listener netip.AddrPort
	lookup   func(ctx context.Context, host string) ([]netip.Addr, error)
	limits   Limits
	own      *ownAddresses
}

// New returns a Gateway.
func New(cfg Config) *Gateway {
	g := &Gateway{
		local:    make(map[string]netip.AddrPort, len(cfg.LocalServices)),
		listener: unmap(cfg.Listener),
		lookup:   cfg.Lookup,
		limits:   withDefaults(cfg.Limits),
		own:      &ownAddresses{read: net.InterfaceAddrs},
	}
	for place, target := range cfg.LocalServices {
		g.local[place] = unmap(target)
	}
	if g.lookup == nil {
		g.lookup = lookupWith(&net.Resolver{PreferGo: true})
	}
	return g
}

// Session starts the egress of one execution. Entries that are not canonical and references to keys that were not replaced by their
// value match nothing. changed, if not nil, is called from any goroutine after a ledger row was added or has ended; it must not block.
func (g *Gateway) Session(hosts []app.Host, changed func()) *Session {
	if changed == nil {
		changed = func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &Session{
		gateway: g,
		hosts:   canonicalHosts(hosts),
		limiter: rate.NewLimiter(rate.Limit(g.limits.Rate), g.limits.Burst),
		ledger:  newLedger(changed),
		ctx:     ctx,
		cancel:  cancel,
		open:    map[*conn]struct{}{},
	}
	return s
}

func withDefaults(l Limits) Limits {
	d := DefaultLimits()
	if l.Connections <= 0 {
		l.Connections = d.Connections
	}
	if l.Rate <= 0 {
		l.Rate = d.Rate
	}
	if l.Burst <= 0 {
		l.Burst = d.Burst
	}
	if l.Bytes <= 0 {
		l.Bytes = d.Bytes
	}
	if l.Idle <= 0 {
		l.Idle = d.Idle
	}
	if l.Dial <= 0 {
		l.Dial = d.Dial
	}
	return l
}

func unmap(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap(), a.Port())
}
