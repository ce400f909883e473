package admin

import (
	"context"
	"fmt"
	"strconv"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/auth"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
)

func (o *operator) renewToken(ctx context.Context, _ cli.Args) error {
	token, err := o.Access.AdminToken.Renew(ctx, o.by)
	if err != nil {
		return err
	}
	fmt.Fprintln(o.Out, token.Reveal())
	return nil
}

func (o *operator) listUsers(ctx context.Context, _ cli.Args) error {
	people, err := o.Access.People.List(ctx)
	if err != nil {
		return err
	}
	return table(o, people, func(p auth.Person) []string {
		return []string{p.Name, string(p.Role), strconv.Itoa(p.Passkeys), cli.Stamp(p.LastLoginAt)}
	}, "NAME", "ROLE", "PASSKEYS", "LAST LOGIN")
}

// removePasskeys is for a lost device.
func (o *operator) removePasskeys(ctx context.Context, a cli.Args) error {
	n, err := o.Access.Passkeys.RemoveAll(ctx, o.by, a.Rest[0])
	if err != nil {
		return err
	}
	fmt.Fprintf(o.Out, "removed %d passkeys\n", n)
	return nil
}

func (o *operator) setRole(ctx context.Context, a cli.Args) error {
	people, err := o.Access.People.List(ctx)
	if err != nil {
		return err
	}
	name, role := a.Rest[0], a.Rest[1]
	for _, p := range people {
		if app.FoldName(p.Name) == app.FoldName(name) {
			err := o.Access.People.SetRole(ctx, auth.Session{Actor: o.by}, p.ID, app.Role(role))
			if err == nil {
				fmt.Fprintf(o.Out, "%s is now %s\n", cli.Printable(p.Name), role)
			}
			return err
		}
	}
	return app.E(app.CodeNotFound, "nobody has this name", "airlock admin user list shows all names.")
}
