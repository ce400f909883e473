package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/computclaw/airlock/views/paths"
)

// quiet is how long the server is measured without a backup.
const quiet = 10 * time.Second

// backUp serves the moved instance, measures what agents wait for, and measures it again while a backup is made.
func (h *houseBench) backUp(ctx context.Context) error {
	stop, err := h.serve(ctx, h.path("old"), "AIRLOCK_POOL=2")
	if err != nil {
		return err
	}
	defer stop()
	person, err := h.person(ctx)
	if err != nil {
		return err
	}
	if err := os.Mkdir(h.path("backups"), 0o700); err != nil {
		return err
	}
	if _, err := person.post(ctx, paths.SettingsBackups, url.Values{"on": {"yes"}, "every": {"weekly"}, "keep": {"3"}, "kind": {"directory"}, "directory": {h.path("backups")}, "passphrase": {benchWords}, "again": {benchWords}}); err != nil {
		return err
	}
	id, err := h.trivial(ctx)
	if err != nil {
		return err
	}
	end := time.Now().Add(quiet)
	without, err := h.meanwhile(ctx, id, func() (bool, error) { return time.Now().After(end), nil })
	if err != nil {
		return err
	}
	before, start := peak(h.pid), time.Now()
	page, err := person.post(ctx, paths.SettingsBackupNow, nil)
	if err != nil {
		return err
	}
	during, err := h.meanwhile(ctx, id, func() (bool, error) {
		time.Sleep(200 * time.Millisecond)
		now, err := person.get(ctx, page)
		return now != page, err // it leads on when it is done
	})
	if err != nil {
		return err
	}
	took := time.Since(start)
	made, err := os.ReadDir(h.path("backups"))
	if err != nil || len(made) != 1 {
		return errors.Join(err, fmt.Errorf("%d backups were made", len(made)))
	}
	h.row("backup of the running server, verified", h.lines, spent{took, peak(h.pid)})
	fmt.Fprintf(h.table, "the server before it\t\t\t%d MiB\n", before>>20)
	fmt.Fprintf(h.table, "\tp50\tp99\tmost\n")
	for _, m := range []struct {
		what string
		list [2][]time.Duration
	}{{"GET /executions/{id}, 100 a second", [2][]time.Duration{without.reads, during.reads}}, {"submit to completed, 2 a second", [2][]time.Duration{without.runs, during.runs}}} {
		for i, when := range []string{"without a backup", "during one"} {
			list := m.list[i]
			slices.Sort(list)
			fmt.Fprintf(h.table, "%s, %s\t%s\t%s\t%s\n", m.what, when, ms(quantile(list, 0.5)), ms(quantile(list, 0.99)), ms(quantile(list, 1)))
		}
	}
	return nil
}

// waits are how long calls took.
type waits struct{ reads, runs []time.Duration }

// meanwhile reads an execution a hundred times a second and runs one twice a second, until done says so.
func (h *houseBench) meanwhile(ctx context.Context, id string, done func() (bool, error)) (w waits, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var group sync.WaitGroup
	var readErr, runErr error
	group.Go(func() {
		w.reads, readErr = paced(ctx, 10*time.Millisecond, func() error { return h.call(ctx, http.MethodGet, "/executions/"+id, nil, nil) })
	})
	group.Go(func() {
		w.runs, runErr = paced(ctx, 500*time.Millisecond, func() error { _, err := h.trivial(ctx); return err })
	})
	for over := false; !over && err == nil; {
		if over, err = done(); !over {
			time.Sleep(50 * time.Millisecond)
		}
	}
	cancel()
	group.Wait()
	return w, errors.Join(err, readErr, runErr)
}

// paced calls at every tick, however long the call before took: what waits for a server that stalls is counted from when it should have begun.
func paced(ctx context.Context, every time.Duration, call func() error) (list []time.Duration, err error) {
	for next := time.Now(); ; next = next.Add(every) {
		select {
		case <-ctx.Done():
			return list, nil
		case <-time.After(time.Until(next)):
		}
		if err := call(); err != nil {
			if ctx.Err() != nil {
				return list, nil
			}
			return list, err
		}
		list = append(list, time.Since(next))
	}
}
