package main

import (
	"errors"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/yamux"

	"github.com/computclaw/airlock/cmd/airlock-init/internal/resolver"
	"github.com/computclaw/airlock/plugins/wire"
)

// network is the script's network: the resolver and a listener per allowed port.
type network struct {
	guest  *guest
	names  *resolver.Names
	broken error  // why there is no resolver
	queue  *queue // of connections for places to be open

	supervisedResolver *resolver.Resolver // of a box without listeners
	listeners          []net.Listener
	accepting          sync.WaitGroup
	up                 sync.WaitGroup // connections whose script may still have bytes on their way out

	mu     sync.Mutex
	ports  []int                  // that some host is allowed at
	closed bool                   // no more connections
	total  int                    // connections made
	open   map[uint32]*connection // by stream id

	reported map[wire.Header]bool // what was refused in the box

	reporting sync.Mutex // one report at a time, because the engine counts streams
}

// openNetwork starts a resolver without names while the box waits for its script.
func openNetwork(g *guest) *network {
	n := &network{
		guest: g, names: resolver.NewNames(),
		queue: newQueue(), open: map[uint32]*connection{},
		reported: map[wire.Header]bool{},
	}
	if g.supervisor != nil {
		n.serveSupervised(g.supervisor)
		return n
	}
	udp, tcp, err := g.box.resolver()
	if n.broken = err; err == nil {
		resolver.Open(n.names, n.reportRefused, udp, tcp)
	}
	if syns := g.box.syns(); syns != nil {
		go syns.watch(n.refuseUnlisted)
	}
	return n
}

// allow binds the script's names and ports. It fails if a granted one can't be bound.
func (n *network) allow(hosts []wire.Host) error {
	if len(hosts) > 0 && n.broken != nil {
		return n.broken
	}
	n.names.Allow(hosts)
	var ports []int
	for _, host := range hosts {
		ports = append(ports, host.Ports...)
	}
	slices.Sort(ports)
	ports = slices.Compact(ports)
	n.mu.Lock()
	n.ports = ports
	n.mu.Unlock()
	if n.guest.supervisor != nil {
		return nil
	}
	for _, port := range ports {
		listener, err := n.guest.box.listen(port)
		if err != nil {
			return err
		}
		n.listeners = append(n.listeners, listener)
		n.accepting.Go(func() { n.accept(listener) })
	}
	return nil
}

// flush stops accepting and waits until open connections are sent. A kernel would also send what a
// process left.
func (n *network) flush() {
	if syns := n.guest.box.syns(); syns != nil {
		syns.drain(n.refuseUnlisted)
	}
	for _, listener := range n.listeners {
		listener.Close()
	}
	n.accepting.Wait()
	n.mu.Lock()
	n.closed = true
	n.mu.Unlock()
	n.up.Wait()
}

func (n *network) accept(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(time.Millisecond)
			continue
		}
		n.up.Add(1)
		tcp := conn.(*net.TCPConn)
		go n.connect(tcp, tcp.LocalAddr().(*net.TCPAddr).AddrPort(), sync.OnceFunc(n.up.Done))
	}
}

// connect serves one connection to the address to, which tells the name. It calls sent once all of
// the script's bytes are on their way.
func (n *network) connect(conn *net.TCPConn, to netip.AddrPort, sent func()) {
	defer sent()
	name, ok := n.names.Find(to.Addr().Unmap())
	if !ok {
		reset(conn)
		return
	}
	header := wire.Header{Kind: wire.Connect, Host: name, Port: int(to.Port())}
	if limit := n.admit(conn); limit != "" {
		header.Limit = limit
		n.reportOnce(header) // first, so that the row is there when the script fails
		reset(conn)
		return
	}
	defer n.queue.leave()
	stream, err := n.guest.mux.OpenStream()
	if err != nil {
		reset(conn)
		return
	}
	c := n.remember(stream, conn) // before asking: the engine may abort as soon as it has agreed
	defer c.close()
	if !ask(stream, header) {
		reset(conn)
		return
	}
	c.relay(sent)
}

// admit returns once a connection may pass, or with the limit that stops it.
func (n *network) admit(conn *net.TCPConn) wire.Limit {
	switch {
	case !n.count():
		return wire.LimitTotal
	case !n.queue.join(conn):
		return wire.LimitOpen
	}
	return ""
}

func ask(stream *yamux.Stream, header wire.Header) bool {
	if err := wire.Write(stream, header); err != nil {
		return false
	}
	reply, err := wire.ReadConnectReply(stream)
	return err == nil && reply.OK
}

// reportRefused reports an unknown name to the ledger: a connect with port 0, never made. record:
// the record type asked for, if not addresses.
func (n *network) reportRefused(name, record string) {
	n.reportOnce(wire.Header{Kind: wire.Connect, Host: name, Record: record})
}

// reportOnce reports a header once: up to wire.MaxRefusals names, as many ports and as many limits.
// The last report of names or ports carries the limit that ends them.
func (n *network) reportOnce(header wire.Header) {
	n.mu.Lock()
	alike, known := 0, n.reported[header]
	for other := range n.reported {
		if (other.Port == 0) == (header.Port == 0) && (other.Limit == "") == (header.Limit == "") {
			alike++
		}
	}
	known = known || alike >= wire.MaxRefusals
	if !known {
		n.reported[header] = true
	}
	n.mu.Unlock()
	if known {
		return
	}
	if header.Limit == "" && alike == wire.MaxRefusals-1 {
		header.Limit = wire.LimitRefusals
	}
	n.reporting.Lock()
	defer n.reporting.Unlock()
	n.report(header)
}

// report sends the engine a header to record, and waits until it is recorded.
func (n *network) report(header wire.Header) {
	if header.Limit == "" && !n.count() {
		return
	}
	stream, err := n.guest.mux.OpenStream()
	if err != nil {
		return
	}
	defer stream.Close()
	ask(stream, header)
}

// refuseUnlisted reports a connection to a port without listener. The engine refuses and records
// it.
func (n *network) refuseUnlisted(to netip.AddrPort) {
	name, ok := n.names.Find(to.Addr().Unmap())
	n.mu.Lock()
	listed := n.closed || slices.Contains(n.ports, int(to.Port()))
	n.mu.Unlock()
	if ok && !listed && to.Port() != 0 {
		n.reportOnce(wire.Header{Kind: wire.Connect, Host: name, Port: int(to.Port())})
	}
}

// count admits a connection, up to the number of an attack.
func (n *network) count() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.total++
	return n.total <= wire.MaxConnections
}
