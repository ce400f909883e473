package harden

import (
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins/landlock"
	"github.com/computclaw/airlock/plugins/landlock/supervisor"
)

// Process closes this process's memory and files to others. There are no core dumps, no reading
// through /proc or ptrace by the same user, and files are the owner's.
func Process() error {
	unix.Umask(0o077)
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}); err != nil {
		return fmt.Errorf("switch core dumps off: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("make the process non-dumpable: %w", err)
	}
	return giveUp()
}

// giveUp keeps only the permission to hand capabilities to one plugin. None is in effect or
// inherited otherwise. As root it does nothing: capabilities come with the uid.
func giveUp() error {
	own, err := supervisor.OwnCapabilities()
	if err != nil || os.Geteuid() == 0 || own.Permitted == 0 {
		return err
	}
	keep := uint64(0)
	for _, number := range landlock.Capabilities() {
		keep |= own.Permitted & (1 << number)
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	data := [2]unix.CapUserData{{Permitted: uint32(keep)}, {Permitted: uint32(keep >> 32)}}
	if _, _, errno := syscall.AllThreadsSyscall(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&header)),
		uintptr(unsafe.Pointer(&data[0])), 0); errno != 0 {
		return fmt.Errorf("give up capabilities: %w (build with CGO_ENABLED=0)", errno)
	}
	return nil
}

// PassableCapabilities are the capabilities that the landlock plugin can be given.
func PassableCapabilities() ([]uintptr, error) {
	own, err := supervisor.OwnCapabilities()
	if err != nil || os.Geteuid() == 0 {
		return nil, err
	}
	for _, number := range landlock.Capabilities() {
		if own.Permitted&(1<<number) == 0 {
			return nil, nil // it needs all or none
		}
	}
	return landlock.Capabilities(), nil
}

// NoNewPrivileges keeps this process and its children from gaining privileges by executing a file.
func NoNewPrivileges() error {
	if _, _, errno := syscall.AllThreadsSyscall6(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0); errno != 0 {
		return fmt.Errorf("set no_new_privs: %w (build with CGO_ENABLED=0)", errno)
	}
	return nil
}
