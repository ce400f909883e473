package admin

import (
	"context"
	"fmt"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
)

// listApprovals prints what waits for a decision, and what was decided and still counts.
func (o *operator) listApprovals(ctx context.Context, args []string) error {
	if _, err := o.Parse(ctx, cli.NewFlags("admin approval list", Usage), args); err != nil {
		return err
	}
	list, err := o.Access.Approvals.List(ctx, "")
	if err != nil {
		return err
	}
	w := cli.Table(o.Out, "ID", "STATE", "SCOPE", "PROFILE", "SHA256", "WAITING", "ASKED", "REASON")
	for _, a := range list {
		w.Row(a.ID, string(a.State), string(a.Scope), a.ProfileHandle, a.Subject, fmt.Sprint(a.Waiting),
			cli.Stamp(a.AskedAt), a.Reason)
	}
	return w.Flush()
}

func (o *operator) showApproval(ctx context.Context, args []string) error {
	rest, err := o.Parse(ctx, cli.NewFlags("admin approval show", Usage), args, "ID")
	if err != nil {
		return err
	}
	a, _, err := o.Access.Approvals.ByID(ctx, rest[0])
	if err != nil {
		return err
	}
	cli.PrintCode(o.Out, a.Shown)
	return nil
}

func (o *operator) approve(ctx context.Context, args []string) error {
	f := cli.NewFlags("admin approval approve", Usage)
	var once, always bool
	f.BoolVar(&once, "once", false, "")
	f.BoolVar(&always, "always", false, "")
	rest, err := o.Parse(ctx, f, args, "ID")
	if err != nil {
		return err
	}
	if once == always {
		return cli.UsageError{Message: "choose one of --once and --always"}
	}
	scope := app.ApproveOnce
	if always {
		scope = app.ApproveAlways
	}
	a, err := o.Access.Approvals.Approve(ctx, o.by, rest[0], scope)
	if err != nil {
		return err
	}
	fmt.Fprintf(o.Out, "Approved %s for profile %s: script %s.\n", scope, a.ProfileHandle, a.Subject)
	return nil
}

func (o *operator) refuse(ctx context.Context, args []string) error {
	f := cli.NewFlags("admin approval refuse", Usage)
	var reason string
	f.StringVar(&reason, "reason", "", "")
	rest, err := o.Parse(ctx, f, args, "ID")
	if err != nil {
		return err
	}
	a, err := o.Access.Approvals.Refuse(ctx, o.by, rest[0], reason)
	if err != nil {
		return err
	}
	fmt.Fprintf(o.Out, "Refused for profile %s: script %s. Its agent reads the reason.\n", a.ProfileHandle, a.Subject)
	return nil
}

func (o *operator) revokeApproval(ctx context.Context, args []string) error {
	rest, err := o.Parse(ctx, cli.NewFlags("admin approval revoke", Usage), args, "ID")
	if err != nil {
		return err
	}
	a, err := o.Access.Approvals.Revoke(ctx, o.by, rest[0])
	if err != nil {
		return err
	}
	fmt.Fprintf(o.Out, "Revoked for profile %s: script %s asks again before it runs.\n", a.ProfileHandle, a.Subject)
	return nil
}

// setMayRun says which code a profile may run.
func (o *operator) setMayRun(ctx context.Context, args []string) error {
	rest, err := o.Parse(ctx, cli.NewFlags("admin profile may-run", Usage), args, "ID", "RULE")
	if err != nil {
		return err
	}
	may, err := app.ParseMayRun(rest[1])
	if err != nil {
		return err
	}
	p, err := o.find(ctx, rest[0])
	if err != nil {
		return err
	}
	if p, err = o.Access.CodeRules.Set(ctx, o.by, p.Handle, may); err != nil {
		return err
	}
	fmt.Fprintln(o.Out, p.MayRun.Sentence())
	return nil
}
