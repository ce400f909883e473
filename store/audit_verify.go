package store

import "context"

// AuditMark is how far the chain of audit events has been verified: through this event, which had
// this hash.
type AuditMark struct {
	Seq  int64
	Hash string
}

// Verify walks the chain from behind the mark, the zero mark being its beginning, and returns the
// mark of its end. broken is the sequence number of the first event that is missing, out of place
// or not as it was written; 0 if all are. An event that was cut off the end is noticed too, since
// numbers are never given twice. What is before the mark is not looked at, but for the event of the
// mark itself.
func (tx AuditLog) Verify(ctx context.Context, mark AuditMark) (end AuditMark, broken int64, err error) {
	const doing = "verify audit"
	end = mark
	if mark.Seq > 0 {
		row, err := selectValue[auditEventRow](ctx, tx.conn, doing, "SELECT * FROM audit_events WHERE seq = ?", mark.Seq)
		if err != nil {
			return mark, 0, err
		}
		if row.Hash != mark.Hash || row.digest() != mark.Hash {
			return mark, mark.Seq, nil
		}
	}
	for {
		rows, err := selectAll[auditEventRow](ctx, tx.conn, doing,
			"SELECT * FROM audit_events WHERE seq > ? ORDER BY seq LIMIT 1000", end.Seq)
		if err != nil {
			return mark, 0, err
		}
		for _, r := range rows {
			if r.Seq != end.Seq+1 || r.Prev != end.Hash || r.Hash != r.digest() {
				return end, end.Seq + 1, nil
			}
			end = AuditMark{r.Seq, r.Hash}
		}
		if len(rows) == 0 {
			break
		}
	}
	given, err := selectValue[int64](ctx, tx.conn, doing,
		"SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'audit_events'")
	if err != nil {
		return end, 0, err
	}
	if given != end.Seq {
		return end, end.Seq + 1, nil
	}
	return end, 0, nil
}
