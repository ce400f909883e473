package conns

import (
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/computclaw/airlock/app/shares"
)

// Listener accepts connections while there is room, and closes others at once.
//
// An address gets as many as it leaves free, so one alone gets half. Safe for concurrent use.
type Listener struct {
	net.Listener
	most    int
	trusted []netip.Prefix
	places  *shares.Shares
	refused atomic.Int64
	log     *slog.Logger
	logged  rate.Sometimes
}

// Listen bounds a listener's connections. Trusted proxies, which carry everybody, have no limit of
// their own.
func Listen(inner net.Listener, most int, trusted []netip.Prefix, log *slog.Logger) *Listener {
	return &Listener{Listener: inner, most: most, trusted: trusted, places: shares.New(most), log: log,
		logged: rate.Sometimes{Interval: time.Minute}}
}

// Accept implements net.Listener.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		raw, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		name := l.shareOf(raw.RemoteAddr())
		if l.places.Enter(name) {
			return newConn(raw, func() { l.places.Leave(name) }), nil
		}
		abort(raw)
		refused := l.refused.Add(1)
		l.logged.Do(func() {
			l.log.Warn("connection limit reached: new connections are refused", "refused", refused, "most", l.most)
		})
	}
}

// shareOf names the share of a connection. Each one of a trusted proxy has its own.
func (l *Listener) shareOf(remote net.Addr) string {
	peer, err := netip.ParseAddrPort(remote.String())
	if err != nil { // no address of a network: all of these are one
		return remote.Network()
	}
	ip := peer.Addr().WithZone("").Unmap()
	for _, p := range l.trusted {
		if p.Contains(ip) {
			return peer.String()
		}
	}
	return Network(ip)
}

// Network returns an IPv4 address or an IPv6 /64, which count as one client.
func Network(ip netip.Addr) string {
	ip = ip.WithZone("").Unmap()
	if ip.Is4() {
		return ip.String()
	}
	prefix, err := ip.Prefix(64)
	if err != nil {
		return ip.String()
	}
	return prefix.String()
}

// abort closes a connection and drops the kernel's data.
func abort(raw net.Conn) {
	if tcp, ok := raw.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	raw.Close()
}

// sendBuffer is SO_SNDBUF in bytes; the kernel doubles it. The default may grow to megabytes.
const sendBuffer = 128 << 10

type conn struct {
	net.Conn
	leave func()
}

func newConn(raw net.Conn, leave func()) conn {
	if tcp, ok := raw.(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(sendBuffer)
	}
	return conn{raw, sync.OnceFunc(leave)}
}

// Close implements net.Conn.
func (c conn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}

// CloseWrite lets net/http answer a request that it refuses before its end.
func (c conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
