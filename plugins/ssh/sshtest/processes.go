package sshtest

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Boxes lists the processes of all boxes on the machine, as "PID COMMAND LINE".
func (m *Machine) Boxes() []string {
	children := map[int][]int{}
	var programs []int
	lines := map[int]string{}
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			continue
		}
		line, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err != nil {
			continue
		}
		parent := parentOf(dir)
		children[parent] = append(children[parent], pid)
		lines[pid] = string(bytes.ReplaceAll(line, []byte{0}, []byte{' '}))
		if strings.HasPrefix(lines[pid], m.Home()+"/") {
			programs = append(programs, pid)
		}
	}
	var found []string
	var walk func(pid int)
	walk = func(pid int) {
		for _, child := range children[pid] {
			found = append(found, strconv.Itoa(child)+" "+lines[child])
			walk(child)
		}
	}
	for _, pid := range programs {
		walk(pid)
	}
	return found
}

func parentOf(dir string) int {
	stat, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return 0
	}
	// The name in parentheses may hold anything, so the fields are counted from its end.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return 0
	}
	parent, _ := strconv.Atoi(string(fields[1]))
	return parent
}
