package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"github.com/computclaw/airlock/views"
)

// What comes upon the server at once in benchOverload.
const (
	overloadQueued  = 10_000 // executions of the profile that floods
	overloadClients = 500    // that submit: most for the one that floods, each again as soon as it may
	overloadOthers  = 16     // profiles beside it, each with a client that submits one execution after the other
	overloadPolls   = 1_000  // long polls that are held open
	overloadStreams = 200    // pages that follow what happens
	overloadSlow    = 50     // readers that take one byte of a large answer every tenth of a second
	overloadBetween = 50 * time.Millisecond
	overloadAim     = 100 * time.Millisecond // p99 of what people and health checks see
)

// overload is a server that more comes upon than it can do.
type overload struct {
	*benchmark
	others  []string // profile ids
	asked   []string // ids of profiles whose agents wait for a person to decide about a host
	parked  []string // ids of executions that wait for an answer
	pages   *http.Client
	refused atomic.Int64 // submissions, with Retry-After
	broken  atomic.Int64 // answers that should not have been
	example atomic.Value // what one of them was
	wg      sync.WaitGroup
}

// benchOverload measures whether the server stays quick, fair and small while one profile floods it, for as long as length.
func benchOverload(ctx context.Context, out io.Writer, service *benchService, length time.Duration) error {
	o := &overload{benchmark: newBenchmark(service)}
	o.client.Transport = &http.Transport{MaxIdleConnsPerHost: 2 * overloadClients}
	// A profile may fill a fifth of the queue.
	stop, err := o.start(ctx, fmt.Sprint("AIRLOCK_QUEUE=", 5*overloadQueued), fmt.Sprint("AIRLOCK_WAITERS=", overloadWaiters), "AIRLOCK_LLM_WAIT=1h")
	if err != nil {
		return err
	}
	defer stop()
	if err := o.prepare(ctx); err != nil {
		return err
	}
	idle := peak(o.pid)
	if err := o.park(ctx); err != nil {
		return err
	}
	began := time.Now()
	if err := o.flood(ctx); err != nil {
		return err
	}
	filled := time.Since(began)
	ctx, cancel := context.WithCancel(ctx)
	defer func() { cancel(); o.wg.Wait() }()
	neighbours := o.press(ctx)
	health := o.paced(ctx, length, func() error { return o.call(ctx, http.MethodGet, "/health", nil, nil) })
	page := o.paced(ctx, length, func() error { return o.page(ctx, "/ui") })
	list := o.paced(ctx, length, func() error { return o.page(ctx, "/ui/executions") })
	times := neighbours()
	began = time.Now()
	if err := o.answerParked(ctx); err != nil {
		return err
	}
	answered := time.Since(began)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "queued by one profile\t%d in %s\n", overloadQueued, filled.Round(100*time.Millisecond))
	fmt.Fprintf(table, "clients, long polls, followed pages, slow readers\t%d, %d, %d, %d\n", overloadClients, overloadPolls, overloadStreams, overloadSlow)
	fmt.Fprintf(table, "executions that waited for an answer meanwhile, of %d places; all answered and completed\t%d; within %s\n", overloadWaiters, len(o.parked), answered.Round(100*time.Millisecond))
	for _, m := range []struct {
		what  string
		times []time.Duration
		aim   time.Duration // of the 99th percentile
	}{{"GET /health", health, overloadAim}, {"overview page", page, overloadAim}, {"list of executions", list, overloadAim}, {"submit → completed of the other profiles", times, 0}} {
		fmt.Fprintf(table, "%s\tp50 %s, p95 %s, p99 %s (%d)%s\n", m.what, ms(quantile(m.times, 0.5)), ms(quantile(m.times, 0.95)), ms(quantile(m.times, 0.99)), len(m.times), verdict(quantile(m.times, 0.99), m.aim))
	}
	fmt.Fprintf(table, "submissions that were refused with 429 and Retry-After\t%d\n", o.refused.Load())
	fmt.Fprintf(table, "answers that should not have been\t%d\n", o.broken.Load())
	fmt.Fprintf(table, "memory of the server at the most: idle, under load\t%d MiB, %d MiB\n", idle>>20, peak(o.pid)>>20)
	if err := table.Flush(); err != nil || o.broken.Load() == 0 {
		return err
	}
	return fmt.Errorf("%s should not have been, such as: %v", views.Count(o.broken.Load(), "answer"), o.example.Load())
}

// verdict says whether an aim was met, if there is one.
func verdict(got, aim time.Duration) string {
	switch {
	case aim == 0:
		return ""
	case got <= aim:
		return fmt.Sprintf("; aim %s: met", ms(aim))
	}
	return fmt.Sprintf("; aim %s: missed", ms(aim))
}

// prepare makes the other profiles and logs a person in.
func (o *overload) prepare(ctx context.Context) error {
	for n := range overloadOthers {
		id, err := o.newProfile(ctx)
		if err != nil {
			return err
		}
		// Waiting calls on profiles that nobody has locked have only so many places together.
		waiting, err := o.undecided(ctx, n%2 == 0)
		if err != nil {
			return err
		}
		o.others, o.asked = append(o.others, id), append(o.asked, waiting)
	}
	person, err := o.person(ctx)
	if err != nil {
		return err
	}
	o.pages = person.client
	return nil
}

// undecided makes a profile, locked or not, that asks for a host which nobody allows.
func (o *overload) undecided(ctx context.Context, locked bool) (id string, err error) {
	if locked {
		id, err = o.newProfile(ctx)
	} else {
		id, err = o.admin(ctx, "", "profile", "create", "--description", "not locked yet")
	}
	if err != nil {
		return "", err
	}
	ask := map[string]any{"hosts": []map[string]string{{"host": "later.example.com", "reason": "some day"}}}
	return id, o.call(ctx, http.MethodPost, "/profiles/"+id+"/hosts", ask, nil)
}

// flood fills the queue of one profile.
func (o *overload) flood(ctx context.Context) error {
	return o.each(make([]string, overloadQueued), func(int) error {
		return o.call(ctx, http.MethodPost, "/execute", map[string]any{"profile_id": o.profile, "script": "pass"}, nil)
	})
}

// press starts everything that goes on meanwhile, until ctx ends. The function that it returns gives the times of the other profiles' executions.
func (o *overload) press(ctx context.Context) func() []time.Duration {
	var mu sync.Mutex
	var times []time.Duration
	for range overloadClients - overloadOthers {
		o.wg.Go(func() { o.again(ctx) })
	}
	for _, id := range o.others {
		o.wg.Go(func() {
			for ctx.Err() == nil {
				began := time.Now()
				if _, err := o.whole(ctx, id); err != nil {
					o.noteBroken(ctx, err)
					continue
				}
				mu.Lock()
				times = append(times, time.Since(began))
				mu.Unlock()
			}
		})
	}
	for _, id := range o.asked {
		for range overloadPolls / overloadOthers {
			o.wg.Go(func() { o.hold(ctx, id) })
		}
	}
	for range overloadStreams {
		o.wg.Go(func() { o.follow(ctx, "/ui/events", 0) })
	}
	for range overloadSlow {
		o.wg.Go(func() { o.follow(ctx, "/ui/executions", 100*time.Millisecond) })
	}
	return func() []time.Duration {
		mu.Lock()
		defer mu.Unlock()
		slices.Sort(times)
		return times
	}
}

// noteBroken counts an answer that should not have been, unless everything is ending.
func (o *overload) noteBroken(ctx context.Context, what error) {
	if ctx.Err() == nil {
		o.broken.Add(1)
		o.example.Store(what.Error())
	}
}
