package seccomp

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// TestNumbers compares the table with the numbers this platform was built with.
func TestNumbers(t *testing.T) {
	want := map[string]int{
		"acct": unix.SYS_ACCT, "add_key": unix.SYS_ADD_KEY, "bpf": unix.SYS_BPF, "chroot": unix.SYS_CHROOT, "fsopen": unix.SYS_FSOPEN,
		"init_module": unix.SYS_INIT_MODULE, "inotify_init1": unix.SYS_INOTIFY_INIT1, "io_uring_setup": unix.SYS_IO_URING_SETUP,
		"kcmp": unix.SYS_KCMP, "kexec_load": unix.SYS_KEXEC_LOAD, "keyctl": unix.SYS_KEYCTL, "mount": unix.SYS_MOUNT,
		"move_mount": unix.SYS_MOVE_MOUNT, "open_by_handle_at": unix.SYS_OPEN_BY_HANDLE_AT, "perf_event_open": unix.SYS_PERF_EVENT_OPEN,
		"pidfd_getfd": unix.SYS_PIDFD_GETFD, "pivot_root": unix.SYS_PIVOT_ROOT, "process_vm_writev": unix.SYS_PROCESS_VM_WRITEV,
		"ptrace": unix.SYS_PTRACE, "reboot": unix.SYS_REBOOT, "setns": unix.SYS_SETNS, "umount2": unix.SYS_UMOUNT2,
		"userfaultfd": unix.SYS_USERFAULTFD, "quotactl": unix.SYS_QUOTACTL, "syslog": unix.SYS_SYSLOG, "swapon": unix.SYS_SWAPON,
		"clone3": unix.SYS_CLONE3, "clone": unix.SYS_CLONE, "unshare": unix.SYS_UNSHARE, "socket": unix.SYS_SOCKET,
		"socketpair": unix.SYS_SOCKETPAIR, "personality": unix.SYS_PERSONALITY, "fcntl": unix.SYS_FCNTL, "ioctl": unix.SYS_IOCTL,
		"shmget": unix.SYS_SHMGET, "msgget": unix.SYS_MSGGET,
	}
	calls := append(denied(), hidden()...)
	calls = append(calls, callClone3(), callClone(), callUnshare(), callSocket(), callSocketpair(), callPersonality(), callFcntl(), callIoctl())
	for _, c := range calls {
		number := c.amd64
		if runtime.GOARCH == "arm64" {
			number = c.arm64
		}
		if w, known := want[c.name]; known && w != number {
			t.Errorf("%s is %d, want %d", c.name, number, w)
		}
		delete(want, c.name)
	}
	for name := range want {
		t.Errorf("%s is not in the table", name)
	}
}

// thisNumber is c's number on the platform of the test.
func thisNumber(c call) int {
	if runtime.GOARCH == "arm64" {
		return c.arm64
	}
	return c.amd64
}
