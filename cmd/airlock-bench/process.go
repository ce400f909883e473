package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/computclaw/airlock/plugins/procfs"
)

// processorTimes returns the processor time of a server, and of it with all processes below. An
// ended template counts its boxes.
func processorTimes(pid int) (server, all time.Duration) {
	const tick = 10 * time.Millisecond // on every platform of Linux that Go knows
	for _, process := range procfs.Tree(pid) {
		stat, err := procfs.StatOf(process.PID)
		if err != nil {
			continue
		}
		used := time.Duration(stat.Used) * tick
		all += used
		if process.PID == pid {
			server = used
		}
	}
	return server, all
}

// memoryNow returns a process's resident memory in MiB, and memoryPeak the most so far.
func memoryNow(pid int) float64  { return statusLine(pid, "VmRSS") }
func memoryPeak(pid int) float64 { return statusLine(pid, "VmHWM") }

// statusLine reads a size in MiB from a process's status file; 0 if it has ended.
func statusLine(pid int, field string) float64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, field+":"); ok {
			kib, _ := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 64)
			return kib / 1024
		}
	}
	return 0
}
