package admin

import (
	"context"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
	"github.com/computclaw/airlock/store"
)

func (o *operator) listAudit(ctx context.Context, _ cli.Args) error {
	events, err := o.Access.Audit.Latest(ctx, 100)
	if err != nil {
		return err
	}
	return o.printEvents(events)
}

func (o *operator) printEvents(events []app.Event) error {
	return table(o, events, func(e app.Event) []string {
		who := cli.Join(" ", string(e.Actor.Kind), e.Actor.Name)
		return []string{fmt.Sprint(e.Seq), cli.Stamp(e.At), who, e.Action, e.Subject, e.Detail}
	}, "SEQ", "TIME", "WHO", "ACTION", "SUBJECT", "DETAIL")
}

// verifyAudit verifies the chain and prints its newest hash. A writer of the database can rewrite
// the whole chain; only a hash noted elsewhere shows that.
func (o *operator) verifyAudit(ctx context.Context, a cli.Args) error {
	state, err := o.Access.Audit.State(ctx, true)
	if err != nil {
		return err
	}
	if state.Broken != 0 {
		return fmt.Errorf("the audit log was changed: its chain breaks at event %d", state.Broken)
	}
	if a.IsGiven("noted") {
		if err := o.verifyNoted(ctx, a.Text("noted")); err != nil {
			return err
		}
	}
	fmt.Fprintf(o.Out, "the audit log is unbroken up to %d:%s\n", state.Through, state.Hash)
	return nil
}

func (o *operator) verifyNoted(ctx context.Context, noted string) error {
	number, hash, _ := strings.Cut(noted, ":")
	seq, err := strconv.ParseInt(number, 10, 64)
	if sum, notHex := hex.DecodeString(hash); err != nil || notHex != nil || len(sum) != 32 { // a typing slip is no alarm
		return cli.UsageError{Message: "--noted takes what audit verify printed, whole: a number, a colon and a hash of 64 " +
			"characters"}
	}
	ok, err := o.Access.Audit.Has(ctx, seq, strings.ToLower(hash))
	if err == nil && !ok {
		return fmt.Errorf("the audit log is not the one that was noted: its event %d has another hash, or there is none. "+
			"It was written anew, or replaced by that of another copy (airlock admin restore)", seq)
	}
	if err == nil {
		fmt.Fprintf(o.Out, "event %d is as it was noted, and so is everything before it\n", seq)
	}
	return err
}

// archivedAudit prints the imported logs, or one of them. Each was verified on import.
func (o *operator) archivedAudit(ctx context.Context, a cli.Args) error {
	if !a.IsGiven("of") {
		logs, err := o.Access.Audit.ArchivedLogs(ctx)
		if err != nil {
			return err
		}
		return table(o, logs, func(l store.ArchivedLog) []string {
			return []string{l.Source, fmt.Sprint(l.Events), cli.Stamp(l.First), cli.Stamp(l.Last)}
		}, "LABEL", "EVENTS", "FROM", "TO")
	}
	var all []app.Event
	for after := int64(0); ; after = all[len(all)-1].Seq {
		events, err := o.Access.Audit.ArchivedEvents(ctx, a.Text("of"), after)
		if err != nil {
			return err
		}
		if len(events) == 0 {
			return o.printEvents(all)
		}
		all = append(all, events...)
	}
}
