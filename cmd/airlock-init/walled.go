package main

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins/landlock/door"
	"github.com/computclaw/airlock/plugins/landlock/walls"
)

// walled is what is different in a box that shares its host's namespaces. A warden outside holds
// it: connections come from there, since nothing in the box can listen, and freezing is done there,
// since /proc is closed in here.
type walled struct {
	door *door.Door
	abi  int

	asking sync.Mutex // one freeze at a time
	frozen chan bool
}

// enterWalled makes this process the first of a walled box. It fails anywhere else: what ends a box
// here ends all that this process may signal, and only the walls bound that.
func enterWalled() (*walled, error) {
	unix.CloseOnExec(door.FD)
	d, err := door.Open(os.NewFile(door.FD, "door"))
	if err != nil {
		return nil, fmt.Errorf("must be started by a warden: %w", err)
	}
	if err := d.Send(door.Message{Kind: door.Hello}, -1); err != nil {
		return nil, fmt.Errorf("must be started by a warden: %w", err)
	}
	m, _, err := d.Receive()
	if err != nil || m.Kind != door.Welcome {
		return nil, fmt.Errorf("must be started by a warden: %w", err)
	}
	if filtered, err := unix.PrctlRetInt(unix.PR_GET_SECCOMP, 0, 0, 0, 0); err != nil || filtered != 2 {
		return nil, fmt.Errorf("there is no system call filter")
	}
	// Orphans come to us, as they would to PID 1.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("become subreaper: %w", err)
	}
	return &walled{door: d, abi: int(m.ABI), frozen: make(chan bool, 1)}, nil
}

// listen serves the warden until that ends, and the box with it.
func (w *walled) listen(n *network) {
	for {
		m, fd, err := w.door.Receive()
		if err != nil {
			os.Exit(0)
		}
		switch {
		case m.Kind == door.Connect && fd >= 0:
			errno := n.take(m.To, fd)
			_ = w.door.Send(door.Message{Kind: door.Verdict, ID: m.ID, Errno: errno}, -1)
		case m.Kind == door.Frozen:
			select {
			case w.frozen <- m.On:
			default:
			}
		}
	}
}

// begin tells the warden, before a script is there, that one comes.
func (w *walled) begin() error { return w.door.Send(door.Message{Kind: door.Begin}, -1) }

// set implements freezer.
func (w *walled) set(on bool) bool {
	w.asking.Lock()
	defer w.asking.Unlock()
	if w.door.Send(door.Message{Kind: door.Freeze, On: on}, -1) != nil {
		return false
	}
	return <-w.frozen == on
}

// fork starts a process that can neither signal nor trace this one.
func (w *walled) fork(path string, argv []string, attributes *syscall.ProcAttr) (pid int, err error) {
	walls.OnThrowawayThread(func() {
		if err = walls.EnterInner(w.abi); err == nil {
			pid, err = syscall.ForkExec(path, argv, attributes)
		}
	})
	return pid, err
}

// serveWalled makes the resolver answer connections that the warden brings. Localhost is a name
// here, because nothing else says so.
func (n *network) serveWalled(w *walled) {
	n.names.fixed = map[string]netip.Addr{"localhost": netip.AddrFrom4([4]byte{127, 0, 0, 1})}
	n.walledResolver = &resolver{names: n.names, refused: n.refused, slots: make(chan struct{}, resolverClients)}
	go w.listen(n)
}

// take accepts a connection for an address, or says with which error connecting fails.
func (n *network) take(to netip.AddrPort, fd int) unix.Errno {
	file := os.NewFile(uintptr(fd), "connection")
	defer file.Close()
	dns := to == netip.MustParseAddrPort(resolverAddress)
	conn, err := net.FileConn(file)
	if err != nil {
		return unix.ECONNREFUSED
	}
	tcp, ok := conn.(*net.TCPConn)
	if ok && dns && n.walledResolver.admit(tcp) {
		return 0
	}
	if ok && !dns && n.reserve(to.Port()) {
		go n.connect(tcp, to, sync.OnceFunc(n.up.Done))
		return 0
	}
	conn.Close()
	return unix.ECONNREFUSED
}

// reserve counts a connection that is about to be served, if any allowed host has that port.
func (n *network) reserve(port uint16) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed || !slices.Contains(n.ports, int(port)) {
		return false
	}
	n.up.Add(1)
	return true
}

// launcher starts the interpreter in here. Names are asked for over TCP, because a box without a
// network of its own has no datagrams. The user's name is what it is in every other box, where
// /etc/passwd says it; oracledb can't be imported by somebody without one.
func (w *walled) launcher() launcher {
	return launcher{fork: w.fork, env: []string{"RES_OPTIONS=use-vc", "LOGNAME=nobody"}}
}
