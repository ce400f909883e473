package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"github.com/computclaw/airlock/cmd/internal/underload"
	"github.com/computclaw/airlock/views/paths"
)

// The load of the overload table.
const (
	overloadQueued     = 10_000 // executions in the queue of the profile that floods
	overloadClients    = 484    // that go on submitting for it
	overloadNeighbours = 16     // profiles that run one execution after the other
	overloadPolls      = 1_000  // long polls held open
	overloadStreams    = 200    // pages that follow events
	overloadAim        = 100 * time.Millisecond
)

// overload is a server under more load than it can handle.
type overload struct {
	*benchmark
	neighbours []string // profiles; each waits for a person to decide about a host
	pages      *http.Client
	accepted   atomic.Int64 // submissions of the flood
	refused    atomic.Int64 // the same, with 429
	failed     atomic.Int64 // calls with any other end

	mu    sync.Mutex
	times []time.Duration // of the neighbours' executions
	first error           // of the failed calls
}

// overload measures whether the server stays quick, fair and small while one profile floods it.
func (s *suite) overload(ctx context.Context) error {
	o := &overload{benchmark: s.newBenchmark()}
	o.client = &http.Client{Timeout: 2 * time.Minute,
		Transport: &http.Transport{MaxIdleConnsPerHost: 2 * overloadClients}}
	// One profile may fill a fifth of the queue.
	stop, err := o.start(ctx, fmt.Sprint("AIRLOCK_QUEUE=", 5*overloadQueued))
	if err != nil {
		return err
	}
	defer stop()
	if err := o.prepare(ctx); err != nil {
		return err
	}
	idle, began := peak(o.pid), time.Now()
	if err := o.each(make([]string, overloadQueued), func(int) error { return o.submit(ctx) }); err != nil {
		return err
	}
	filled := time.Since(began)
	end := o.press(ctx)
	health := o.repeat(ctx, s.length, func() error { return o.health(ctx) })
	overview := o.repeat(ctx, s.length, func() error { return o.page(ctx, paths.Root, "Overview") })
	list := o.repeat(ctx, s.length, func() error { return o.page(ctx, paths.Executions, "Executions") })
	most := peak(o.pid)
	end()
	stop()
	table := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "queued by one profile\t%d in %s\n", overloadQueued, filled.Round(100*time.Millisecond))
	o.row(table, "GET /health", health, overloadAim)
	o.row(table, "overview page", overview, overloadAim)
	o.row(table, "list of executions", list, overloadAim)
	o.row(table, "submit to completed, the other profiles", o.times, 0)
	fmt.Fprintf(table, "submissions of the flood: accepted, refused with 429\t%d, %d\n", o.accepted.Load(),
		o.refused.Load())
	fmt.Fprintf(table, "failed calls\t%d\n", o.failed.Load())
	fmt.Fprintf(table, "memory of the server at the most: idle, under load\t%d MiB, %d MiB\n", idle>>20, most>>20)
	if err := table.Flush(); err != nil {
		return err
	}
	return errors.Join(o.first, o.complaint)
}

// prepare creates the other profiles and logs a person in.
func (o *overload) prepare(ctx context.Context) error {
	for range overloadNeighbours {
		id, err := o.newProfile(ctx)
		if err != nil {
			return err
		}
		o.neighbours = append(o.neighbours, id)
		host := map[string]string{"host": "later.example.com", "reason": "some day"}
		if err := o.call(ctx, http.MethodPost, "/profiles/"+id+"/hosts",
			map[string]any{"hosts": []any{host}}, nil); err != nil {
			return err
		}
	}
	person, err := o.person(ctx)
	if err == nil {
		o.pages = person.client
	}
	return err
}

// press starts the load. What it returns ends the load and waits for it.
func (o *overload) press(ctx context.Context) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	run := func(n int, call func() error) {
		for range n {
			wg.Go(func() {
				for ctx.Err() == nil {
					if err := call(); err != nil && ctx.Err() == nil {
						o.fail(err)
						rest(ctx, time.Second)
					}
				}
			})
		}
	}
	run(overloadClients, func() error {
		err := o.submit(ctx)
		rest(ctx, time.Second)
		return err
	})
	for _, profile := range o.neighbours {
		run(1, func() error { return o.execution(ctx, profile) })
		run(overloadPolls/overloadNeighbours, func() error {
			return o.call(ctx, http.MethodGet, "/profiles/"+profile+"?wait=50", nil, nil)
		})
	}
	run(overloadStreams, func() error {
		_, err := o.read(ctx, o.pages, paths.Events)
		return err
	})
	return func() {
		cancel()
		wg.Wait()
	}
}

// submit sends one execution of the flood. A full queue is no error.
func (o *overload) submit(ctx context.Context) error {
	var x endedView
	err := o.call(ctx, http.MethodPost, "/execute",
		map[string]any{"profile_id": o.profile, "script": "set_result(1)"}, &x)
	if full := (answerError{}); errors.As(err, &full) && full.status == http.StatusTooManyRequests {
		o.refused.Add(1)
		return nil
	}
	if err == nil {
		o.accepted.Add(1)
	}
	return err
}

// execution runs one execution of a neighbour.
func (o *overload) execution(ctx context.Context, profile string) error {
	began := time.Now()
	var x endedView
	err := o.call(ctx, http.MethodPost, "/execute?wait=50",
		map[string]any{"profile_id": profile, "script": "set_result(1)"}, &x)
	if err == nil {
		_, err = o.waitForStatus(ctx, x.ID, "completed", 2*time.Minute)
	}
	if err == nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.times = append(o.times, time.Since(began))
	}
	return err
}

func (o *overload) health(ctx context.Context) error {
	text, err := o.read(ctx, o.client, "/health")
	if err != nil {
		return err
	}
	return underload.CheckHealth(text)
}

func (o *overload) page(ctx context.Context, path, title string) error {
	text, err := o.read(ctx, o.pages, path)
	if err == nil && !underload.WholePage(string(text), title) {
		err = fmt.Errorf("%s was answered with something else, or not with all of it: %.300q", path, text)
	}
	return err
}

// repeat makes one call after the other and returns their times, sorted.
func (o *overload) repeat(ctx context.Context, length time.Duration, call func() error) (times []time.Duration) {
	for end := time.Now().Add(length); time.Now().Before(end) && ctx.Err() == nil; rest(ctx, 50*time.Millisecond) {
		began := time.Now()
		if err := call(); err != nil {
			o.fail(err)
			continue
		}
		times = append(times, time.Since(began))
	}
	return times
}

func (o *overload) fail(err error) {
	o.failed.Add(1)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.first == nil {
		o.first = err
	}
}

// row prints quantiles, and whether the 99th percentile met its aim; 0 for none.
func (o *overload) row(table io.Writer, what string, times []time.Duration, aim time.Duration) {
	slices.Sort(times)
	p99, verdict := quantile(times, 0.99), ""
	switch {
	case len(times) == 0:
		o.fail(fmt.Errorf("%s: nothing could be measured", what))
	case aim > 0 && p99 > aim:
		verdict = fmt.Sprintf("; aim %s: MISSED", ms(aim))
	case aim > 0:
		verdict = fmt.Sprintf("; aim %s: met", ms(aim))
	}
	fmt.Fprintf(table, "%s\tp50 %s, p95 %s, p99 %s (%d)%s\n", what, ms(quantile(times, 0.5)), ms(quantile(times, 0.95)),
		ms(p99), len(times), verdict)
}

func rest(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
