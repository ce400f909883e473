package seccomp

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Outer returns the profile for a container in which Airlock itself runs and opens boxes with
// bubblewrap: what its boxes may do, and what making boxes takes: namespaces, mounts and a
// hostname. The boxes' own, narrower filter holds inside it. What no box and no server needs
// (modules, bpf, keyrings, kexec, io_uring, tracing, clocks of the host) stays refused, as engines
// do by default. deploy/seccomp/airlock.json is its text.
func Outer() ([]byte, error) {
	enosysCode := uint(enosys)
	p := profile{Default: actErrno, Architectures: []string{"SCMP_ARCH_X86_64", "SCMP_ARCH_AARCH64"}}
	p.add(rule{Names: append(permitted(), outerCalls()...), Action: actAllow})
	for _, known := range []uint32{0, 0x0008, 0x20000, 0x20008, personalityQuery} {
		p.allow(callPersonality(), is(0, known))
	}
	for _, others := range allBut(0, 40) { // not AF_VSOCK, which leads to the hypervisor
		p.allow(callSocket(), others)
	}
	// Not EPERM: programs that are told that a call doesn't exist do without.
	p.add(rule{Names: []string{"io_uring_setup", "io_uring_enter", "io_uring_register"}, Action: actErrno,
		Errno: &enosysCode})
	out, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("seccomp: %w", err)
	}
	return append(out, '\n'), nil
}

// outerCalls are what a supervisor of boxes needs besides what boxes do.
func outerCalls() []string {
	return strings.Fields(`
		chroot clone clone3 fcntl ioctl inotify_init inotify_init1 lchown mount mount_setattr pidfd_getfd
		pivot_root prctl seccomp setdomainname sethostname setns setsockopt socketpair umount umount2 unshare
	`)
}
