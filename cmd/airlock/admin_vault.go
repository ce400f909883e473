package main

import (
	"context"
	"fmt"

	"github.com/computclaw/airlock/app"
)

// showInVault adds to a credential's table when its value was set, and for one in Vault whether it resolves now. Never the value.
func (o *operator) showInVault(ctx context.Context, w columns, c app.Credential) error {
	if c.Source != app.SourceVault {
		w.row("set", stamp(c.ValueSetAt))
		return nil
	}
	in, err := o.access.InspectCredential(ctx, o.by, c)
	if err != nil {
		return err
	}
	switch {
	case in.Problem != "":
		w.row("resolves", "no: "+in.Problem)
	case in.Lease:
		w.row("resolves", "made for each execution by the engine "+in.Engine)
	case in.Version > 0:
		w.row("resolves", fmt.Sprintf("yes, version %d", in.Version))
		w.row("set", stamp(in.Created))
	default:
		w.row("resolves", "yes")
	}
	return nil
}
