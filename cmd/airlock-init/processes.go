package main

import (
	"bytes"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// freezeWithin bounds the attempts to stop every process of the box. A fork bomb loses this race
// within a few rounds.
const freezeWithin = 5 * time.Second

// reap waits for every child, its own and the orphans it inherited, until there are none. It sends
// the wait status of the one process that matters on ended and closes gone at the end. died has
// room for one signal and gets SIGCHLD since before main started.
func reap(main int, died <-chan os.Signal, ended chan<- unix.WaitStatus, gone chan<- struct{}) {
	defer close(gone)
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, unix.WNOHANG, nil)
		switch {
		case err == unix.EINTR:
		case err != nil: // ECHILD
			return
		case pid == 0:
			<-died
		case pid == main:
			ended <- status
		}
	}
}

// killAll ends every process but this one and returns when the reaper has seen the last. It doesn't
// give up: whoever started the box has a deadline and stronger means.
func killAll(gone <-chan struct{}) {
	for pause := time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		_ = unix.Kill(-1, unix.SIGKILL)
		select {
		case <-gone:
			return
		case <-time.After(pause):
		}
	}
}

// freezer stops every process of the box but this one, or lets them go on, and tells whether it
// succeeded.
type freezer interface{ set(on bool) bool }

// A frozen box is looked at again after refreezeFirst, then ever more seldom down to once every
// refreezeLast: a thousand boxes may wait frozen, and looks four times a second of all of them keep
// two cores busy. A box that was found awake is looked at soon again.
const (
	refreezeFirst = 250 * time.Millisecond
	refreezeLast  = 8 * time.Second
)

// ice holds every process of the box but this one stopped. The filter of the box closes the ways in
// which a script could have the kernel wake it; ice looks again and again all the same. Not safe
// for concurrent use.
type ice struct {
	melt chan struct{} // nil while the box runs
	done chan struct{}
}

// set freezes or thaws, and tells whether it succeeded.
func (i *ice) set(on bool) bool {
	if i.melt != nil {
		close(i.melt)
		<-i.done
		i.melt = nil
	}
	if !on {
		_ = unix.Kill(-1, unix.SIGCONT)
		return true
	}
	if !freeze() {
		_ = unix.Kill(-1, unix.SIGCONT) // it counts as running, so it must run
		return false
	}
	i.melt, i.done = make(chan struct{}), make(chan struct{})
	go func(melt <-chan struct{}, done chan<- struct{}) {
		defer close(done)
		for pause := refreezeFirst; ; pause = min(2*pause, refreezeLast) {
			select {
			case <-melt:
				return
			case <-time.After(pause):
			}
			if !allStopped() {
				freeze()
				pause = refreezeFirst / 2
			}
		}
	}(i.melt, i.done)
	return true
}

// freeze stops every process but this one and tells whether it succeeded.
func freeze() bool {
	deadline := time.Now().Add(freezeWithin)
	for time.Now().Before(deadline) {
		_ = unix.Kill(-1, unix.SIGSTOP)
		// Signals of fellow threads take a moment; a process forked while we looked needs the next round.
		for range 10 {
			if allStopped() {
				return true
			}
			time.Sleep(200 * time.Microsecond)
		}
	}
	return false
}

// allStopped reads /proc: is no thread of any other process running or about to?
func allStopped() bool {
	pids, err := os.ReadDir("/proc")
	if err != nil {
		return false
	}
	self := strconv.Itoa(os.Getpid())
	for _, pid := range pids {
		if name := pid.Name(); name[0] < '0' || name[0] > '9' || name == self {
			continue
		}
		tasks := "/proc/" + pid.Name() + "/task"
		threads, err := os.ReadDir(tasks)
		if err != nil {
			continue // it ended
		}
		for _, thread := range threads {
			if mayRun(tasks + "/" + thread.Name() + "/stat") {
				return false
			}
		}
	}
	return true
}

// mayRun reads a thread's state. One in an uninterruptible wait (D) runs no more of the script's
// code before it stops; the parent of a vfork stays in that state for as long as the child is
// stopped.
func mayRun(path string) bool {
	stat, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	end := bytes.LastIndexByte(stat, ')') // the name before it may contain anything
	if end < 0 || end+2 >= len(stat) {
		return true
	}
	return !bytes.ContainsRune([]byte("TtZXD"), rune(stat[end+2]))
}
