package main

import (
	"net"
	"testing"
	"time"

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
		if !q.join(ours) {
			t.Fatal("a place was refused while there are some")
		}
	}
	return q, ours, theirs
}

func TestAConnectionWaitsForAPlace(t *testing.T) {
	q, ours, _ := fullQueue(t)
	joined := make(chan bool)
	go func() { joined <- q.join(ours) }()
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
	if q.join(ours) {
		t.Error("admitted without a place")
	}
	q.patience = time.Minute
	for range wire.MaxWaiting {
		q.waiting <- struct{}{}
	}
	if q.join(ours) {
		t.Error("more wait than may")
	}
}

func TestAPlaceIsNotGivenToAScriptThatGaveUp(t *testing.T) {
	q, ours, theirs := fullQueue(t)
	joined := make(chan bool)
	go func() { joined <- q.join(ours) }()
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
	if limit := n.admit(ours); limit != "" {
		t.Errorf("the last connection meets the limit %q", limit)
	}
	if limit := n.admit(ours); limit != wire.LimitTotal {
		t.Errorf("one more meets the limit %q, want %q", limit, wire.LimitTotal)
	}
}
