package supervisor

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// peek reads up to size bytes of a caller's memory. It must run on a thread that acts as the box's
// uid. Trust the result only if the notification is valid afterwards.
func peek(pid uint32, address uint64, size int) ([]byte, error) {
	memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		return nil, err
	}
	defer memory.Close()
	b := make([]byte, size)
	n, err := unix.Pread(int(memory.Fd()), b, int64(address))
	if err != nil {
		return nil, err
	}
	return b[:n], nil
}

func peekString(pid uint32, address uint64) (string, error) {
	b, err := peek(pid, address, unix.PathMax)
	if err != nil {
		return "", err
	}
	text, _, ended := bytes.Cut(b, []byte{0})
	if !ended {
		return "", unix.ENAMETOOLONG
	}
	return string(text), nil
}

// socketFlags returns the flags of a caller's descriptor, which must be a socket.
func socketFlags(pid, fd uint32) (flags int, err error) {
	target, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", pid, fd))
	if err != nil {
		return 0, unix.EBADF
	}
	if !strings.HasPrefix(target, "socket:") {
		return 0, unix.ENOTSOCK
	}
	info, err := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%d", pid, fd))
	if err != nil {
		return 0, unix.EBADF
	}
	for line := range strings.Lines(string(info)) {
		if value, ok := strings.CutPrefix(line, "flags:"); ok {
			flags, err := strconv.ParseInt(strings.TrimSpace(value), 8, 64)
			return int(flags), err
		}
	}
	return 0, unix.EBADF
}
