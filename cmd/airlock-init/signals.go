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
// The kernel spares a box's PID 1 from signals without a handler, but the Go runtime has handlers,
// and they exit: so all signals are caught and dropped. That protection also has a hole where one
// thread blocks a signal and another doesn't, as Go's threads do while a handler runs: so the two
// signals that Go leaves alone are ignored explicitly.
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
