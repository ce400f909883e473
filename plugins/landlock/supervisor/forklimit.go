package supervisor

import (
	"fmt"
	"os"
	"sync"
	"time"
)

type permission int

const (
	refused permission = iota
	granted
	deferred // answered later
)

const (
	// settleTime is how long a fork that was granted may take until its child can be counted.
	settleTime = 5 * time.Millisecond
	// recount is how often a box at its limit is counted again.
	recount = 2 * time.Millisecond
)

// forkLimit decides which forks are allowed. Counting processes is expensive: it counts granted
// forks, and processes only when those reach the limit.
type forkLimit struct {
	limit   int64
	count   func() int64
	isGuest func(thread uint32) bool
	answer  func(n notification, granted bool)

	mu      sync.Mutex
	grants  int64 // since counted
	recent  []time.Time
	counted int64
	at      time.Time
	denials int64
	frozen  bool
	closed  bool
	held    []notification // asked for while frozen
}

// ask decides about one process or thread.
func (c *forkLimit) ask(n notification) permission {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return deferred
	}
	if c.frozen && !c.isGuest(n.pid) {
		c.held = append(c.held, n)
		return deferred
	}
	if c.counted+c.grants >= c.limit && !c.look() {
		c.denials++
		return refused
	}
	c.grants++
	c.recent = append(c.recent, time.Now())
	return granted
}

// look counts again and reports whether there is room. Its pauses bound the cost at the limit. It
// also waits while only recent forks are in the way: most short processes end soon.
func (c *forkLimit) look() bool {
	for {
		time.Sleep(time.Until(c.at.Add(recount)))
		now := time.Now()
		for len(c.recent) > 0 && now.Sub(c.recent[0]) > settleTime {
			c.recent = c.recent[1:]
		}
		// Those granted a moment ago may be counted twice, which errs on the right side.
		c.counted, c.grants, c.at = c.count(), int64(len(c.recent)), now
		switch {
		case c.counted >= c.limit:
			return false
		case c.counted+c.grants < c.limit:
			return true
		}
	}
}

func (c *forkLimit) freeze(on bool) {
	c.mu.Lock()
	c.frozen = on
	held := c.held
	if !on {
		c.held = nil
	}
	c.mu.Unlock()
	if on {
		return
	}
	for _, n := range held {
		if p := c.ask(n); p != deferred {
			c.answer(n, p == granted)
		}
	}
}

// close lets no caller fork again. Callers wait until they're killed, because an error would only
// make a script print a misleading message.
func (c *forkLimit) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed, c.held = true, nil
}

func (c *forkLimit) refusals() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.denials
}

func threadOf(pid int, thread uint32) bool {
	_, err := os.Stat(fmt.Sprintf("/proc/%d/task/%d", pid, thread))
	return err == nil
}
