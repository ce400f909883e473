package main

import (
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"
)

// reap waits for every child, inherited orphans included, until there are none. It sends the wait
// status of the one process that matters on ended and closes gone at the end.
func reap(main int, ended chan<- unix.WaitStatus, gone chan<- struct{}) {
	defer close(gone)
	died := make(chan os.Signal, 1)
	signal.Notify(died, unix.SIGCHLD)
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

// killAll ends every process of a box but its PID 1. It returns when the reaper has seen the last.
// It doesn't give up: whoever started the box has a deadline and stronger means.
func killAll(b box, gone <-chan struct{}) {
	for pause := time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		b.kill(-1, unix.SIGKILL)
		select {
		case <-gone:
			return
		case <-time.After(pause):
		}
	}
}
