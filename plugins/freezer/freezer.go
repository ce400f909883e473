// Package freezer holds the processes of a box stopped, by signals.
package freezer

import "time"

const (
	// within bounds the attempts to stop every process. A fork bomb loses within a few rounds.
	within = 5 * time.Second
	// A frozen box is checked after checkFirst, then ever less often, down to once every checkLast:
	// many boxes may be frozen. One found awake is checked again soon.
	checkFirst = 250 * time.Millisecond
	checkLast  = 8 * time.Second
)

// Freezer stops and resumes processes. Not safe for concurrent use.
type Freezer struct {
	Stop    func()      // signals all of them
	Stopped func() bool // reports whether none of them runs
	Resume  func()      // signals all of them

	thaw chan struct{} // nil while they run
	done chan struct{}
}

// Set stops or resumes them, and returns whether they are frozen.
func (f *Freezer) Set(on bool) (frozen bool) {
	if f.thaw != nil {
		close(f.thaw)
		<-f.done
		f.thaw = nil
	}
	if !on || !f.freeze() {
		f.Resume() // after a failure too: they count as running, so they must run
		return false
	}
	f.thaw, f.done = make(chan struct{}), make(chan struct{})
	go f.hold(f.thaw, f.done)
	return true
}

// hold checks repeatedly, though a box's filter stops scripts from waking processes.
func (f *Freezer) hold(thaw <-chan struct{}, done chan<- struct{}) {
	defer close(done)
	for pause := checkFirst; ; pause = min(2*pause, checkLast) {
		select {
		case <-thaw:
			return
		case <-time.After(pause):
		}
		if !f.Stopped() {
			f.freeze()
			pause = checkFirst / 2
		}
	}
}

func (f *Freezer) freeze() bool {
	for deadline := time.Now().Add(within); time.Now().Before(deadline); {
		f.Stop()
		// Signals of fellow threads take a moment; a process just forked needs another round.
		for range 10 {
			if f.Stopped() {
				return true
			}
			time.Sleep(200 * time.Microsecond)
		}
	}
	return false
}
