package content

import (
	"fmt"

	"github.com/computclaw/airlock/store"
)

// AuditLogs follows the audit logs of a file: the instance's own, then those that it keeps beside it.
type AuditLogs struct {
	own      chain
	archived chain  // the one that is under way
	source   string // whose that is
}

// Event takes the next event of the instance's own log.
func (l *AuditLogs) Event(e store.EventRow) error { return l.own.take(e) }

// Archived takes the next event of the other logs.
func (l *AuditLogs) Archived(a Archived) error {
	if a.Source != l.source {
		if a.Source <= l.source || !labelShape.MatchString(a.Source) {
			return Contradiction("the archived audit log", "is out of order", nil)
		}
		l.source, l.archived = a.Source, chain{}
	}
	return l.archived.take(a.EventRow)
}

// chain is an audit log as far as it was read.
type chain struct {
	seq  int64
	hash string
}

// take continues the chain with an event. Errors: it is not the next one, or its hash is wrong.
func (c *chain) take(e store.EventRow) error {
	if e.Seq != c.seq+1 || e.Prev != c.hash || !store.Intact(e) || checkBounds(e) != nil {
		return Contradiction("the audit log", fmt.Sprintf("is broken at event %d", c.seq+1), nil)
	}
	c.seq, c.hash = e.Seq, e.Hash
	return nil
}
