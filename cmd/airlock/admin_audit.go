package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/computclaw/airlock/app"
)

func (o *operator) listAudit(ctx context.Context, args []string) error {
	if _, err := o.parse(ctx, newFlags("admin audit list", adminUsage), args); err != nil {
		return err
	}
	events, err := o.access.Audit(ctx, 0, 100)
	if err != nil {
		return err
	}
	w := eventTable(o)
	for _, e := range events {
		eventRow(w, e)
	}
	return w.flush()
}

func eventTable(o *operator) columns {
	return table(o.out, "SEQ", "TIME", "WHO", "ACTION", "SUBJECT", "DETAIL")
}

func eventRow(w columns, e app.Event) {
	who := string(e.Actor.Kind)
	if e.Actor.Name != "" {
		who += " " + e.Actor.Name
	}
	w.row(fmt.Sprint(e.Seq), stamp(e.At), who, e.Action, e.Subject, e.Detail)
}

// verifyAudit is airlock admin audit verify. Whoever can write the database can write the whole chain anew, which only a hash shows that was noted elsewhere: so it prints
// the newest, and looks for one that is given.
func (o *operator) verifyAudit(ctx context.Context, args []string) error {
	f := newFlags("admin audit verify", adminUsage)
	noted := f.String("noted", "", "")
	if _, err := o.parse(ctx, f, args); err != nil {
		return err
	}
	state, err := o.access.AuditState(ctx, true)
	if err != nil {
		return err
	}
	if state.Broken != 0 {
		return fmt.Errorf("the audit log was changed: its chain breaks at event %d", state.Broken)
	}
	if *noted != "" {
		if err := o.verifyNoted(ctx, *noted); err != nil {
			return err
		}
	}
	fmt.Fprintf(o.out, "the audit log is unbroken up to %d:%s\n", state.Through, state.Hash)
	return nil
}

// verifyNoted looks for an event as verifyAudit printed it before.
func (o *operator) verifyNoted(ctx context.Context, noted string) error {
	number, hash, _ := strings.Cut(noted, ":")
	seq, err := strconv.ParseInt(number, 10, 64)
	sum, notHex := hex.DecodeString(hash)
	if err != nil || seq < 1 || notHex != nil || len(sum) != sha256.Size { // a slip of who copies it is no alarm
		return usageError{message: "--noted takes what audit verify printed, whole: a number, a colon and a hash of 64 characters"}
	}
	ok, err := o.access.AuditHas(ctx, seq, hex.EncodeToString(sum))
	if err == nil && !ok {
		return fmt.Errorf("the audit log is not the one that was noted: its event %d has another hash, or there is none. It was written anew, or replaced by that of another copy (airlock admin restore)", seq)
	}
	if err == nil {
		fmt.Fprintf(o.out, "event %d is as it was noted, and so is everything before it\n", seq)
	}
	return err
}

// archivedAudit is airlock admin audit archived. Each log was verified when it came, and the database lets nobody change it.
func (o *operator) archivedAudit(ctx context.Context, args []string) error {
	f := newFlags("admin audit archived", adminUsage)
	of := f.String("of", "", "")
	if _, err := o.parse(ctx, f, args); err != nil {
		return err
	}
	if *of == "" {
		return o.listArchived(ctx)
	}
	w := eventTable(o)
	for after := int64(0); ; {
		events, err := o.access.ArchivedEvents(ctx, *of, after)
		if err != nil {
			return err
		}
		if len(events) == 0 && after == 0 {
			return usageError{message: fmt.Sprintf("there is no archived log %q; audit archived lists them", app.Clip(*of, 80))}
		}
		if len(events) == 0 {
			return w.flush()
		}
		for _, e := range events {
			eventRow(w, e)
			after = e.Seq
		}
	}
}

func (o *operator) listArchived(ctx context.Context) error {
	logs, err := o.access.ArchivedLogs(ctx)
	if err != nil {
		return err
	}
	w := table(o.out, "LABEL", "EVENTS", "FROM", "TO")
	for _, l := range logs {
		w.row(l.Source, fmt.Sprint(l.Events), stamp(l.First), stamp(l.Last))
	}
	return w.flush()
}
