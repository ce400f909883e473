package supervisor

import (
	"fmt"
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// metadata changes mode or times of a file in the private directory for the caller. It holds the
// checked file open, so no link or rename can divert it.
func (m *mediator) metadata(n notification) unix.Errno {
	directory, pathAt, flags := int32(n.args[0]), n.args[1], uint64(0)
	switch n.nr {
	case sysChmod:
		directory, pathAt = unix.AT_FDCWD, n.args[0]
	case unix.SYS_FCHMOD:
		if pathAt = 0; directory < 0 {
			return unix.EBADF
		}
	case unix.SYS_FCHMODAT2, unix.SYS_UTIMENSAT:
		flags = n.args[3]
	case unix.SYS_FCHMODAT:
	default:
		return unix.EPERM
	}
	if flags&^unix.AT_SYMLINK_NOFOLLOW != 0 {
		return unix.EINVAL
	}
	file, err := m.find(n, directory, pathAt, flags != 0)
	if err != nil {
		return errnoOf(err)
	}
	defer unix.Close(file)
	here := fmt.Sprintf("/proc/self/fd/%d", file)
	if n.nr == unix.SYS_UTIMENSAT {
		return m.setTimes(n, here)
	}
	mode := n.args[2]
	if n.nr == sysChmod || n.nr == unix.SYS_FCHMOD {
		mode = n.args[1]
	}
	const noSpecialBits = 0o1777
	return errnoOrZero(unix.Chmod(here, uint32(mode)&noSpecialBits))
}

// find opens what the caller names as a place, not to read, and makes sure of it.
func (m *mediator) find(n notification, directory int32, pathAt uint64, noFollow bool) (int, error) {
	path := ""
	if pathAt != 0 {
		var err error
		if path, err = peekString(n.pid, pathAt); err != nil {
			return -1, unix.EFAULT
		}
	}
	base, err := m.base(n, directory, path)
	if err != nil {
		return -1, err
	}
	defer unix.Close(base)
	if !m.listener.valid(n) {
		return -1, unix.ESRCH
	}
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_MAGICLINKS}
	if noFollow {
		how.Flags |= unix.O_NOFOLLOW
	}
	file := -1
	switch {
	case pathAt == 0: // the descriptor itself
		file, err = unix.Dup(base)
	case path == "":
		err = unix.ENOENT
	default:
		file, err = unix.Openat2(base, path, &how)
	}
	if err != nil {
		return -1, err
	}
	target, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", file))
	var stat unix.Stat_t
	if err == nil {
		err = unix.Fstat(file, &stat)
	}
	switch {
	case err != nil:
	case target != m.tmp && !strings.HasPrefix(target, m.tmp+"/"):
		err = unix.EPERM
	case stat.Mode&unix.S_IFMT == unix.S_IFLNK:
		err = unix.EOPNOTSUPP
	}
	if err != nil {
		unix.Close(file)
		return -1, err
	}
	return file, nil
}

// base opens the directory that a caller's path starts at. Its root is the supervisor's.
func (m *mediator) base(n notification, directory int32, path string) (int, error) {
	place := fmt.Sprintf("/proc/%d/fd/%d", n.pid, directory)
	switch {
	case strings.HasPrefix(path, "/"):
		place = "/"
	case directory == unix.AT_FDCWD:
		place = fmt.Sprintf("/proc/%d/cwd", n.pid)
	}
	return unix.Open(place, unix.O_PATH|unix.O_CLOEXEC, 0)
}

// setTimes sets the times that the caller's third argument points to, or the present.
func (m *mediator) setTimes(n notification, path string) unix.Errno {
	var times *[2]unix.Timespec
	if n.args[2] != 0 {
		raw, err := peek(n.pid, n.args[2], int(unsafe.Sizeof(*times)))
		if err != nil || len(raw) != int(unsafe.Sizeof(*times)) || !m.listener.valid(n) {
			return unix.EFAULT
		}
		times = new([2]unix.Timespec)
		copy(unsafe.Slice((*byte)(unsafe.Pointer(times)), len(raw)), raw)
	}
	name, err := unix.BytePtrFromString(path)
	if err != nil {
		return unix.EINVAL
	}
	here := unix.AT_FDCWD
	_, _, errno := unix.Syscall6(unix.SYS_UTIMENSAT, uintptr(here), uintptr(unsafe.Pointer(name)),
		uintptr(unsafe.Pointer(times)), 0, 0, 0)
	return errno
}

func errnoOrZero(err error) unix.Errno {
	if err == nil {
		return 0
	}
	return errnoOf(err)
}
