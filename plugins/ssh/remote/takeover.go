package remote

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// ProgramPrefix begins the names of uploaded remote programs, GuestPrefix those of guests. The
// sha256 follows.
const (
	ProgramPrefix = "airlock-remote-"
	GuestPrefix   = "airlock-init-"
)

// takeOver ends the instance's other remote programs. They are left by a recently broken link, or
// stopped.
func takeOver(instance string) error {
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil || pid == os.Getpid() {
			continue
		}
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			continue
		}
		// After the descriptor was opened, so it can't be another process by now.
		if isRemote(dir, instance) {
			err = errors.Join(unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0), awaitEnd(fd))
		} else {
			err = nil
		}
		unix.Close(fd)
		if err != nil {
			return fmt.Errorf("end the earlier remote program %d: %w", pid, err)
		}
	}
	return nil
}

// isRemote checks the user and the command line. Only this user's processes can have our uid.
func isRemote(dir, instance string) bool {
	var stat unix.Stat_t
	if unix.Stat(dir, &stat) != nil || int(stat.Uid) != os.Getuid() {
		return false
	}
	line, err := os.ReadFile(filepath.Join(dir, "cmdline"))
	if err != nil {
		return false
	}
	args := strings.Split(string(bytes.TrimRight(line, "\x00")), "\x00")
	i := slices.Index(args, "--instance")
	return strings.HasPrefix(filepath.Base(args[0]), ProgramPrefix) && i > 0 && i+1 < len(args) && args[i+1] == instance
}

func awaitEnd(fd int) error {
	const limit = 5 * time.Second
	for deadline := time.Now().Add(limit); ; {
		left := time.Until(deadline)
		if left <= 0 {
			return fmt.Errorf("it is still there after %s", limit)
		}
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(left.Milliseconds())+1)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return err
		}
		if n > 0 {
			return nil
		}
	}
}

// removeOthers removes other versions of our files, but no upload under way. An Airlock that still
// wants one uploads it again. Failures only cost space.
func removeOthers(guest string) {
	self, err := os.Executable()
	entries, _ := os.ReadDir(filepath.Dir(guest))
	for _, e := range entries {
		path := filepath.Join(filepath.Dir(guest), e.Name())
		ours := strings.HasPrefix(e.Name(), ProgramPrefix) || strings.HasPrefix(e.Name(), GuestPrefix)
		if err == nil && ours && path != self && path != guest && !strings.Contains(path, ".part-") {
			_ = os.Remove(path)
		}
	}
}
