package supervisor

import (
	"time"

	"golang.org/x/sys/unix"
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

const (
	// freezeWithin bounds the attempts to stop every process.
	freezeWithin = 5 * time.Second
	// A frozen box is checked after refreezeFirst, then ever less often, down to once every
	// refreezeLast: many boxes may be frozen. One found running is checked again soon.
	refreezeFirst = 250 * time.Millisecond
	refreezeLast  = 8 * time.Second
)

// freezer holds every process of the box but the guest stopped. Not safe for concurrent use.
type freezer struct {
	forks *forkLimit
	guest int
	thaw  chan struct{} // nil while the box runs
	done  chan struct{}
}

// set freezes or thaws and returns the state that was reached.
func (f *freezer) set(on bool) bool {
	if f.thaw != nil {
		close(f.thaw)
		<-f.done
		f.thaw = nil
	}
	if on {
		f.forks.freeze(true)
		if f.freeze() {
			f.thaw, f.done = make(chan struct{}), make(chan struct{})
			go f.hold(f.thaw, f.done)
			return true
		}
	}
	d := newDescendants()
	for _, p := range f.otherProcesses() {
		d.signal(p.PID, unix.SIGCONT)
	}
	f.forks.freeze(false)
	return false
}

func (f *freezer) hold(thaw <-chan struct{}, done chan<- struct{}) {
	defer close(done)
	for pause := refreezeFirst; ; pause = min(2*pause, refreezeLast) {
		select {
		case <-thaw:
			return
		case <-time.After(pause):
		}
		if !f.stop() {
			pause = refreezeFirst / 2
		}
	}
}

// freeze stops everything and reports success. Nothing forks meanwhile, so a few rounds suffice.
func (f *freezer) freeze() bool {
	for deadline := time.Now().Add(freezeWithin); time.Now().Before(deadline); {
		if f.stop() {
			return true
		}
		time.Sleep(200 * time.Microsecond)
	}
	return false
}

// stop signals whoever isn't stopped and reports whether there was nobody.
func (f *freezer) stop() bool {
	all, d := true, newDescendants()
	for _, p := range f.otherProcesses() {
		if !p.stopped() {
			all = false
			d.signal(p.PID, unix.SIGSTOP)
		}
	}
	return all
}

func (f *freezer) otherProcesses() []process {
	var others []process
	for _, p := range listProcesses() {
		if p.PID != f.guest {
			others = append(others, p)
		}
	}
	return others
}
