package main

import (
	"context"
	"fmt"
)

// vacuum is airlock admin vacuum. The server must be stopped: its writes would fail for as long as it takes.
func (o *operator) vacuum(ctx context.Context, args []string) error {
	if _, err := o.parse(ctx, newFlags("admin vacuum", adminUsage), args); err != nil {
		return err
	}
	lock, err := lockDataDir(o.cfg.DataDir)
	if err != nil {
		return err
	}
	defer lock.Close()
	before, err := o.store.Size(ctx)
	if err != nil {
		return err
	}
	if err := o.store.Compact(ctx); err != nil {
		return err
	}
	after, err := o.store.Size(ctx)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(o.out, "the database took %s and takes %s now\n", showSize(before), showSize(after))
	return err
}
