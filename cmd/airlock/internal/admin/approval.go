package admin

import (
	"context"
	"fmt"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
)

// listApprovals prints open decisions, and those in force.
func (o *operator) listApprovals(ctx context.Context, _ cli.Args) error {
	list, err := o.Access.Approvals.List(ctx, "")
	if err != nil {
		return err
	}
	return table(o, list, func(a app.Approval) []string {
		return []string{a.ID, string(a.State), string(a.Scope), a.ProfileHandle, a.Subject, fmt.Sprint(a.Waiting),
			cli.Stamp(a.AskedAt), a.Reason}
	}, "ID", "STATE", "SCOPE", "PROFILE", "SHA256", "WAITING", "ASKED", "REASON")
}

func (o *operator) showApproval(ctx context.Context, args cli.Args) error {
	a, _, err := o.Access.Approvals.ByID(ctx, args.Rest[0])
	if err != nil {
		return err
	}
	cli.PrintCode(o.Out, a.Shown)
	return nil
}

func (o *operator) approve(ctx context.Context, args cli.Args) error {
	if args.On("once") == args.On("always") {
		return cli.UsageError{Message: "choose one of --once and --always"}
	}
	scope := app.ApproveOnce
	if args.On("always") {
		scope = app.ApproveAlways
	}
	a, err := o.Access.Approvals.Approve(ctx, o.by, args.Rest[0], scope)
	if err != nil {
		return err
	}
	fmt.Fprintf(o.Out, "Approved %s for profile %s: script %s.\n", scope, a.ProfileHandle, a.Subject)
	return nil
}

func (o *operator) refuse(ctx context.Context, args cli.Args) error {
	a, err := o.Access.Approvals.Refuse(ctx, o.by, args.Rest[0], args.Text("reason"))
	if err != nil {
		return err
	}
	fmt.Fprintf(o.Out, "Refused for profile %s: script %s. Its agent reads the reason.\n", a.ProfileHandle, a.Subject)
	return nil
}

func (o *operator) revokeApproval(ctx context.Context, args cli.Args) error {
	a, err := o.Access.Approvals.Revoke(ctx, o.by, args.Rest[0])
	if err != nil {
		return err
	}
	fmt.Fprintf(o.Out, "Revoked for profile %s: script %s asks again before it runs.\n", a.ProfileHandle, a.Subject)
	return nil
}
