package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

func childrenOf(t *testing.T, parent int) []process {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	must(t, err)
	var found []process
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if fields, err := statOf(pid); err != nil || fields[1] != strconv.Itoa(parent) {
			continue
		}
		if p, err := readProcess(pid); err == nil {
			found = append(found, p)
		}
	}
	return found
}

// resident is a process's memory in KiB.
func resident(t *testing.T, pid int) int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	must(t, err)
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	n, err := strconv.Atoi(strings.Fields(rest)[0])
	must(t, err)
	return n
}

// process is one under the server.
type process struct {
	pid   int
	start string // tells it from a later one with the same pid
	line  string
}

func (p process) alive() bool {
	now, err := readProcess(p.pid)
	return err == nil && now.start == p.start
}

// readProcess reads a process; its parent is in field 1 of the rest, its start time in field 19.
func readProcess(pid int) (process, error) {
	fields, err := statOf(pid)
	if err != nil {
		return process{}, err
	}
	line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return process{pid, fields[19], string(bytes.ReplaceAll(line, []byte{0}, []byte{' '}))}, nil
}

func statOf(pid int) ([]string, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil, err
	}
	return strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])), nil
}

// processes returns all processes under the server.
func (in *testServer) processes() []process { return under(in.t, in.server.Process.Pid) }

// under returns all processes below one.
func under(t *testing.T, root int) []process {
	t.Helper()
	children := map[int][]int{}
	entries, err := os.ReadDir("/proc")
	must(t, err)
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if fields, err := statOf(pid); err == nil {
			parent, _ := strconv.Atoi(fields[1])
			children[parent] = append(children[parent], pid)
		}
	}
	var found []process
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

// descendants returns pid and command line of all processes under the server, except its plugins.
func (in *testServer) descendants() []string { return boxesUnder(in.t, in.server.Process.Pid) }

func boxesUnder(t *testing.T, server int) []string {
	t.Helper()
	var found []string
	for _, p := range under(t, server) {
		if !strings.Contains(p.line, " plugin ") {
			found = append(found, fmt.Sprintf("%d %s", p.pid, p.line))
		}
	}
	return found
}
