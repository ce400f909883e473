package admin

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/ui/profiles"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
	"github.com/computclaw/airlock/views/profileview"
)

// tellGranted prints what a profile grants, in the sentences of the page where a person would have
// locked it, and each host that an agent still asks for.
func (o *operator) tellGranted(ctx context.Context, p app.Profile) error {
	granted, _, err := profiles.Granted(ctx, o.Access, p)
	if err != nil {
		return err
	}
	for _, s := range granted {
		fmt.Fprintln(o.Err, cli.Printable(grantLine(s)))
	}
	for _, h := range p.Hosts {
		if !h.Allowed {
			o.tellRefused(p.Handle, h.Host, "The agent asks for %s, which is not allowed.")
		}
	}
	return nil
}

// tellRefused prints that a host of an agent's request is out of reach, and the command that allows
// that one.
func (o *operator) tellRefused(handle string, h app.Host, why string) {
	entry := h.String()
	if strings.ContainsAny(entry, "*{[") { // to a shell, patterns
		entry = "'" + entry + "'"
	}
	fmt.Fprintf(o.Err, "warning: "+why+" To allow it: airlock admin profile hosts %s --allow %s\n", h.Brief(), handle,
		entry)
}

// grantLine is a sentence of the page as a line.
func grantLine(s profileview.Sentence) string {
	if s.Warn {
		return "warning: " + s.Text()
	}
	return s.Text()
}

// profileHosts allows and removes hosts of a profile, before the lock or after it, and tells what
// it grants then.
func (o *operator) profileHosts(ctx context.Context, args []string) error {
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
	if len(more)+len(less) > 0 {
		allowed, dismissed, err := decideHosts(p.Hosts, asDeclined(more, p.Declined), less)
		if err != nil {
			return err
		}
		if err := app.CheckAdded(allowed, app.AllowedHosts(p.Hosts)); err != nil {
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
	}
	return o.tellGranted(ctx, p)
}

// confirmHosts tells what a profile would grant with these hosts, as an agent may have asked for
// another protocol meanwhile, and asks.
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

// asDeclined gives hosts the protocols with which an agent asked for them before a person declined
// them, unless that is one that agents can't ask for.
func asDeclined(hosts []app.Host, declined []app.DeclinedHost) []app.Host {
	hosts = slices.Clone(hosts)
	for i, h := range hosts {
		for _, d := range declined {
			if d.String() == h.String() && !d.RelaysWeb() {
				hosts[i].Protocol = d.Protocol
			}
		}
	}
	return hosts
}

// decideHosts is what is allowed, and what is dismissed, of a profile's hosts when some are added
// and some removed. What is allowed of what stood there keeps its reason, and its protocol unless
// that is one that agents can't ask for: the person typed a host, not a relay.
func decideHosts(have []app.HostRequest, more, less []app.Host) (allowed []app.Host, dismissed []string, err error) {
	in := func(list []app.Host, h app.Host) bool {
		return slices.ContainsFunc(list, func(l app.Host) bool { return l.String() == h.String() })
	}
	stood := make([]app.Host, len(have))
	for i, h := range have {
		stood[i] = h.Host
	}
	for _, h := range less {
		if !in(stood, h) {
			return nil, nil, app.E(app.CodeNotFound, fmt.Sprintf("the profile has no host %s", h),
				"Write it as airlock admin profile show ID does.")
		}
		if in(more, h) {
			return nil, nil, cli.UsageError{Message: fmt.Sprintf("%s is to be allowed and removed", h)}
		}
	}
	for _, h := range have {
		switch {
		case in(less, h.Host):
			dismissed = append(dismissed, h.String())
		case h.Allowed && !in(more, h.Host):
			allowed = append(allowed, h.Host)
		}
	}
	for _, h := range more {
		if i := slices.IndexFunc(have, func(old app.HostRequest) bool { return old.String() == h.String() }); i >= 0 {
			if h.Reason = have[i].Reason; !have[i].RelaysWeb() {
				h.Protocol = have[i].Protocol
			}
		}
		allowed = append(allowed, h)
	}
	return allowed, dismissed, nil
}
