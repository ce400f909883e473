package main

import (
	"net"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/yamux"

	"github.com/computclaw/airlock/cmd/airlock-init/internal/resolver"
	"github.com/computclaw/airlock/plugins/wire"
)

func tcpPair(t *testing.T) (ours, theirs *net.TCPConn) {
	t.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	script, err := net.Dial("tcp4", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	box, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { script.Close(); box.Close() })
	return box.(*net.TCPConn), script.(*net.TCPConn)
}

func fullQueue(t *testing.T) (*queue, *net.TCPConn, *net.TCPConn) {
	t.Helper()
	ours, theirs := tcpPair(t)
	q := newQueue()
	for range wire.MaxConnects {
		if admitted, waited := q.join(ours); !admitted || waited {
			t.Fatal("a place was refused while there are some")
		}
	}
	return q, ours, theirs
}

func TestAConnectionWaitsForAPlace(t *testing.T) {
	q, ours, _ := fullQueue(t)
	joined := make(chan bool)
	go func() {
		admitted, waited := q.join(ours)
		joined <- admitted && waited
	}()
	select {
	case <-joined:
		t.Fatal("it did not wait")
	case <-time.After(50 * time.Millisecond):
	}
	q.leave()
	if !<-joined {
		t.Error("it was refused, though a place became free")
	}
}

func TestAConnectionIsRefusedWhereNoPlaceBecomesFree(t *testing.T) {
	q, ours, _ := fullQueue(t)
	q.patience = 10 * time.Millisecond
	if admitted, _ := q.join(ours); admitted {
		t.Error("admitted without a place")
	}
	q.patience = time.Minute
	for range wire.MaxWaiting {
		q.waiting <- struct{}{}
	}
	if admitted, _ := q.join(ours); admitted {
		t.Error("more wait than may")
	}
}

func TestAPlaceIsNotGivenToAScriptThatGaveUp(t *testing.T) {
	q, ours, theirs := fullQueue(t)
	joined := make(chan bool)
	go func() {
		admitted, _ := q.join(ours)
		joined <- admitted
	}()
	theirs.Close()
	time.Sleep(50 * time.Millisecond)
	q.leave()
	if <-joined {
		t.Error("admitted a connection that its script has closed")
	}
	if len(q.open) != wire.MaxConnects-1 {
		t.Errorf("%d places taken, want %d", len(q.open), wire.MaxConnects-1)
	}
}

func TestConnectionsInAllAreLimited(t *testing.T) {
	n := &network{queue: newQueue(), total: wire.MaxConnections - 1}
	ours, _ := tcpPair(t)
	if _, limit := n.admit(ours); limit != "" {
		t.Errorf("the last connection meets the limit %q", limit)
	}
	if _, limit := n.admit(ours); limit != wire.LimitTotal {
		t.Errorf("one more meets the limit %q, want %q", limit, wire.LimitTotal)
	}
}

// TestAPlaceThatComesTooLateIsToldOf closes a connection that waited just after its place came,
// unused: the limit is reported before the script's direction counts as sent.
func TestAPlaceThatComesTooLateIsToldOf(t *testing.T) {
	ours, theirs := tcpPair(t)
	here, there := net.Pipe()
	guestEnd, err := yamux.Client(here, nil)
	if err != nil {
		t.Fatal(err)
	}
	engine, err := yamux.Server(there, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { guestEnd.Close(); engine.Close() })
	n := &network{
		guest: &guest{mux: guestEnd}, names: resolver.NewNames(), queue: newQueue(),
		open: map[uint32]*connection{}, reported: map[wire.Header]bool{},
	}
	n.names.Allow([]wire.Host{{Name: "raw.test", Ports: []int{7}}})
	to, _ := n.names.Lookup("raw.test")
	for range wire.MaxConnects {
		n.queue.join(ours)
	}
	sent := make(chan struct{})
	go n.connect(ours, netip.AddrPortFrom(to, 7), sync.OnceFunc(func() { close(sent) }))
	for len(n.queue.waiting) == 0 {
		time.Sleep(time.Millisecond)
	}
	n.queue.leave()
	asked := func() (*yamux.Stream, wire.Header) {
		stream, err := engine.AcceptStream()
		if err != nil {
			t.Fatal(err)
		}
		header, err := wire.ReadHeader(stream)
		if err != nil {
			t.Fatal(err)
		}
		return stream, header
	}
	stream, header := asked()
	if header.Limit != "" {
		t.Fatalf("asked for the place with the limit %q", header.Limit)
	}
	if err := wire.Write(stream, wire.ConnectReply{OK: true}); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	report, header := asked()
	if header.Host != "raw.test" || header.Port != 7 || header.Limit != wire.LimitOpen {
		t.Errorf("reported %+v", header)
	}
	select {
	case <-sent:
		t.Error("the script's direction ended before the report was answered")
	default:
	}
	if err := wire.Write(report, wire.ConnectReply{}); err != nil {
		t.Fatal(err)
	}
	<-sent
	stream.Close()
}
