package supervisor

import (
	"sync"

	"golang.org/x/sys/unix"
)

// socketPairs makes pairs of connected TCP sockets, all of a box at one port. A port stays busy for
// a minute after its connection's end. With one per connection a script could use up the host's
// ports.
type socketPairs struct {
	mu        sync.Mutex
	listening int
	address   unix.Sockaddr // nil while there is none
}

// pair returns two connected sockets on loopback. Other clients of the port are turned away.
func (m *socketPairs) pair() (client, server int, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.address == nil {
		if err := m.open(); err != nil {
			return -1, -1, err
		}
	}
	m.clear()
	if client, server, err = m.join(); err != nil { // perhaps because strangers fill the queue
		unix.Close(m.listening)
		m.address = nil
	}
	return client, server, err
}

func (m *socketPairs) open() error {
	listening, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	var address unix.Sockaddr
	if err = unix.Bind(listening, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err == nil {
		err = unix.Listen(listening, 8)
	}
	if err == nil {
		address, err = unix.Getsockname(listening)
	}
	if err != nil {
		unix.Close(listening)
		return err
	}
	// Not for ever, should strangers fill the queue.
	_ = unix.SetsockoptTimeval(listening, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: 2})
	m.listening, m.address = listening, address
	return nil
}

// clear turns away strangers that connected since. Where it can't, for want of descriptors, join
// can't either.
func (m *socketPairs) clear() {
	for {
		waiting := []unix.PollFd{{Fd: int32(m.listening), Events: unix.POLLIN}}
		if n, err := unix.Poll(waiting, 0); n < 1 && err != unix.EINTR {
			return
		}
		switch stranger, _, err := unix.Accept4(m.listening, unix.SOCK_CLOEXEC); err {
		case nil:
			unix.Close(stranger)
		case unix.EINTR, unix.ECONNABORTED:
		default: // also EAGAIN, where the stranger has gone by itself
			return
		}
	}
}

func (m *socketPairs) join() (client, server int, err error) {
	client, err = unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, -1, err
	}
	_ = unix.SetsockoptTimeval(client, unix.SOL_SOCKET, unix.SO_SNDTIMEO, &unix.Timeval{Sec: 2})
	if server, err = m.connect(client); err != nil {
		unix.Close(client)
		return -1, -1, err
	}
	_ = unix.SetsockoptTimeval(client, unix.SOL_SOCKET, unix.SO_SNDTIMEO, &unix.Timeval{})
	for _, fd := range []int{client, server} {
		_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
	}
	return client, server, nil
}

// connect connects client and returns the other end.
func (m *socketPairs) connect(client int) (server int, err error) {
	err = unix.Connect(client, m.address)
	// by any signal, because of the time limit; connecting goes on, and the next call waits for it
	for err == unix.EINTR {
		err = unix.Connect(client, m.address)
	}
	if err != nil && err != unix.EISCONN {
		return -1, err
	}
	self, err := unix.Getsockname(client)
	if err != nil {
		return -1, err
	}
	want, _ := self.(*unix.SockaddrInet4)
	for {
		server, from, err := unix.Accept4(m.listening, unix.SOCK_CLOEXEC)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return -1, err
		}
		if got, ok := from.(*unix.SockaddrInet4); ok && want != nil && got.Port == want.Port && got.Addr == want.Addr {
			return server, nil
		}
		unix.Close(server)
	}
}
