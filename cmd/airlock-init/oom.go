package main

import (
	"fmt"
	"os"
)

// oomScore is the kernel's addition to a process's size when memory runs out, as in /proc.
type oomScore string

// preferAsVictim makes this process the OOM killer's first choice, and returns the former score.
// The box then ends as a whole. If that fails, the kernel chooses by size. It must precede the
// process becoming non-dumpable.
func preferAsVictim() oomScore {
	const path = "/proc/self/oom_score_adj"
	previous, err := os.ReadFile(path)
	if err != nil || os.WriteFile(path, []byte("1000"), 0) != nil {
		return ""
	}
	return oomScore(previous)
}

// give gives a child, which inherited first place, the former score. The child must have spoken
// first: just after its start /proc is closed.
func (s oomScore) give(pid int) {
	if s != "" {
		_ = os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", pid), []byte(s), 0)
	}
}
