package main

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins/freezer"
	"github.com/computclaw/airlock/plugins/procfs"
)

// newFreezer returns the freezer of every process of the box but PID 1. proc is the box's /proc.
func newFreezer(signal func(pid int, s unix.Signal), proc string) *freezer.Freezer {
	return &freezer.Freezer{
		Stop:    func() { signal(-1, unix.SIGSTOP) },
		Stopped: func() bool { return allStopped(proc) },
		Resume:  func() { signal(-1, unix.SIGCONT) },
	}
}

// allStopped reads /proc for threads that may still run.
func allStopped(proc string) bool {
	pids, err := os.ReadDir(proc)
	if err != nil {
		return false
	}
	for _, pid := range pids {
		if name := pid.Name(); name[0] < '0' || name[0] > '9' || name == "1" {
			continue
		}
		tasks := proc + "/" + pid.Name() + "/task"
		threads, err := os.ReadDir(tasks)
		if err != nil {
			continue // it ended
		}
		for _, thread := range threads {
			if procfs.MayRun(tasks + "/" + thread.Name()) {
				return false
			}
		}
	}
	return true
}
