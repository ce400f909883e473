package admin

import (
	"context"
	"fmt"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/profiles"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
)

func (o *operator) changeHosts(ctx context.Context, args []string) error {
	f := cli.NewFlags("admin profile hosts", Usage)
	allow, private, remove := f.List("allow"), f.List("allow-private"), f.List("remove")
	yes := f.Bool("yes", false, "")
	rest, err := o.Parse(ctx, f, args, "ID")
	if err != nil {
		return err
	}
	more, err := grants{hosts: allow, private: private}.allHosts()
	if err != nil {
		return err
	}
	less, err := parseHosts(*remove, false)
	if err != nil {
		return err
	}
	p, err := o.find(ctx, rest[0])
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
	if len(more) > 0 && o.asks(*yes) {
		if err := o.confirmHosts(ctx, p, allowed); err != nil {
			return err
		}
	}
	if p, err = o.Access.Hosts.SetAsSeen(ctx, o.by, p.Handle, p.UpdatedAt, allowed, dismissed); err != nil {
		return err
	}
	return o.tellGranted(ctx, p)
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
	granted, _, err := o.Access.Grants.Told(ctx, p)
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
		entry := h.String()
		if strings.ContainsAny(entry, "*{[") { // to a shell, patterns
			entry = "'" + entry + "'"
		}
		fmt.Fprintf(o.Err, "warning: "+why+" To allow it: airlock admin profile hosts %s --allow %s\n", h.Brief(),
			handle, entry)
	}
}
