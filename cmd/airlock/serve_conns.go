package main

import (
	"fmt"
	"log/slog"
	"net/netip"
	"os"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/app/conns"
	"github.com/computclaw/airlock/app/sandbox"
)

// boundConnections makes the set of the server's connections, as large as this process's
// descriptors and memory have room for.
func boundConnections(trusted []netip.Prefix, log *slog.Logger) (*conns.Set, error) {
	var descriptors unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &descriptors); err != nil {
		return nil, fmt.Errorf("the limit of descriptors: %w", err)
	}
	most, held := conns.Bounds(sandbox.AvailableMemory(os.DirFS("/")), descriptors.Cur)
	return conns.New(conns.Config{Most: most, Bytes: held, Trusted: trusted, Log: log}), nil
}
