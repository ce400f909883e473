package admin

import (
	"context"
	"fmt"
	"strconv"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/auth"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
)

// listUsers is airlock admin user list.
func (o *operator) listUsers(ctx context.Context, args []string) error {
	if _, err := o.Parse(ctx, cli.NewFlags("admin user list", Usage), args); err != nil {
		return err
	}
	people, err := o.Access.People.List(ctx)
	if err != nil {
		return err
	}
	w := cli.Table(o.Out, "NAME", "ROLE", "PASSKEYS", "LAST LOGIN")
	for _, p := range people {
		w.Row(p.Name, string(p.Role), strconv.Itoa(p.Passkeys), cli.Stamp(p.LastLoginAt))
	}
	return w.Flush()
}

// removePasskeys is airlock admin user remove-passkeys, for a lost device.
func (o *operator) removePasskeys(ctx context.Context, args []string) error {
	rest, err := o.Parse(ctx, cli.NewFlags("admin user remove-passkeys", Usage), args, "NAME")
	if err != nil {
		return err
	}
	n, err := o.Access.Passkeys.RemoveAll(ctx, o.by, rest[0])
	if err != nil {
		return err
	}
	fmt.Fprintf(o.Out, "removed %d passkeys\n", n)
	return nil
}

// setRole is airlock admin user role.
func (o *operator) setRole(ctx context.Context, args []string) error {
	rest, err := o.Parse(ctx, cli.NewFlags("admin user role", Usage), args, "NAME", "ROLE")
	if err != nil {
		return err
	}
	people, err := o.Access.People.List(ctx)
	if err != nil {
		return err
	}
	for _, p := range people {
		if app.FoldName(p.Name) == app.FoldName(rest[0]) {
			err := o.Access.People.SetRole(ctx, auth.Session{Actor: o.by}, p.ID, app.Role(rest[1]))
			if err == nil {
				fmt.Fprintf(o.Out, "%s is now %s\n", cli.Printable(p.Name), rest[1])
			}
			return err
		}
	}
	return app.E(app.CodeNotFound, "nobody has this name", "airlock admin user list shows all names.")
}
