// Package osthread makes threads for the Go runtime before they are wanted.
package osthread

import (
	"runtime"
	"sync"
)

// Reserve makes n threads now and leaves them to the runtime, which keeps them. A script may use up
// a box's processes, threads among them. A runtime that gets no thread ends its program.
func Reserve(n int) {
	var locked, done sync.WaitGroup
	locked.Add(n)
	for range n {
		done.Go(func() {
			runtime.LockOSThread() // the others need threads of their own now
			defer runtime.UnlockOSThread()
			locked.Done()
			locked.Wait()
		})
	}
	done.Wait()
}
