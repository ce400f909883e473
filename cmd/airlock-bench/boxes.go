package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/computclaw/airlock/plugins/procfs"
)

// boxCensus finds the boxes on this host that came after it was made: those of one measurement,
// whichever backend opened them.
type boxCensus struct{ before map[int]bool }

func newBoxCensus() *boxCensus {
	c := &boxCensus{before: map[int]bool{}}
	for _, pid := range guests() {
		c.before[pid] = true
	}
	return c
}

// boxes returns the first processes of the boxes.
func (c *boxCensus) boxes() []int {
	var found []int
	for _, pid := range guests() {
		if !c.before[pid] {
			found = append(found, pid)
		}
	}
	return found
}

// memory returns the bytes that a box takes, with what stands around it: of all processes that are
// there for that box only, what they share with others by equal parts; the median of all boxes,
// since others may run here too. 0 if none can be seen, as when they are on another machine.
func (c *boxCensus) memory() int64 {
	boxes := c.boxes()
	parents := parentsOfAll()
	inside := map[int]int{} // how many boxes are at or below a process
	only := map[int]int{}   // one of them
	for _, box := range boxes {
		for pid := box; pid > 0; pid = parents[pid] {
			inside[pid]++
			only[pid] = box
		}
	}
	sums := map[int]int64{}
	for pid := range parents {
		up := pid
		for up > 0 && inside[up] == 0 {
			up = parents[up]
		}
		if inside[up] == 1 {
			sums[only[up]] += proportional(pid)
		}
	}
	list := slices.Sorted(maps.Values(sums))
	if len(list) == 0 {
		return 0
	}
	return list[len(list)/2]
}

// guests returns the processes that are a box's first.
func guests() []int {
	var found []int
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		line, err := os.ReadFile(file)
		first, _, _ := bytes.Cut(line, []byte{0})
		if err != nil || filepath.Base(string(first)) != "airlock-init" {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil {
			found = append(found, pid)
		}
	}
	return found
}

// parentsOfAll maps each process to its parent.
func parentsOfAll() map[int]int {
	parents := map[int]int{}
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		if stat, err := procfs.ReadStat(dir); err == nil {
			pid, _ := strconv.Atoi(filepath.Base(dir))
			parents[pid] = stat.Parent
		}
	}
	return parents
}

// proportional is a process's memory, with its part of what it shares.
func proportional(pid int) int64 { return memoryLine(fmt.Sprintf("/proc/%d/smaps_rollup", pid), "Pss") }

// residentNow is the memory that a process has now.
func residentNow(pid int) int64 { return memoryLine(fmt.Sprintf("/proc/%d/status", pid), "VmRSS") }

// peak is the most memory that a process has had.
func peak(pid int) int64 { return memoryLine(fmt.Sprintf("/proc/%d/status", pid), "VmHWM") }

// available is the machine's memory that could still be used.
func available() int64 { return memoryLine("/proc/meminfo", "MemAvailable") }

// memoryLine reads a size, in bytes, from a file of the kernel's; 0 if it isn't there, as when the
// process has ended.
func memoryLine(path, field string) int64 {
	text, _ := os.ReadFile(path)
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, field+":"); ok {
			kib, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			return kib << 10
		}
	}
	return 0
}
