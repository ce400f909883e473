package egress

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/computclaw/airlock/app/egress/rules"
)

// link is an open connection of a box: its target, its bytes and the means to end it.
type link struct {
	session *Session
	name    string
	port    int
	target  target   // dialled last; guarded by session.mu
	using   []string // keys whose values the request under way carries; guarded by session.mu
	meter   atomic.Pointer[meter]
	unread  bool // it is relayed, and would be read if a sealed credential belonged to its host
	began   time.Time
	last    atomic.Int64 // when a byte last passed, in nanoseconds since it began, by a clock that nobody sets
	idle    *time.Timer
	once    sync.Once
	// cut resets both sides at once and drops buffered data. The row of a request under way, or of
	// a relay that is no longer allowed, gets the rule. It may be called repeatedly; the first rule
	// counts.
	cut func(rule string)
}

// meter counts bytes for one ledger row.
type meter struct{ up, down atomic.Int64 }

const farAway = 1000 * time.Hour

// init prepares a link; set cut before the session starts it.
func (l *link) init(s *Session, name string, port int, to target) {
	l.session, l.name, l.port, l.target, l.began = s, name, port, to, time.Now()
	l.meter.Store(&meter{})
	l.touch()
	l.idle = time.AfterFunc(farAway, l.checkIdle)
}

func (l *link) touch() { l.last.Store(int64(time.Since(l.began))) }

// countSent and countReceived count bytes, and report whether the execution may go on.
func (l *link) countSent(n int) bool {
	l.meter.Load().up.Add(int64(max(n, 0)))
	return l.spend(n)
}

func (l *link) countReceived(n int) bool {
	l.meter.Load().down.Add(int64(max(n, 0)))
	return l.spend(n)
}

func (l *link) spend(n int) bool {
	if n <= 0 {
		return true
	}
	l.touch()
	return l.session.bytes.Add(int64(n)) <= l.session.gateway.limits.Bytes
}

// checkIdle cuts an idle connection, or schedules the next look.
func (l *link) checkIdle() {
	limit := l.session.gateway.limits.Idle
	rested := time.Since(l.began) - time.Duration(l.last.Load())
	if rested >= limit {
		l.cut(rules.Timeout)
		return
	}
	l.idle.Reset(limit - rested)
}

// end runs f and frees the link's place, once.
func (l *link) end(f func()) {
	l.once.Do(func() {
		l.idle.Stop()
		f()
		l.session.forget(l)
	})
}
