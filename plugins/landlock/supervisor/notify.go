package supervisor

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// notification is the kernel's struct seccomp_notif: a call that waits for an answer.
type notification struct {
	id    uint64
	pid   uint32 // the calling thread
	flags uint32
	nr    int32
	arch  uint32
	ip    uint64
	args  [6]uint64
}

type listener struct{ fd int }

// install puts a filter on the calling thread and returns its listener.
func install(program []byte) (*listener, error) {
	prog := unix.SockFprog{
		Len: uint16(len(program) / 8), Filter: (*unix.SockFilter)(unsafe.Pointer(&program[0])), // as the kernel takes it
	}
	var errno unix.Errno
	// Signals shouldn't restart a call that is being answered; kernels before 5.19 can't prevent
	// that.
	for _, flags := range []uintptr{unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
		unix.SECCOMP_FILTER_FLAG_NEW_LISTENER} {
		var fd uintptr
		fd, _, errno = unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags,
			uintptr(unsafe.Pointer(&prog)))
		if errno == 0 {
			unix.CloseOnExec(int(fd))
			return &listener{int(fd)}, nil
		}
	}
	return nil, fmt.Errorf("install the system call filter with a listener: %w", errno)
}

// receive waits for the next call. It fails when there is nobody left who could make one.
func (l *listener) receive() (notification, error) {
	for {
		poll := []unix.PollFd{{Fd: int32(l.fd), Events: unix.POLLIN}}
		if _, err := unix.Poll(poll, -1); err != nil && err != unix.EINTR {
			return notification{}, os.NewSyscallError("poll", err)
		}
		if poll[0].Revents&unix.POLLIN == 0 {
			if poll[0].Revents != 0 {
				return notification{}, unix.ESRCH
			}
			continue
		}
		var n notification
		err := l.ioctl(unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n))
		if !errors.Is(err, unix.EINTR) && !errors.Is(err, unix.ENOENT) { // with which the caller has gone
			return n, err
		}
	}
}

// valid reports whether the caller still waits. Only then was the data read under its pid its own.
func (l *listener) valid(n notification) bool {
	id := n.id
	return l.retry(unix.SECCOMP_IOCTL_NOTIF_ID_VALID, unsafe.Pointer(&id)) == nil
}

type response struct {
	id    uint64
	value int64
	errno int32
	flags uint32
}

// answer ends the call: with 0, or an error. A caller that is gone doesn't matter.
func (l *listener) answer(n notification, errno unix.Errno) {
	r := response{id: n.id, errno: -int32(errno)}
	_ = l.retry(unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&r))
}

// proceed lets the kernel do the call. Only for calls without anything behind pointers.
func (l *listener) proceed(n notification) {
	r := response{id: n.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
	_ = l.retry(unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&r))
}

// put places our descriptor fd at the caller's number in the caller's process.
func (l *listener) put(n notification, fd int, number uint32, closeOnExec bool) error {
	a := struct {
		id                               uint64
		flags, source, target, fileFlags uint32
	}{id: n.id, flags: unix.SECCOMP_ADDFD_FLAG_SETFD, source: uint32(fd), target: number}
	if closeOnExec {
		a.fileFlags = unix.O_CLOEXEC
	}
	return l.retry(unix.SECCOMP_IOCTL_NOTIF_ADDFD, unsafe.Pointer(&a))
}

// retry repeats a request that a signal interrupted. The kernel's lock of notifications is
// interruptible, and a caller without an answer waits for ever.
func (l *listener) retry(request uintptr, argument unsafe.Pointer) error {
	for {
		if err := l.ioctl(request, argument); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

func (l *listener) ioctl(request uintptr, argument unsafe.Pointer) error {
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(l.fd), request, uintptr(argument)); errno != 0 {
		return errno
	}
	return nil
}
