package admin

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
)

// readPlacement reads where a profile's scripts may run. It refuses an unknown backend and warns of
// an unused one. Only the server knows the images.
func (o *operator) readPlacement(a cli.Args) (app.Placement, error) {
	p := app.Placement{Backend: a.Text("backend"), MinTier: a.Text("min-tier"), Image: a.Text("image"),
		Fresh: a.On("fresh")}
	if p.Backend == "" {
		return p, nil
	}
	if known := o.cfg.KnownBackends(); !slices.Contains(known, p.Backend) {
		return p, cli.UsageError{Message: fmt.Sprintf(
			"there is no sandbox backend %q; there are %s, and your own if AIRLOCK_PLUGINS is set here as it is for the server",
			app.Clip(p.Backend, 40), strings.Join(known, ", "))}
	}
	if !slices.Contains(o.cfg.Sandbox, p.Backend) {
		fmt.Fprintf(o.Err, "AIRLOCK_SANDBOX is %[2]s here: scripts of this profile run only while the server uses %[1]s. To "+
			"have it always, set AIRLOCK_SANDBOX to names, %[1]s among them, and restart the server.\n", p.Backend,
			strings.Join(o.cfg.Sandbox, ","))
	}
	return p, nil
}

// placeProfile replaces where a profile's scripts may run; without flags, anywhere.
func (o *operator) placeProfile(ctx context.Context, p app.Profile, a cli.Args) error {
	place, err := o.readPlacement(a)
	if err != nil {
		return err
	}
	if _, err := o.Access.Placements.Set(ctx, o.by, p.Handle, place); err != nil {
		return err
	}
	fmt.Fprintf(o.Out, "Its scripts run %s. That replaces what it required before.\n",
		cmp.Or(place.String(), "anywhere"))
	return nil
}
