package admin

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
	"github.com/computclaw/airlock/cmd/airlock/internal/config"
)

// placementFlags say where a profile's scripts may run.
func placementFlags(f *cli.Flags) *app.Placement {
	p := &app.Placement{}
	f.StringVar(&p.Backend, "backend", "", "")
	f.StringVar(&p.MinTier, "min-tier", "", "")
	f.StringVar(&p.Image, "image", "", "")
	f.BoolVar(&p.Fresh, "fresh", false, "")
	return p
}

// checkPlacement refuses an unknown backend and warns of an unused one. Only the server knows the
// images.
func (o *operator) checkPlacement(p app.Placement) error {
	if p.Backend != "" && !slices.Contains(o.cfg.Known(), p.Backend) {
		return cli.UsageError{Message: fmt.Sprintf(
			"there is no sandbox backend %q; there are %s, and your own if AIRLOCK_PLUGINS is set here as it is for the server",
			app.Clip(p.Backend, 40), strings.Join(o.cfg.Known(), ", "))}
	}
	if note := notUsed(o.cfg, p.Backend); note != "" {
		fmt.Fprintln(o.Err, note)
	}
	return nil
}

// notUsed says why a required backend may be out of use; empty if it is configured.
func notUsed(c config.Config, backend string) string {
	switch {
	case backend == "" || slices.Contains(c.Sandbox, backend):
		return ""
	case c.Auto() && slices.Contains(c.Used(), backend):
		return fmt.Sprintf("AIRLOCK_SANDBOX is auto here, which uses one backend at a time: scripts of this profile run "+
			"only while that is %[1]s. "+
			"To have it always, set AIRLOCK_SANDBOX to names, %[1]s among them, and restart the server.", backend)
	default:
		return fmt.Sprintf("AIRLOCK_SANDBOX is %[2]s here: scripts of this profile won't run until it names %[1]s, too, "+
			"and the server is restarted.", backend, strings.Join(c.Sandbox, ","))
	}
}

// placeProfile replaces where a profile's scripts may run; without flags, anywhere.
func (o *operator) placeProfile(ctx context.Context, args []string) error {
	f := cli.NewFlags("admin profile place", Usage)
	place := placementFlags(f)
	rest, err := o.Parse(ctx, f, args, "ID")
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
	if _, err = o.Access.Placements.Set(ctx, o.by, p.Handle, *place); err != nil {
		return err
	}
	fmt.Fprintf(o.Out, "Its scripts run %s. That replaces what it required before.\n",
		cmp.Or(place.String(), "anywhere"))
	return nil
}
