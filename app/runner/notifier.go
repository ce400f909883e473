package runner

import (
	"sync"
	"time"
)

// notifyEvery bounds how often new output and connections are announced.
const notifyEvery = 200 * time.Millisecond

// notifier collects news for a moment, and announces it in one call. It is safe for concurrent use.
type notifier struct {
	notify  func()
	pending sync.WaitGroup

	mu      sync.Mutex
	timer   *time.Timer // nil if nothing is scheduled
	stopped bool
}

func newNotifier(notify func()) *notifier { return &notifier{notify: notify} }

// schedule has notify called soon.
func (n *notifier) schedule() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.timer != nil || n.stopped {
		return
	}
	n.pending.Add(1)
	n.timer = time.AfterFunc(notifyEvery, func() {
		defer n.pending.Done()
		n.mu.Lock()
		n.timer = nil
		n.mu.Unlock()
		n.notify()
	})
}

// stop cancels the scheduled call. A call that is under way goes on: see wait.
func (n *notifier) stop() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.stopped = true
	if n.timer != nil && n.timer.Stop() {
		n.pending.Done()
	}
}

// wait returns when no call is under way. It must follow stop.
func (n *notifier) wait() { n.pending.Wait() }
