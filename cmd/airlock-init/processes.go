package main

import (
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"
)

// reap waits for every child, orphans included, until there are none. It sends the main process's
// wait status on ended, and closes gone at the end.
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

// killAll kills every process but PID 1 and returns when all are reaped. It never gives up: the
// box's owner has a deadline.
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
