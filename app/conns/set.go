package conns

import (
	"container/list"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"time"
)

// Config is what a Set needs.
type Config struct {
	Most    int            // connections that are open at once; at least 1
	Bytes   int64          // that all of them hold while they wait for their other end
	Trusted []netip.Prefix // proxies, which have no share of their own
	Log     *slog.Logger
	Now     func() time.Time // nil: time.Now
}

// Set is the connections of one server. It is safe for concurrent use.
type Set struct {
	cfg       Config
	mu        sync.Mutex
	addresses map[string]*address
	waiting   list.List // of *Conn, the one that has waited longest first
	open      int
	held      int64
	refused   int64
	closed    int64
	logged    time.Time // last log line about refusals
	unlogged  [2]int64  // refused and closed since then
}

// address counts the connections from one address and the bytes that they hold.
type address struct {
	trusted bool
	open    int64
	held    int64
}

// State is how a Set stands.
type State struct {
	Open    int
	Most    int
	Held    int64 // bytes
	Refused int64 // new connections, since the start
	Closed  int64 // connections that waited for their other end and gave way to others, since the start
}

// New returns a Set without connections.
func New(cfg Config) *Set {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Set{cfg: cfg, addresses: map[string]*address{}}
}

// State returns how the set stands.
func (s *Set) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return State{Open: s.open, Most: s.cfg.Most, Held: s.held, Refused: s.refused, Closed: s.closed}
}

// sendBuffer is SO_SNDBUF of each connection, in bytes; the kernel doubles it. By default the kernel
// buffers megabytes, and a peer that reads nothing would look as if it had read them.
const sendBuffer = 128 << 10

// admit counts a new connection. It returns nil if there is no room, after closing it.
func (s *Set) admit(raw net.Conn) *Conn {
	if tcp, ok := raw.(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(sendBuffer)
	}
	c, victim := s.add(raw)
	victim.cut()
	if c == nil {
		s.logRefusal(&s.refused, 0)
		abort(raw)
	}
	return c
}

func (s *Set) add(raw net.Conn) (c, victim *Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key, from := s.addressOf(raw.RemoteAddr())
	free := int64(s.cfg.Most - s.open)
	if free <= 0 || !from.trusted && from.open >= free {
		if victim = s.victim(from, free <= 0, (*address).connections, (*Conn).one); victim == nil {
			return nil, nil
		}
		s.forgetLocked(victim)
	}
	c = &Conn{Conn: raw, set: s, key: key, from: from}
	s.addresses[key] = from
	s.open++
	from.open++
	c.place = s.waiting.PushBack(c)
	return c, victim
}

// hold counts bytes that a connection holds while it waits for its other end, and makes room for
// them. The connection itself may have to give way. It returns how many were counted.
func (s *Set) hold(c *Conn, n int) int64 {
	more, victims := s.holdMore(c, n)
	for _, victim := range victims {
		victim.cut()
	}
	return more
}

func (s *Set) holdMore(c *Conn, n int) (more int64, victims []*Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.gone || c.place == nil {
		return 0, nil
	}
	more = min(int64(n), mostOfOne-c.held)
	c.held += more
	c.from.held += more
	s.held += more
	for !c.gone {
		free := s.cfg.Bytes - s.held
		if free >= 0 && (c.from.trusted || c.from.held <= free) {
			break
		}
		victim := s.victim(c.from, free < 0, (*address).bytes, (*Conn).bytes)
		if victim == nil {
			break
		}
		s.forgetLocked(victim)
		victims = append(victims, victim)
	}
	return more, victims
}

// victim is the connection that gives way to one from an address: of the address that has most the
// one that has waited longest, or if none of it waits, the longest of those that have no less. Who
// comes through a trusted proxy may be anybody, so there only the time counts. nil if nobody has to
// give way.
func (s *Set) victim(from *address, full bool, has func(*address) int64, holds func(*Conn) int64) *Conn {
	richest := from
	for _, a := range s.addresses {
		if !a.trusted && has(a) > has(richest) {
			richest = a
		}
	}
	var other *Conn
	for e := s.waiting.Front(); e != nil; e = e.Next() {
		c, ok := e.Value.(*Conn)
		if !ok || holds(c) == 0 {
			continue
		}
		switch {
		case from.trusted || c.from == richest:
			return c
		case other != nil:
		case c.from.trusted && full, !c.from.trusted && has(c.from) > 0 && has(c.from) >= has(from):
			other = c
		}
	}
	return other
}

func (a *address) connections() int64 { return a.open }
func (a *address) bytes() int64       { return a.held }
func (c *Conn) one() int64            { return 1 }
func (c *Conn) bytes() int64          { return c.held }

// forgetLocked takes a connection out of the set.
func (s *Set) forgetLocked(c *Conn) {
	if c.gone {
		return
	}
	s.releaseLocked(c, c.held)
	s.busyLocked(c)
	c.gone = true
	s.open--
	if c.from.open--; c.from.open == 0 {
		delete(s.addresses, c.key)
	}
}

// releaseLocked gives back bytes that a connection holds.
func (s *Set) releaseLocked(c *Conn, bytes int64) {
	c.held -= bytes
	c.from.held -= bytes
	s.held -= bytes
}

// busyLocked notes that a connection doesn't wait for its other end.
func (s *Set) busyLocked(c *Conn) {
	if c.place != nil {
		s.waiting.Remove(c.place)
		c.place = nil
	}
}

// waitsLocked notes that a connection waits for its other end from now on.
func (s *Set) waitsLocked(c *Conn) {
	s.busyLocked(c)
	if !c.gone {
		c.place = s.waiting.PushBack(c)
	}
}

// addressOf is the address that a connection comes from.
func (s *Set) addressOf(remote net.Addr) (key string, a *address) {
	peer, err := netip.ParseAddrPort(remote.String())
	if err != nil { // no address of a network: all of these are one
		key = remote.Network()
	} else {
		ip := peer.Addr().WithZone("").Unmap()
		key = Network(ip)
		for _, p := range s.cfg.Trusted {
			if p.Contains(ip) {
				key = ip.String()
				a = &address{trusted: true}
			}
		}
	}
	if known := s.addresses[key]; known != nil {
		return key, known
	}
	if a == nil {
		a = &address{}
	}
	return key, a
}

// Network is what counts as one client: an IPv4 address, or a /64 of IPv6, which is what one
// machine has to itself.
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
