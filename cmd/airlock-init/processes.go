package main

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

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
