package admin

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
)

func (o *operator) listAudit(ctx context.Context, args []string) error {
	if _, err := o.Parse(ctx, cli.NewFlags("admin audit list", Usage), args); err != nil {
		return err
	}
	events, err := o.Access.Audit.Latest(ctx, 100)
	if err != nil {
		return err
	}
	w := eventTable(o)
	for _, e := range events {
		eventRow(w, e)
	}
	return w.Flush()
}

func eventTable(o *operator) cli.Columns {
	return cli.Table(o.Out, "SEQ", "TIME", "WHO", "ACTION", "SUBJECT", "DETAIL")
}

func eventRow(w cli.Columns, e app.Event) {
	who := string(e.Actor.Kind)
	if e.Actor.Name != "" {
		who += " " + e.Actor.Name
	}
	w.Row(fmt.Sprint(e.Seq), cli.Stamp(e.At), who, e.Action, e.Subject, e.Detail)
}

// verifyAudit is airlock admin audit verify. Whoever can write the database can write the whole
// chain anew, which only a hash shows that was noted elsewhere: so it prints the newest, and looks
// for one that is given.
func (o *operator) verifyAudit(ctx context.Context, args []string) error {
	f := cli.NewFlags("admin audit verify", Usage)
	noted := f.String("noted", "", "")
	if _, err := o.Parse(ctx, f, args); err != nil {
		return err
	}
	state, err := o.Access.Audit.State(ctx, true)
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
	fmt.Fprintf(o.Out, "the audit log is unbroken up to %d:%s\n", state.Through, state.Hash)
	return nil
}

// verifyNoted looks for an event as verifyAudit printed it before.
func (o *operator) verifyNoted(ctx context.Context, noted string) error {
	number, hash, _ := strings.Cut(noted, ":")
	seq, err := strconv.ParseInt(number, 10, 64)
	sum, notHex := hex.DecodeString(hash)
	if err != nil || seq < 1 || notHex != nil || len(sum) != sha256.Size { // a slip of who copies it is no alarm
		return cli.UsageError{Message: "--noted takes what audit verify printed, whole: a number, a colon and a hash of 64 " +
			"characters"}
	}
	ok, err := o.Access.Audit.Has(ctx, seq, hex.EncodeToString(sum))
	if err == nil && !ok {
		return fmt.Errorf("the audit log is not the one that was noted: its event %d has another hash, or there is none. "+
			"It was written anew, or replaced by that of another copy (airlock admin restore)", seq)
	}
	if err == nil {
		fmt.Fprintf(o.Out, "event %d is as it was noted, and so is everything before it\n", seq)
	}
	return err
}

// archivedAudit is airlock admin audit archived. Each log was verified when it came, and the
// database lets nobody change it.
func (o *operator) archivedAudit(ctx context.Context, args []string) error {
	f := cli.NewFlags("admin audit archived", Usage)
	of := f.String("of", "", "")
	if _, err := o.Parse(ctx, f, args); err != nil {
		return err
	}
	if *of == "" {
		return o.listArchived(ctx)
	}
	w := eventTable(o)
	for after := int64(0); ; {
		events, err := o.Access.Audit.ArchivedEvents(ctx, *of, after)
		if err != nil {
			return err
		}
		if len(events) == 0 && after == 0 {
			return cli.UsageError{Message: fmt.Sprintf("there is no archived log %q; audit archived lists them",
				app.Clip(*of, 80))}
		}
		if len(events) == 0 {
			return w.Flush()
		}
		for _, e := range events {
			eventRow(w, e)
			after = e.Seq
		}
	}
}

func (o *operator) listArchived(ctx context.Context) error {
	logs, err := o.Access.Audit.ArchivedLogs(ctx)
	if err != nil {
		return err
	}
	w := cli.Table(o.Out, "LABEL", "EVENTS", "FROM", "TO")
	for _, l := range logs {
		w.Row(l.Source, fmt.Sprint(l.Events), cli.Stamp(l.First), cli.Stamp(l.Last))
	}
	return w.Flush()
}
