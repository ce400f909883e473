// Package netns is the first step of a box, before bubblewrap. It prepares fresh namespaces and
// executes another program.
package netns

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins/rlimit"
)

// Sysctls are the settings of a box's network namespace, by path. Low ports are open to everyone.
//
// TCP buffers are bounded to a relay's needs: the whole host shares their memory, which older
// cgroups don't count.
func Sysctls() map[string]string {
	return map[string]string{
		portStart:                     "0",
		"/proc/sys/net/ipv4/tcp_rmem": "4096 65536 131072",
		"/proc/sys/net/ipv4/tcp_wmem": "4096 16384 131072",
	}
}

const portStart = "/proc/sys/net/ipv4/ip_unprivileged_port_start"

// Become prepares the box's loopback, ports and limits, and becomes the command after "--". The
// command has an empty environment and the same descriptors, with SYNSocket one more. As PID 1 it
// mounts a /proc of its pid namespace, and needs a mount namespace of its own. It only returns on
// failure.
func Become(args []string) error {
	args, syns := cutFlag(args, SYNSocket)
	command, err := parse(args, rlimit.Limit.Set)
	if err != nil {
		return err
	}
	if os.Getpid() == 1 {
		// bwrap looks up its child there, by its number in this namespace.
		if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
			return fmt.Errorf("mount proc: %w", err)
		}
	}
	if err := loopbackUp(); err != nil {
		return fmt.Errorf("bring loopback up: %w", err)
	}
	if err := configure(); err != nil {
		return err
	}
	if syns {
		openSYNSocket()
	}
	// The kernel keeps the parent-death signal per thread. exec keeps the calling thread's.
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return fmt.Errorf("die with the parent: %w", err)
	}
	return fmt.Errorf("exec %s: %w", command[0], syscall.Exec(command[0], command, []string{}))
}

// SYNSocket asks Become for a socket that reports new connections. Only airlock-init may get it,
// since it keeps the socket from the script.
const SYNSocket = "--syn-socket"

// cutFlag returns the arguments without a flag that may stand first.
func cutFlag(args []string, flag string) ([]string, bool) {
	if len(args) > 0 && args[0] == flag {
		return args[1:], true
	}
	return args, false
}

// configure applies Sysctls. With a read-only /proc/sys the backend must open low ports some other
// way.
func configure() error {
	for path, value := range Sysctls() {
		err := os.WriteFile(path, []byte(value), 0)
		if path == portStart && err != nil && !errors.Is(err, unix.EROFS) && !errors.Is(err, unix.EACCES) &&
			!errors.Is(err, unix.EPERM) && !errors.Is(err, unix.ENOENT) {
			return fmt.Errorf("open low ports: %w", err)
		}
	}
	return nil
}

// parse calls set for each --rlimit and returns the command.
func parse(args []string, set func(rlimit.Limit) error) ([]string, error) {
	for len(args) > 0 && args[0] != "--" {
		if args[0] != "--rlimit" || len(args) < 2 {
			return nil, fmt.Errorf("netns: unexpected %q", args[0])
		}
		name, value, _ := strings.Cut(args[1], "=")
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("netns: --rlimit %s: not NAME=N", args[1])
		}
		if err := set(rlimit.Limit{Name: name, Value: n}); err != nil {
			return nil, err
		}
		args = args[2:]
	}
	if len(args) < 2 {
		return nil, errors.New("netns: no command after --")
	}
	return args[1:], nil
}

func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	ifr, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	ifr.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, ifr)
}
