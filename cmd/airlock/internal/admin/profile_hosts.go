package admin

import (
	"context"
	"fmt"
	"slices"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/profiles"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
)

func (o *operator) changeHosts(ctx context.Context, p app.Profile, a cli.Args) error {
	more, err := parseHosts(a.List("allow"), a.List("allow-private"))
	if err != nil {
		return err
	}
	less, err := parseHosts(a.List("remove"), nil)
	if err != nil {
		return err
	}
	if len(more)+len(less) == 0 {
		return o.tellGranted(ctx, p)
	}
	allowed, dismissed, err := profiles.MergeHosts(p, more, less)
	if err != nil {
		return err
	}
	if len(more) > 0 && o.asks(a) {
		if err := o.confirmHosts(ctx, p, allowed); err != nil {
			return err
		}
	}
	if p, err = o.Access.Hosts.SetAsSeen(ctx, o.by, p.Handle, p.UpdatedAt, allowed, dismissed); err != nil {
		return err
	}
	return o.tellGranted(ctx, p)
}

// parseHosts parses hosts, and those that may have private network addresses.
func parseHosts(public, private []string) (hosts []app.Host, err error) {
	for i, text := range slices.Concat(public, private) {
		h, err := app.ParseHost(text)
		if err != nil {
			return nil, err
		}
		h.Private = i >= len(public)
		hosts = append(hosts, h)
	}
	return hosts, nil
}

// confirmHosts shows what a profile would grant with these hosts, and asks. The agent may have
// asked for another protocol meanwhile.
func (o *operator) confirmHosts(ctx context.Context, p app.Profile, allowed []app.Host) error {
	p.Hosts = nil
	for _, h := range allowed {
		p.Hosts = append(p.Hosts, app.HostRequest{Host: h, Allowed: true})
	}
	if err := o.tellGranted(ctx, p); err != nil {
		return err
	}
	return o.confirm("Allow these hosts?", app.E(app.CodeConflict, "not confirmed, so nothing was granted",
		"Run it again, and answer y; or give --yes."))
}

// tellGranted prints what a profile grants, and its agent's open host requests.
func (o *operator) tellGranted(ctx context.Context, p app.Profile) error {
	granted, _, err := o.Access.Grants.Describe(ctx, p)
	if err != nil {
		return err
	}
	for _, s := range granted {
		fmt.Fprintln(o.Err, cli.Printable(s.Line()))
	}
	o.tellRefused(p.Handle, p.Hosts, "The agent asks for %s, which is not allowed.")
	return nil
}

// tellRefused prints unreachable requested hosts, with the commands that allow them.
func (o *operator) tellRefused(handle string, requests []app.HostRequest, why string) {
	for _, h := range requests {
		if h.Allowed {
			continue
		}
		fmt.Fprintf(o.Err, "warning: "+why+" To allow it: airlock admin profile hosts %s --allow '%s'\n", h.Brief(),
			handle, h)
	}
}
