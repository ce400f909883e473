package egress

import (
	"sync"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/rules"
)

// ledger holds an execution's network record in bounded rows.
type ledger struct {
	changed func()

	mu       sync.Mutex
	rows     []*row
	refusals map[refusal]*row
	more     *app.Connection // counts what did not get a row
}

// row is one line of the ledger.
type row struct {
	app.Connection
	live   *meter // nil once it has ended
	beyond bool   // counted in the last row
}

// refusal is what repeated refusals have in common.
type refusal struct {
	host   string
	port   int
	rule   string
	method string // of a request that was read
	path   string
}

func newLedger(changed func()) *ledger {
	return &ledger{changed: changed, refusals: map[refusal]*row{}}
}

// add adds the row of an open connection or request. Without room it is counted in the last row.
func (l *ledger) add(live *meter, c app.Connection) *row {
	r := &row{Connection: c, live: live}
	l.mu.Lock()
	if l.fullLocked() {
		l.countLocked(c)
		r.beyond = true
	} else {
		l.rows = append(l.rows, r)
	}
	l.mu.Unlock()
	l.changed()
	return r
}

// finish writes the last figures of a connection.
func (l *ledger) finish(r *row) {
	l.mu.Lock()
	r.Connection, r.live = r.figures(), nil
	if r.beyond {
		l.more.BytesUp += r.BytesUp
		l.more.BytesDown += r.BytesDown
	}
	l.mu.Unlock()
	l.changed()
}

// amend changes a row that is open.
func (l *ledger) amend(r *row, change func(*app.Connection)) {
	l.mu.Lock()
	if change(&r.Connection); r.beyond {
		l.more.Verdict = gravest(l.more.Verdict, r.Verdict)
	}
	l.mu.Unlock()
}

func (l *ledger) noteRefusal(c app.Connection) {
	if l.repeat(c) {
		l.changed()
	}
}

// repeat counts c in its row, and reports whether that is new.
func (l *ledger) repeat(c app.Connection) bool {
	key := refusal{c.Host, c.Port, c.Rule, c.Method, c.Path}
	l.mu.Lock()
	defer l.mu.Unlock()
	if r, ok := l.refusals[key]; ok {
		r.Count++
		return false
	}
	if l.fullLocked() {
		return l.countLocked(c)
	}
	r := &row{Connection: c}
	l.rows = append(l.rows, r)
	l.refusals[key] = r
	return true
}

func (l *ledger) fullLocked() bool { return len(l.rows) >= app.MaxConnections }

// countLocked adds c to the last row and reports whether that is new. The gravest verdict counts.
func (l *ledger) countLocked(c app.Connection) bool {
	if l.more == nil {
		l.more = &app.Connection{Host: "*", Rule: rules.More, Verdict: c.Verdict, StartedAt: c.StartedAt, Count: 1}
		return true
	}
	l.more.Count++
	l.more.Verdict = gravest(l.more.Verdict, c.Verdict)
	return false
}

func (l *ledger) snapshot() []app.Connection {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := make([]app.Connection, 0, len(l.rows)+1)
	for _, r := range l.rows {
		list = append(list, r.figures())
	}
	if l.more != nil {
		list = append(list, *l.more)
	}
	return list
}

// figures returns the row as it stands now.
func (r *row) figures() app.Connection {
	c := r.Connection
	if r.live != nil {
		c.BytesUp, c.BytesDown = r.live.up.Load(), r.live.down.Load()
		c.Duration = time.Since(c.StartedAt)
	}
	return c
}

func gravest(a, b app.Verdict) app.Verdict {
	if gravity(b) > gravity(a) {
		return b
	}
	return a
}

func gravity(v app.Verdict) int {
	switch v {
	case app.VerdictDenied:
		return 2
	case app.VerdictFailed:
		return 1
	}
	return 0
}
