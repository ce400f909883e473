package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/computclaw/airlock/app"
)

// placementFlags say where a profile's scripts may run.
func placementFlags(f *flags) *app.Placement {
	p := &app.Placement{}
	f.StringVar(&p.Backend, "backend", "", "")
	f.StringVar(&p.MinTier, "min-tier", "", "")
	f.StringVar(&p.Image, "image", "", "")
	return p
}

// checkPlacement refuses a backend that this configuration doesn't know, and says if it isn't one that is used. Which images there are is for the server to
// find out.
func (o *operator) checkPlacement(p app.Placement) error {
	if p.Backend != "" && !slices.Contains(o.cfg.known(), p.Backend) {
		return usageError{message: fmt.Sprintf("there is no sandbox backend %q; there are %s, and your own if AIRLOCK_PLUGINS is set here as it is for the server", app.Clip(p.Backend, 40), strings.Join(o.cfg.known(), ", "))}
	}
	if note := notUsed(o.cfg, p.Backend); note != "" {
		fmt.Fprintln(o.err, note)
	}
	return nil
}

// notUsed says why scripts that need a backend may find it not in use; empty if it is named in the configuration.
func notUsed(c config, backend string) string {
	switch {
	case backend == "" || slices.Contains(c.Sandbox, backend):
		return ""
	case c.auto() && slices.Contains(c.used(), backend):
		return fmt.Sprintf("AIRLOCK_SANDBOX is auto here, which uses one backend at a time: scripts of this profile run only while that is %[1]s. "+
			"To have it always, set AIRLOCK_SANDBOX to names, %[1]s among them, and restart the server.", backend)
	default:
		return fmt.Sprintf("AIRLOCK_SANDBOX is %[2]s here: scripts of this profile won't run until it names %[1]s, too, and the server is restarted.", backend, strings.Join(c.Sandbox, ","))
	}
}

// placeProfile replaces where a profile's scripts may run; without flags they run wherever the instance runs them.
func (o *operator) placeProfile(ctx context.Context, args []string) error {
	f := newFlags("admin profile place", adminUsage)
	place := placementFlags(f)
	rest, err := o.parse(ctx, f, args, "ID")
	if err != nil {
		return err
	}
	if err := o.checkPlacement(*place); err != nil {
		return err
	}
	p, err := o.find(ctx, rest[0])
	if err != nil {
		return err
	}
	if _, err = o.access.SetPlacement(ctx, o.by, p.Handle, *place); err != nil {
		return err
	}
	where := placed(*place)
	if where == "" {
		where = "anywhere"
	}
	fmt.Fprintf(o.out, "Its scripts run: %s. That replaces what it required before.\n", where)
	return nil
}

func placed(p app.Placement) string {
	var parts []string
	for _, part := range []struct{ name, value string }{{"backend", p.Backend}, {"isolation at least", p.MinTier}, {"image", p.Image}} {
		if part.value != "" {
			parts = append(parts, part.name+" "+part.value)
		}
	}
	return strings.Join(parts, ", ")
}
