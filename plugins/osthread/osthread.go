// Package osthread makes threads for the Go runtime before they are wanted.
package osthread

import (
	"runtime"
	"sync"
)

// Reserve makes n threads now for the runtime to keep. A script may use up a box's processes and
// threads, and Go exits without a new thread.
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
