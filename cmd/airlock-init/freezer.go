package main

import (
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins/procfs"
)

// freezeWithin bounds the attempts to stop a box. A fork bomb loses within a few rounds.
const freezeWithin = 5 * time.Second

// freezer stops every process of the box but PID 1, or resumes them. set reports success.
type freezer interface{ set(on bool) bool }

// Frozen boxes are checked after refreezeFirst, then less and less, down to every refreezeLast.
// Frequent checks of a thousand boxes would keep two cores busy. A box found awake is checked soon
// again.
const (
	refreezeFirst = 250 * time.Millisecond
	refreezeLast  = 8 * time.Second
)

// signalFreezer stops every process of the box but PID 1. It checks repeatedly, though the box's
// filter already stops scripts from waking processes. Not safe for concurrent use.
type signalFreezer struct {
	signal func(pid int, s unix.Signal)
	proc   string // the box's /proc

	thaw chan struct{} // nil while the box runs
	done chan struct{}
}

func (f *signalFreezer) set(on bool) bool {
	if f.thaw != nil {
		close(f.thaw)
		<-f.done
		f.thaw = nil
	}
	if !on {
		f.signal(-1, unix.SIGCONT)
		return true
	}
	if !f.freeze() {
		f.signal(-1, unix.SIGCONT) // it counts as running, so it must run
		return false
	}
	f.thaw, f.done = make(chan struct{}), make(chan struct{})
	go func(thaw <-chan struct{}, done chan<- struct{}) {
		defer close(done)
		for pause := refreezeFirst; ; pause = min(2*pause, refreezeLast) {
			select {
			case <-thaw:
				return
			case <-time.After(pause):
			}
			if !f.allStopped() {
				f.freeze()
				pause = refreezeFirst / 2
			}
		}
	}(f.thaw, f.done)
	return true
}

func (f *signalFreezer) freeze() bool {
	deadline := time.Now().Add(freezeWithin)
	for time.Now().Before(deadline) {
		f.signal(-1, unix.SIGSTOP)
		// Signals of fellow threads take a moment; a process just forked needs another round.
		for range 10 {
			if f.allStopped() {
				return true
			}
			time.Sleep(200 * time.Microsecond)
		}
	}
	return false
}

// allStopped reads /proc for threads that may still run.
func (f *signalFreezer) allStopped() bool {
	pids, err := os.ReadDir(f.proc)
	if err != nil {
		return false
	}
	for _, pid := range pids {
		if name := pid.Name(); name[0] < '0' || name[0] > '9' || name == "1" {
			continue
		}
		tasks := f.proc + "/" + pid.Name() + "/task"
		threads, err := os.ReadDir(tasks)
		if err != nil {
			continue // it ended
		}
		for _, thread := range threads {
			// A task in state D runs no more script code before it stops. A vfork parent stays in
			// it.
			stat, err := procfs.ReadStat(tasks + "/" + thread.Name())
			if err == nil && !strings.ContainsRune("TtZXD", rune(stat.State)) {
				return false
			}
		}
	}
	return true
}
