package supervisor

import (
	"slices"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins/freezer"
	"github.com/computclaw/airlock/plugins/procfs"
)

// signal sends sig to process pid if that is in the box. A descriptor holds the process during the
// check: its number may be reused.
func (d *descendants) signal(pid int, sig unix.Signal) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	// gone, so it may not have been the one that was looked at
	if !d.has(pid) || unix.PidfdSendSignal(fd, 0, nil, 0) != nil {
		return
	}
	_ = unix.PidfdSendSignal(fd, sig, nil, 0)
}

// killAll sends SIGKILL to every process of the box that it finds. Repeat it until nothing is left.
func killAll() {
	d := newDescendants()
	for _, p := range listProcesses() {
		d.signal(p.PID, unix.SIGKILL)
	}
}

// freezing holds every process of the box but the guest stopped. Not safe for concurrent use.
type freezing struct {
	*freezer.Freezer
	forks *forkLimit
}

func newFreezing(forks *forkLimit, guest int) freezing {
	signal := func(sig unix.Signal) {
		d := newDescendants()
		for _, p := range otherProcesses(guest) {
			d.signal(p.PID, sig)
		}
	}
	return freezing{&freezer.Freezer{
		Stop:   func() { signal(unix.SIGSTOP) },
		Resume: func() { signal(unix.SIGCONT) },
		Stopped: func() bool {
			return !slices.ContainsFunc(otherProcesses(guest), func(p process) bool {
				return slices.ContainsFunc(p.Threads, procfs.MayRun)
			})
		},
	}, forks}
}

// set freezes or thaws and returns whether the box is frozen. Nothing forks meanwhile, so a few
// rounds suffice.
func (f freezing) set(on bool) bool {
	if on {
		f.forks.freeze(true)
	}
	frozen := f.Set(on)
	if !frozen {
		f.forks.freeze(false)
	}
	return frozen
}

func otherProcesses(guest int) []process {
	return slices.DeleteFunc(listProcesses(), func(p process) bool { return p.PID == guest })
}
