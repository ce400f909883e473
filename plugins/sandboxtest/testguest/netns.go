package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

func resource(name string) (int, bool) {
	which, known := map[string]int{
		"core": unix.RLIMIT_CORE, "fsize": unix.RLIMIT_FSIZE, "memlock": unix.RLIMIT_MEMLOCK, "msgqueue": unix.RLIMIT_MSGQUEUE,
		"nofile": unix.RLIMIT_NOFILE, "nproc": unix.RLIMIT_NPROC, "sigpending": unix.RLIMIT_SIGPENDING,
	}[name]
	return which, known
}

// netns brings up loopback, opens low ports, applies the limits and becomes the command after "--".
func netns(args []string) error {
	for len(args) > 0 && args[0] != "--" {
		if args[0] != "--rlimit" || len(args) < 2 {
			return fmt.Errorf("unknown argument %q", args[0])
		}
		name, value, _ := strings.Cut(args[1], "=")
		n, err := strconv.ParseUint(value, 10, 64)
		which, known := resource(name)
		if err != nil || !known {
			return fmt.Errorf("bad limit %q", args[1])
		}
		if err := unix.Setrlimit(which, &unix.Rlimit{Cur: n, Max: n}); err != nil {
			return fmt.Errorf("limit %s: %w", args[1], err)
		}
		args = args[2:]
	}
	if len(args) < 2 {
		return errors.New("no command")
	}
	if err := loopback(); err != nil {
		return fmt.Errorf("loopback: %w", err)
	}
	err := os.WriteFile("/proc/sys/net/ipv4/ip_unprivileged_port_start", []byte("0"), 0)
	if err != nil && !errors.Is(err, unix.EROFS) {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	return unix.Exec(args[1], args[1:], []string{})
}

func loopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	req, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	if err := unix.IoctlIfreq(fd, unix.SIOCGIFFLAGS, req); err != nil {
		return err
	}
	req.SetUint16(req.Uint16() | unix.IFF_UP)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, req)
}
