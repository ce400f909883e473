// Package rlimit holds the kernel limits for each process of a box, for all backends.
package rlimit

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// Limit is a resource limit, soft and hard. Its name is the kernel's in lower case, without
// RLIMIT_.
type Limit struct {
	Name  string
	Value int64
}

// OfBox returns the limits of every process of a box: open files, and bytes in one file. Signals
// and queues are charged to the uid, which boxes share on most backends.
func OfBox(files, fileSize int64) []Limit {
	return []Limit{
		{"nofile", files},
		{"fsize", fileSize},
		{"core", 0},
		{"memlock", 0},
		{"msgqueue", 0},
		{"nice", 0},
		{"rtprio", 0},
		{"sigpending", 256},
	}
}

// Set lowers a limit of this process and its children. A lower hard limit stays.
func (l Limit) Set() error { return l.set(false) }

// SetSoft lowers the soft limit only, so that the process can raise it again.
func (l Limit) SetSoft() error { return l.set(true) }

func (l Limit) set(keepHard bool) error {
	resource, err := l.Resource()
	if err != nil {
		return err
	}
	var now syscall.Rlimit
	if err := syscall.Getrlimit(resource, &now); err != nil {
		return fmt.Errorf("rlimit %s: %w", l.Name, err)
	}
	value := min(uint64(l.Value), now.Max)
	if !keepHard {
		now.Max = value
	}
	// The standard library's call also stops Go from restoring the old NOFILE at exec.
	if err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: value, Max: now.Max}); err != nil {
		return fmt.Errorf("rlimit %s=%d: %w", l.Name, l.Value, err)
	}
	return nil
}

// Resource returns the kernel's number for the limit.
func (l Limit) Resource() (int, error) {
	number, known := map[string]int{
		"nofile": unix.RLIMIT_NOFILE, "nproc": unix.RLIMIT_NPROC, "fsize": unix.RLIMIT_FSIZE, "core": unix.RLIMIT_CORE,
		"memlock": unix.RLIMIT_MEMLOCK, "msgqueue": unix.RLIMIT_MSGQUEUE, "nice": unix.RLIMIT_NICE,
		"rtprio": unix.RLIMIT_RTPRIO, "sigpending": unix.RLIMIT_SIGPENDING,
	}[l.Name]
	if !known {
		return 0, fmt.Errorf("unknown rlimit %q", l.Name)
	}
	return number, nil
}
