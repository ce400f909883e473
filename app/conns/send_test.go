package conns

import (
	"net"
	"testing"

	"golang.org/x/sys/unix"
)

// TestKernelHoldsLittleOfAnAnswer: what the kernel takes of an answer that nobody reads counts as
// taken, so it must be little.
func TestKernelHoldsLittleOfAnAnswer(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer inner.Close()
	listener := New(Config{Most: 10}).Listener(inner)
	client, err := net.Dial("tcp", inner.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	accepted, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer accepted.Close()
	raw, err := accepted.(*Conn).Conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	size, failed := 0, error(nil)
	err = raw.Control(func(fd uintptr) { size, failed = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_SNDBUF) })
	if err != nil || failed != nil || size > 2*sendBuffer {
		t.Errorf("%d bytes, %v, %v", size, err, failed)
	}
}
