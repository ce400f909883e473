package ruleset

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// OnThrowawayThread runs f on a thread that ends with it, and waits for that. To those inside a
// ruleset a thread that entered it is one of them, and a signal to one thread is a signal to all of
// the process. Go doesn't end a process's first thread, so f never runs there.
func OnThrowawayThread(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		if unix.Gettid() == unix.Getpid() {
			OnThrowawayThread(f) // elsewhere, since this thread is taken
			runtime.UnlockOSThread()
			return
		}
		f()
	}()
	<-done
}
