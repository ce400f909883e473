package ruleset

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// OnThrowawayThread runs f on a thread that ends with it, and waits for that. Processes inside a
// ruleset can signal a thread that entered it, and thus its whole process. f never runs on a
// process's first thread, which Go doesn't end.
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
