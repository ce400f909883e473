package plugins

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/hashicorp/go-hclog"
	plugin "github.com/hashicorp/go-plugin"
	"golang.org/x/sys/unix"
)

// leashFD is the pipe by which a plugin sees whether its host is alive.
const leashFD = 3

// Serve answers the host's calls with impl until a shutdown, the host's end or ctx. All boxes are
// gone when it returns, and impl is closed if it is an io.Closer. It takes over stdout. It fails if
// no host started the process.
func Serve(ctx context.Context, name string, impl Sandbox) error {
	h := handshake()
	if os.Getenv(h.MagicCookieKey) != h.MagicCookieValue {
		return errors.New("this is a sandbox plugin; Airlock starts it by itself")
	}
	hostGone, err := leash()
	if err != nil {
		return err
	}
	// go-plugin leaves its socket behind when it's cut short.
	defer os.RemoveAll(os.Getenv(plugin.EnvUnixSocketDir))

	server := newServerSide(impl)
	if closer, ok := impl.(io.Closer); ok {
		defer closer.Close()
	}
	defer server.killAll()
	served := make(chan struct{})
	go func() {
		defer close(served)
		plugin.Serve(&plugin.ServeConfig{
			HandshakeConfig: h,
			Plugins:         plugin.PluginSet{kind: &endpoint{server: server}},
			GRPCServer:      newServer,
			Logger: hclog.New(&hclog.LoggerOptions{Name: name, Level: hclog.Info, Output: os.Stderr,
				JSONFormat: true}),
		})
	}()
	select {
	case <-served:
		return nil
	case <-hostGone:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// leash returns a channel that is closed when the host has ended, by whatever cause.
func leash() (<-chan struct{}, error) {
	var stat unix.Stat_t
	if err := unix.Fstat(leashFD, &stat); err != nil || stat.Mode&unix.S_IFMT != unix.S_IFIFO {
		return nil, fmt.Errorf("descriptor %d is not the host's pipe", leashFD)
	}
	unix.CloseOnExec(leashFD)
	pipe := os.NewFile(leashFD, "host")
	gone := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, pipe)
		close(gone)
	}()
	return gone, nil
}
