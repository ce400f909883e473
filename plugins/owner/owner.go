// Package owner names a process's external objects after that process, so others can tell whether
// it still lives.
//
// A process killed with signal 9 cleans up nothing. Its control groups, directories and containers
// have its ID in their name or label, and any Airlock on the host removes those of dead owners.
package owner

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins/procfs"
)

// ID names one process by its machine's boot, its pid namespace, its number there and its start.
// Letters, digits and dashes.
type ID string

// base keeps IDs short: they are part of paths.
const base = 36

// Self returns the ID of this process. If its place is unknown, it never counts as dead.
func Self() (ID, error) {
	return idOf(os.Getpid())
}

func idOf(pid int) (ID, error) {
	where, ok := place()
	if !ok {
		where = "nowhere"
	}
	stat, err := procfs.StatOf(pid)
	if err != nil {
		return "", err
	}
	return ID(where + "-" + strconv.FormatInt(int64(pid), base) + "-" + strconv.FormatUint(stat.Start, base)), nil
}

// Dead reports whether the process has ended. It reports false if it can't know: for another pid
// namespace or machine, and for other text.
func (id ID) Dead() bool {
	where, ok := place()
	rest, here := strings.CutPrefix(string(id), where+"-")
	if !ok || !here {
		return false
	}
	number, start, _ := strings.Cut(rest, "-")
	pid, err := strconv.ParseInt(number, base, 32)
	started, err2 := strconv.ParseUint(start, base, 64)
	if err != nil || err2 != nil || pid <= 0 {
		return false
	}
	// Asked first, because /proc may hide the processes of others (hidepid).
	if errors.Is(unix.Kill(int(pid), 0), unix.ESRCH) {
		return true
	}
	stat, err := procfs.StatOf(int(pid))
	return err == nil && (stat.Start != started || stat.State == 'Z' || stat.State == 'X')
}

// MkdirTemp makes a fresh directory (0700) in dir, named by prefix and this process's ID. It first
// removes this user's ones of dead owners with that prefix.
func MkdirTemp(dir, prefix string) (string, error) {
	self, err := Self()
	if err != nil {
		return "", err
	}
	entries, _ := os.ReadDir(dir) // who may not list it removes nothing
	for _, e := range entries {
		rest, ours := strings.CutPrefix(e.Name(), prefix)
		id, _, _ := strings.Cut(rest, ".")
		if path := filepath.Join(dir, e.Name()); ours && ID(id).Dead() && isOwn(path) {
			_ = os.RemoveAll(path) // somebody else may be at it
		}
	}
	return os.MkdirTemp(dir, prefix+string(self)+".")
}

// isOwn reports whether path is a directory of this user.
func isOwn(path string) bool {
	var stat unix.Stat_t
	return unix.Lstat(path, &stat) == nil && stat.Mode&unix.S_IFMT == unix.S_IFDIR && int(stat.Uid) == os.Geteuid()
}

// place identifies the scope of process numbers: the machine's boot and the pid namespace. Some
// sandboxes around Airlock hide them.
func place() (where string, ok bool) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	var stat unix.Stat_t
	if err != nil || unix.Stat("/proc/self/ns/pid", &stat) != nil {
		return "", false
	}
	first, _, _ := strings.Cut(string(boot), "-")
	return first + "-" + strconv.FormatUint(stat.Ino, base), true
}
