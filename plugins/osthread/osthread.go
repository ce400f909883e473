// Package osthread makes threads for the Go runtime before they are wanted.
package osthread

import (
	"runtime"
	"sync"
)

// Reserve makes n threads now and leaves them to the runtime, which keeps them. The kernel counts
// threads among a box's processes, and a script may use those up: a runtime that needs a thread and
// gets none ends its program.
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
