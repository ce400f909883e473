package main

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/cmd/airlock-init/internal/resolver"
	"github.com/computclaw/airlock/plugins/fdlink"
	"github.com/computclaw/airlock/plugins/landlock/ruleset"
	"github.com/computclaw/airlock/plugins/landlock/supervisor"
)

type supervised struct {
	*own
	*supervisorLink
}

// supervisorLink connects a box without its own namespaces to its supervisor. The supervisor brings
// connections, since nothing here can listen, and freezes, since /proc is closed.
type supervisorLink struct {
	link *fdlink.Link
	abi  int

	asking sync.Mutex // one freeze at a time
	frozen chan bool
}

// joinSupervisor makes this process the first of a supervised box. It fails elsewhere: ending a box
// kills all that this process may signal, bounded only by the ruleset.
func joinSupervisor() (*supervisorLink, error) {
	unix.CloseOnExec(supervisor.LinkFD)
	link, abi, err := greetSupervisor(os.NewFile(supervisor.LinkFD, "supervisor"))
	if err != nil {
		return nil, fmt.Errorf("must be started by a supervisor: %w", err)
	}
	if filtered, err := unix.PrctlRetInt(unix.PR_GET_SECCOMP, 0, 0, 0, 0); err != nil || filtered != 2 {
		return nil, fmt.Errorf("there is no system call filter")
	}
	// Orphans come to us, as to PID 1.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("become subreaper: %w", err)
	}
	return &supervisorLink{link: link, abi: abi, frozen: make(chan bool, 1)}, nil
}

var errGreeting = errors.New("it did not answer the greeting")

// greetSupervisor returns the supervisor's connection and the Landlock version it applied.
func greetSupervisor(file *os.File) (l *fdlink.Link, abi int, err error) {
	if l, err = fdlink.Open(file); err != nil {
		return nil, 0, err
	}
	if err := l.Send(supervisor.Message{Kind: supervisor.Hello}); err != nil {
		return nil, 0, err
	}
	var m supervisor.Message
	fds, err := l.Receive(&m)
	fdlink.CloseAll(fds)
	if err == nil && m.Kind != supervisor.Welcome {
		err = errGreeting
	}
	return l, m.ABI, err
}

func (w *supervisorLink) serve(n *network) {
	for {
		var m supervisor.Message
		fds, err := w.link.Receive(&m)
		if err != nil {
			os.Exit(0)
		}
		switch {
		case m.Kind == supervisor.Connect && len(fds) == 1:
			errno := n.take(m.To, fds[0])
			_ = w.link.Send(supervisor.Message{Kind: supervisor.Verdict, ID: m.ID, Errno: errno})
		case m.Kind == supervisor.Frozen:
			select {
			case w.frozen <- m.On:
			default:
			}
		}
	}
}

// begin announces a script to the supervisor.
func (w *supervisorLink) begin() error {
	return w.link.Send(supervisor.Message{Kind: supervisor.Begin})
}

// Set has the supervisor do it, which can see the processes.
func (s *supervised) Set(on bool) bool {
	s.asking.Lock()
	defer s.asking.Unlock()
	if s.link.Send(supervisor.Message{Kind: supervisor.Freeze, On: on}) != nil {
		return !on
	}
	return <-s.frozen
}

// fork starts a process that can't signal or trace this one.
func (s *supervised) fork(path string, argv []string, attributes *syscall.ProcAttr) (pid int, err error) {
	ruleset.OnThrowawayThread(func() {
		if err = ruleset.EnforceInner(s.abi); err == nil {
			pid, err = syscall.ForkExec(path, argv, attributes)
		}
	})
	return pid, err
}

// serveSupervised answers connections that the supervisor brings. It also resolves localhost and
// the machine's name.
func (n *network) serveSupervised(w *supervisorLink) {
	n.names = resolver.OwnNames()
	n.supervisedResolver = resolver.New(n.names, n.reportRefused)
	go w.serve(n)
}

// take accepts a connection, or returns its error number.
func (n *network) take(to netip.AddrPort, fd int) unix.Errno {
	file := os.NewFile(uintptr(fd), "connection")
	defer file.Close()
	dns := to == netip.MustParseAddrPort(resolver.Address)
	conn, err := net.FileConn(file)
	if err != nil {
		return unix.ECONNREFUSED
	}
	tcp, ok := conn.(*net.TCPConn)
	if ok && dns {
		go n.supervisedResolver.ServeInTurn(tcp)
		return 0
	}
	if ok && n.reserve(to.Port()) {
		go n.connect(tcp, to, sync.OnceFunc(n.up.Done))
		return 0
	}
	conn.Close()
	n.refuseUnlisted(to)
	return unix.ECONNREFUSED
}

// reserve counts a connection to be served, if an allowed host has that port.
func (n *network) reserve(port uint16) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed || !slices.Contains(n.ports, int(port)) {
		return false
	}
	n.up.Add(1)
	return true
}

// supervisedEnv asks for names over TCP: a box without a network has no datagrams. oracledb can't
// be imported without a user's name.
func supervisedEnv() []string { return []string{"RES_OPTIONS=use-vc", "LOGNAME=nobody"} }
