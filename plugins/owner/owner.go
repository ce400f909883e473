// Package owner names what a process makes outside of itself after that process, so that whoever finds it later can tell
// whether its owner still lives.
//
// A process that is killed with signal 9 clears nothing away, and its next start may never come. What it leaves (control groups,
// directories, containers) has the owner's ID in its name or label, and any Airlock on the host removes what dead owners left.
package owner

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// ID names one process: its pid namespace, its number there and when it started. Lower-case letters, digits and dashes.
type ID string

// Self returns the ID of this process.
func Self() (ID, error) {
	namespace, err := pidNamespace()
	if err != nil {
		return "", err
	}
	_, started, err := look(os.Getpid())
	if err != nil {
		return "", err
	}
	return ID(fmt.Sprintf("%d-%d-%d", namespace, os.Getpid(), started)), nil
}

// Dead reports whether the process has ended. It says no where it can't know: of a process in another pid namespace, and of what is no ID.
func (id ID) Dead() bool {
	fields := strings.Split(string(id), "-")
	if len(fields) != 3 {
		return false
	}
	var numbers [3]uint64
	for i, field := range fields {
		n, err := strconv.ParseUint(field, 10, 63)
		if err != nil {
			return false
		}
		numbers[i] = n
	}
	namespace, err := pidNamespace()
	if err != nil || numbers[0] != namespace || numbers[1] == 0 {
		return false
	}
	pid := int(numbers[1])
	// Asked first, because /proc may hide the processes of others (hidepid).
	if errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
		return true
	}
	state, started, err := look(pid)
	return err == nil && (started != numbers[2] || state == 'Z' || state == 'X')
}

// MkdirTemp makes a fresh directory (0700) in dir, with a name that begins with prefix and this process's ID. Those of dead
// owners with that prefix are removed first, as far as they are this user's.
func MkdirTemp(dir, prefix string) (string, error) {
	self, err := Self()
	if err != nil {
		return "", err
	}
	if dir == "" {
		dir = os.TempDir()
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		rest, ours := strings.CutPrefix(e.Name(), prefix)
		id, _, _ := strings.Cut(rest, ".")
		if path := filepath.Join(dir, e.Name()); ours && ID(id).Dead() && own(path) {
			_ = os.RemoveAll(path) // somebody else may be at it
		}
	}
	return os.MkdirTemp(dir, prefix+string(self)+".")
}

// own reports whether path is a directory of this user.
func own(path string) bool {
	var stat unix.Stat_t
	return unix.Lstat(path, &stat) == nil && stat.Mode&unix.S_IFMT == unix.S_IFDIR && int(stat.Uid) == os.Geteuid()
}

func pidNamespace() (uint64, error) {
	var stat unix.Stat_t
	if err := unix.Stat("/proc/self/ns/pid", &stat); err != nil {
		return 0, fmt.Errorf("own pid namespace: %w", err)
	}
	return stat.Ino, nil
}

// look returns a process's state and when it started, in clock ticks since the machine did.
func look(pid int) (state byte, started uint64, err error) {
	path := fmt.Sprintf("/proc/%d/stat", pid)
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, 0, err
	}
	// The name in parentheses may hold anything, so the fields are counted from its end.
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	const startTime = 19 // counted from the state
	if len(fields) <= startTime {
		return 0, 0, fmt.Errorf("%s has too few fields", path)
	}
	started, err = strconv.ParseUint(string(fields[startTime]), 10, 64)
	return fields[0][0], started, err
}
