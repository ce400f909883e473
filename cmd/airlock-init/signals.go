package main

import (
	"fmt"
	"os"
	"os/signal"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ignoreSignals makes every signal that a script could send harmless.
//
// The kernel spares PID 1 only signals without a handler, and Go's handlers exit: so all are caught
// and dropped. Go doesn't catch two of them. They are ignored explicitly, since the kernel's
// protection fails where one thread blocks a signal and another doesn't.
func ignoreSignals() error {
	signal.Notify(make(chan os.Signal, 1))
	for _, number := range []uintptr{32, 34} {
		action := struct {
			handler, flags, restorer uintptr
			mask                     uint64
		}{handler: 1} // SIG_IGN
		if _, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, number, uintptr(unsafe.Pointer(&action)), 0, 8, 0,
			0); errno != 0 {
			return fmt.Errorf("ignore signal %d: %w", number, errno)
		}
	}
	return nil
}
