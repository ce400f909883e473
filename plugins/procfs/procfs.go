// Package procfs reads what /proc says about processes and their descent.
package procfs

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Stat is a part of a process's or thread's stat file.
type Stat struct {
	State  byte // such as 'R', or 'Z' for one that has ended
	Parent int
	Start  uint64 // clock ticks since the machine started
	Used   uint64 // clock ticks of processor time, with those of children that were waited for
}

// ReadStat reads the stat file in a directory of /proc. It fails without such a process.
func ReadStat(dir string) (Stat, error) {
	text, err := os.ReadFile(dir + "/stat")
	if err != nil {
		return Stat{}, err
	}
	// The name in parentheses may hold anything, so fields are counted from its end.
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	const parent, used, start = 1, 11, 19 // counted from the state
	if len(fields) <= start {
		return Stat{}, fmt.Errorf("%s/stat has too few fields", dir)
	}
	s := Stat{State: fields[0][0]}
	s.Parent, _ = strconv.Atoi(string(fields[parent]))
	for _, field := range fields[used : used+4] {
		ticks, _ := strconv.ParseUint(string(field), 10, 64)
		s.Used += ticks
	}
	s.Start, err = strconv.ParseUint(string(fields[start]), 10, 64)
	return s, err
}

// StatOf reads the stat file of process pid.
func StatOf(pid int) (Stat, error) { return ReadStat(fmt.Sprintf("/proc/%d", pid)) }

// MayRun reports whether the thread in a directory of /proc may run on after SIGSTOP. One in an
// uninterruptible wait (D), such as a parent in vfork, stops before that.
func MayRun(dir string) bool {
	stat, err := ReadStat(dir)
	return err == nil && !strings.ContainsRune("TtZXD", rune(stat.State))
}

// Process is a process as /proc showed it.
type Process struct {
	PID     int
	Threads []string // directories of /proc
}

// Tree lists process root and its descendants, parents first. Processes may come and go meanwhile.
func Tree(root int) []Process {
	var found []Process
	var descend func(pid int)
	descend = func(pid int) {
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
		if len(threads) == 0 {
			return // gone
		}
		found = append(found, Process{pid, threads})
		for _, child := range children(threads) {
			descend(child)
		}
	}
	descend(root)
	return found
}

// Children lists the processes whose parent is pid.
func Children(pid int) []int {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
	return children(threads)
}

func children(threads []string) []int {
	var found []int
	for _, thread := range threads {
		list, _ := os.ReadFile(thread + "/children")
		for _, field := range bytes.Fields(list) {
			if pid, err := strconv.Atoi(string(field)); err == nil {
				found = append(found, pid)
			}
		}
	}
	return found
}
