package e2e

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/computclaw/airlock/plugins/template"
)

// ChildrenOf returns the direct children of a process.
func ChildrenOf(t *testing.T, parent int) []Process {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	Must(t, err)
	var found []Process
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if fields, err := ReadStat(pid); err != nil || fields[1] != strconv.Itoa(parent) {
			continue
		}
		if p, err := readProcess(pid); err == nil {
			found = append(found, p)
		}
	}
	return found
}

// Resident returns a process's memory in KiB.
func Resident(t *testing.T, pid int) int {
	t.Helper()
	return memory(t, pid, "VmRSS:")
}

// Peak returns a process's peak memory since ResetPeak, in KiB.
func Peak(t *testing.T, pid int) int {
	t.Helper()
	return memory(t, pid, "VmHWM:")
}

// ResetPeak begins to count a process's most memory anew.
func ResetPeak(t *testing.T, pid int) {
	t.Helper()
	Must(t, os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0))
}

func memory(t *testing.T, pid int, line string) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	Must(t, err)
	_, rest, _ := strings.Cut(string(text), line)
	n, err := strconv.Atoi(strings.Fields(rest)[0])
	Must(t, err)
	return n
}

// Process is one under the server.
type Process struct {
	PID   int
	start string // tells it from a later one with the same pid
	Line  string
}

// IsAlive reports whether the process still runs.
func (p Process) IsAlive() bool {
	now, err := readProcess(p.PID)
	return err == nil && now.start == p.start
}

// readProcess reads a process; field 1 of the rest is its parent, field 19 its start time.
func readProcess(pid int) (Process, error) {
	fields, err := ReadStat(pid)
	if err != nil {
		return Process{}, err
	}
	line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return Process{pid, fields[19], string(bytes.ReplaceAll(line, []byte{0}, []byte{' '}))}, nil
}

// ReadStat returns the fields of /proc/PID/stat after the command.
func ReadStat(pid int) ([]string, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil, err
	}
	return strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])), nil
}

// Processes returns all processes under the server.
func (in *Instance) Processes() []Process { return Under(in.T, in.Server.Process.Pid) }

// Under returns all processes below one.
func Under(t *testing.T, root int) []Process {
	t.Helper()
	children := map[int][]int{}
	entries, err := os.ReadDir("/proc")
	Must(t, err)
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if fields, err := ReadStat(pid); err == nil {
			parent, _ := strconv.Atoi(fields[1])
			children[parent] = append(children[parent], pid)
		}
	}
	var found []Process
	var walk func(pid int)
	walk = func(pid int) {
		for _, child := range children[pid] {
			if p, err := readProcess(child); err == nil {
				found = append(found, p)
			}
			walk(child)
		}
	}
	walk(root)
	return found
}

// Descendants returns pid and command line of the server's processes, without plugins.
func (in *Instance) Descendants() []string { return BoxesUnder(in.T, in.Server.Process.Pid) }

// BoxesUnder returns pid and command line of a server's processes, without plugins and templates.
func BoxesUnder(t *testing.T, server int) []string {
	t.Helper()
	var found []string
	templates := map[string]bool{} // by process id
	for _, p := range Under(t, server) {
		if strings.HasSuffix(strings.TrimSpace(p.Line), "/airlock-init "+template.Mode) {
			templates[strconv.Itoa(p.PID)] = true
			continue
		}
		if fields, err := ReadStat(p.PID); err == nil && templates[fields[1]] {
			continue // its interpreter
		}
		guests := strings.HasSuffix(strings.TrimSpace(p.Line), "/airlock-init "+template.Guests)
		if !guests && !strings.Contains(p.Line, " plugin ") {
			found = append(found, fmt.Sprintf("%d %s", p.PID, p.Line))
		}
	}
	return found
}
