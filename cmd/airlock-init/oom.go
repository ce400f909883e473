package main

import (
	"fmt"
	"os"
)

// oomScore is what the kernel adds to a process's size when memory runs out, as /proc has it.
type oomScore string

// preferAsVictim makes this process the first choice, and returns what it was. A box that is out of
// memory then ends as a whole and at once. Where it can't be done, the kernel chooses by size, and
// the box lives until its deadline. It has to come before the process is non-dumpable.
func preferAsVictim() oomScore {
	const path = "/proc/self/oom_score_adj"
	previous, err := os.ReadFile(path)
	if err != nil || os.WriteFile(path, []byte("1000"), 0) != nil {
		return ""
	}
	return oomScore(previous)
}

// give lets a child, which inherited the first place, stand as this process did. The child has to
// have spoken first: just after its start it is as closed as this process.
func (s oomScore) give(pid int) {
	if s != "" {
		_ = os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", pid), []byte(s), 0)
	}
}
