package conns

import "net"

// Listener returns a listener whose connections belong to the set. What comes to it while there is
// no room is closed at once.
func (s *Set) Listener(inner net.Listener) net.Listener { return listener{inner, s} }

type listener struct {
	net.Listener
	set *Set
}

// Accept implements net.Listener.
func (l listener) Accept() (net.Conn, error) {
	for {
		raw, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if c := l.set.admit(raw); c != nil {
			return c, nil
		}
	}
}
