package admin

import (
	"context"
	"fmt"

	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
	"github.com/computclaw/airlock/cmd/airlock/internal/config"
	"github.com/computclaw/airlock/cmd/airlock/internal/instance"
)

// vacuum is airlock admin vacuum. The server must be stopped: its writes would fail meanwhile.
func (o *operator) vacuum(ctx context.Context, args []string) error {
	if _, err := o.Parse(ctx, cli.NewFlags("admin vacuum", Usage), args); err != nil {
		return err
	}
	lock, err := instance.LockDataDir(o.cfg.DataDir)
	if err != nil {
		return err
	}
	defer lock.Close()
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
