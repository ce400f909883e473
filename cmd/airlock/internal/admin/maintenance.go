package admin

import (
	"context"
	"fmt"

	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
	"github.com/computclaw/airlock/cmd/airlock/internal/config"
)

// retire is airlock admin retire.
func (o *operator) retire(ctx context.Context, a cli.Args) error {
	change, said := o.Access.Switches.Retire, "the instance is retired; running executions finish"
	if a.On("undo") {
		change, said = o.Access.Switches.Unretire, "the instance executes again"
	}
	if err := change(ctx, o.by); err != nil {
		return err
	}
	fmt.Fprintln(o.Out, said)
	return nil
}

// vacuum is airlock admin vacuum. The server must be stopped: its writes would fail meanwhile.
func (o *operator) vacuum(ctx context.Context, _ cli.Args) error {
	before, err := o.Store.Size(ctx)
	if err != nil {
		return err
	}
	if err := o.Store.Compact(ctx); err != nil {
		return err
	}
	after, err := o.Store.Size(ctx)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(o.Out, "the database took %s and takes %s now\n", config.ShowSize(before), config.ShowSize(after))
	return err
}
