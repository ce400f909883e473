package main

import (
	"fmt"
	"os"
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

// memoryPeak returns the most resident memory of a process so far, in MiB; 0 if it has ended.
func memoryPeak(pid int) (mib float64) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	_, _ = fmt.Sscan(rest, &mib) // in KiB
	return mib / 1024
}
