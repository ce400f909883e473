package main

import (
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/app/conns"
	"github.com/computclaw/airlock/app/sandbox"
)

// boundConnections bounds a listener's connections by this process's descriptors and memory.
func boundConnections(listener net.Listener, trusted []netip.Prefix, log *slog.Logger) (*conns.Listener, error) {
	var descriptors unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &descriptors); err != nil {
		return nil, fmt.Errorf("the limit of descriptors: %w", err)
	}
	most := conns.MostOpen(sandbox.AvailableMemory(os.DirFS("/")), descriptors.Cur)
	return conns.Listen(listener, most, trusted, log), nil
}
