package main

import (
	"encoding/binary"
	"net/netip"
	"os"

	"golang.org/x/sys/unix"
)

// synSocket tells which connections any program begins, also where nobody listens. See
// netns.openSYNSocket.
type synSocket struct{ file *os.File }

// maxInherited exceeds any inherited descriptor.
const maxInherited = 64

// findSYNSocket returns the first step's socket, or nil.
func findSYNSocket() *synSocket {
	for fd := 3; fd < maxInherited; fd++ {
		kind, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE)
		if err != nil || kind != unix.SOCK_RAW {
			continue
		}
		unix.CloseOnExec(fd)
		return newSYNSocket(fd)
	}
	return nil
}

func newSYNSocket(fd int) *synSocket { return &synSocket{os.NewFile(uintptr(fd), "syn")} }

// watch reports each destination until the box ends.
func (s *synSocket) watch(report func(netip.AddrPort)) {
	conn, err := s.file.SyscallConn()
	if err != nil {
		return
	}
	_ = conn.Read(func(fd uintptr) bool {
		drainSYNs(int(fd), report)
		return false // wait for more
	})
}

// drain reports pending connections. After closing it reports nothing: the number may be another
// box's.
func (s *synSocket) drain(report func(netip.AddrPort)) {
	if conn, err := s.file.SyscallConn(); err == nil {
		_ = conn.Control(func(fd uintptr) { drainSYNs(int(fd), report) })
	}
}

func drainSYNs(fd int, report func(netip.AddrPort)) {
	packet := make([]byte, 80)
	for {
		n, _, err := unix.Recvfrom(fd, packet, unix.MSG_DONTWAIT)
		if err != nil {
			return
		}
		if to, ok := destination(packet[:n]); ok {
			report(to)
		}
	}
}

// destination reads where a TCP packet goes.
func destination(packet []byte) (netip.AddrPort, bool) {
	if len(packet) < 20 || packet[0]>>4 != 4 {
		return netip.AddrPort{}, false
	}
	header := int(packet[0]&0xf) * 4
	if header < 20 || len(packet) < header+4 {
		return netip.AddrPort{}, false
	}
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte(packet[16:20])), binary.BigEndian.Uint16(packet[header+2:])), true
}
