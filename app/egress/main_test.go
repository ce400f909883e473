package egress

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

// The tests dial real public, private and metadata addresses in their own network namespace. There
// every IPv4 address leads to the loopback device without being an interface's. Nothing can leave
// it. The resolver's configuration is the test's own.

const inside = "EGRESS_TEST_NAMESPACE"

// ownPrivate is an interface's private address in the namespace. unreachable has no route.
var (
	ownPrivate  = netip.MustParsePrefix("10.8.8.8/32")
	unreachable = netip.MustParsePrefix("203.0.114.0/24")
)

func TestMain(m *testing.M) {
	switch os.Getenv(inside) {
	case "":
		os.Exit(runInNamespace())
	case "new":
		if err := setUpNamespace(); err != nil {
			fmt.Fprintln(os.Stderr, "set up the network namespace:", err)
			os.Exit(1)
		}
		_ = os.Setenv(inside, "ready") // for the workers of a fuzz run
	}
	// A server that closes a connection waits for half a second, and longer than goleak does.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("net/http.(*conn).closeWriteAndWait"))
}

func runInNamespace() int {
	cmd := exec.Command(os.Args[0], os.Args[1:]...)
	cmd.Env = append(os.Environ(), inside+"=new")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET | syscall.CLONE_NEWNS,
		Pdeathsig: syscall.SIGKILL}
	if os.Geteuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	fmt.Fprintln(os.Stderr, "these tests need a network namespace of their own:", err)
	return 1
}

func setUpNamespace() error {
	if err := loopbackUp(); err != nil {
		return fmt.Errorf("loopback up: %w", err)
	}
	if err := netlink(unix.RTM_NEWADDR, []byte{unix.AF_INET, 32, 0, 0, 1, 0, 0, 0},
		attribute(unix.IFA_LOCAL, ownPrivate.Addr().AsSlice()),
		attribute(unix.IFA_ADDRESS, ownPrivate.Addr().AsSlice())); err != nil {
		return fmt.Errorf("own address: %w", err)
	}
	if err := netlink(unix.RTM_NEWROUTE,
		[]byte{unix.AF_INET, 0, 0, 0, unix.RT_TABLE_LOCAL, unix.RTPROT_STATIC, unix.RT_SCOPE_HOST, unix.RTN_LOCAL, 0, 0, 0,
			0},
		attribute(unix.RTA_OIF, []byte{1, 0, 0, 0})); err != nil {
		return fmt.Errorf("route everything here: %w", err)
	}
	if err := netlink(unix.RTM_NEWROUTE,
		[]byte{unix.AF_INET, byte(unreachable.Bits()), 0, 0, unix.RT_TABLE_LOCAL, unix.RTPROT_STATIC, unix.RT_SCOPE_HOST,
			unix.RTN_UNREACHABLE, 0, 0, 0, 0},
		attribute(unix.RTA_DST, unreachable.Addr().AsSlice())); err != nil {
		return fmt.Errorf("unreachable route: %w", err)
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("mounts of our own: %w", err)
	}
	for path, text := range map[string]string{
		"/etc/resolv.conf": "nameserver 127.0.0.1\nsearch evil.test\noptions ndots:5\n",
		"/etc/hosts":       boxHosts, // for clients in a box, not for the gateway: that is given its own names
	} {
		if err := replaceFile(path, text); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// replaceFile replaces a file in this mount namespace only.
func replaceFile(path, text string) error {
	file, err := os.CreateTemp("", "egress-test")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file.Name()) }()
	if _, err := file.WriteString(text); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	if err := os.Chmod(file.Name(), 0o644); err != nil {
		return err
	}
	return unix.Mount(file.Name(), path, "", unix.MS_BIND, "")
}

func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request)
}

func netlink(kind uint16, body []byte, attributes ...[]byte) error {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	for _, a := range attributes {
		body = append(body, a...)
	}
	message := make([]byte, unix.SizeofNlMsghdr, unix.SizeofNlMsghdr+len(body))
	binary.NativeEndian.PutUint32(message[0:], uint32(cap(message)))
	binary.NativeEndian.PutUint16(message[4:], kind)
	binary.NativeEndian.PutUint16(message[6:], unix.NLM_F_REQUEST|unix.NLM_F_CREATE|unix.NLM_F_ACK)
	if err := unix.Sendto(fd, append(message, body...), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return err
	}
	answer := make([]byte, 4096)
	n, _, err := unix.Recvfrom(fd, answer, 0)
	if err != nil {
		return err
	}
	if n < unix.SizeofNlMsghdr+4 {
		return fmt.Errorf("short netlink answer of %d bytes", n)
	}
	if code := int32(binary.NativeEndian.Uint32(answer[unix.SizeofNlMsghdr:])); code != 0 {
		return syscall.Errno(-code)
	}
	return nil
}

func attribute(kind uint16, data []byte) []byte {
	a := make([]byte, 4, 4+len(data))
	binary.NativeEndian.PutUint16(a[0:], uint16(4+len(data)))
	binary.NativeEndian.PutUint16(a[2:], kind)
	return append(a, data...)
}
