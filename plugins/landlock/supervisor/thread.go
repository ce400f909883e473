package supervisor

import (
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins/landlock/ruleset"
)

// thread runs functions, one at a time, on one thread that does nothing else.
type thread struct{ work chan func() }

// newThread prepares a thread by prepare, which must succeed.
func newThread(prepare func() error) (*thread, error) {
	t := &thread{work: make(chan func())}
	ready := make(chan error, 1)
	go ruleset.OnThrowawayThread(func() { // nothing else may run with what prepare did
		err := prepare()
		ready <- err
		if err != nil {
			return
		}
		for f := range t.work {
			f()
		}
	})
	return t, <-ready
}

func (t *thread) do(f func()) {
	done := make(chan struct{})
	t.work <- func() {
		defer close(done)
		f()
	}
	<-done
}

// actAs makes the calling thread access files and memory as uid. 0 changes nothing.
func actAs(uid int) error {
	if uid == 0 {
		return nil
	}
	for _, call := range []uintptr{unix.SYS_SETFSGID, unix.SYS_SETFSUID} {
		const ask = ^uintptr(0)
		// Neither call tells of failure; the second asks for what came of the first.
		_, _, _ = unix.RawSyscall(call, uintptr(uid), 0, 0)
		if now, _, _ := unix.RawSyscall(call, ask, 0, 0); int(int32(now)) != uid {
			return fmt.Errorf("become uid %d for files: not permitted (needs the capabilities SETUID and SETGID)", uid)
		}
	}
	return nil
}
