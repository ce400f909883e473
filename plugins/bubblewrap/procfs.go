package bubblewrap

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// parentOf returns a process's parent, or 0 if there is no such process.
func parentOf(pid int) int {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// The name in parentheses may hold anything, so the fields are counted from its end.
	end := bytes.LastIndexByte(b, ')')
	if end < 0 {
		return 0
	}
	fields := bytes.Fields(b[end+1:])
	if len(fields) < 2 {
		return 0
	}
	parent, _ := strconv.Atoi(string(fields[1]))
	return parent
}

// descend calls visit with pid and every process below it, and with the number of each one's
// threads. It sees a moving target: processes may come and go while it looks.
func descend(pid int, visit func(pid, threads int)) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if len(lists) == 0 {
		return // gone
	}
	visit(pid, len(lists))
	for _, list := range lists {
		b, _ := os.ReadFile(list)
		for _, field := range bytes.Fields(b) {
			if child, err := strconv.Atoi(string(field)); err == nil {
				descend(child, visit)
			}
		}
	}
}
