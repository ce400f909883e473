package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/paths"
)

// What comes upon the server at once in suite.overload.
const (
	overloadQueued  = 10_000 // executions of the profile that floods
	overloadClients = 500    // that submit: most for the one that floods, each again as soon as it may
	overloadOthers  = 16     // profiles beside it, each with a client that submits one execution after the other
	overloadPolls   = 1_000  // long polls that are held open
	overloadStreams = 200    // pages that follow what happens
	overloadSlow    = 50     // readers that take one byte of a large answer every tenth of a second
	overloadBetween = 50 * time.Millisecond
	overloadAim     = 100 * time.Millisecond // p99 of what people and health checks see
	overloadAnswer  = 2 * time.Minute        // in which any call has to be answered, also when everything is at its worst
)

// overload is a server that more comes upon than it can do.
type overload struct {
	*benchmark
	neighbours []*neighbour
	asked      []string // ids of profiles whose agents wait for a person to decide about a host
	parked     []string // ids of executions that wait for an answer
	flooded    flooded
	pages      *http.Client
	pressing   context.Context // ends when nothing new is begun any more
	refused    atomic.Int64    // submissions, with Retry-After
	told       atomic.Int64    // long polls that were woken by what they waited for
	broken     atomic.Int64    // answers that should not have been
	example    atomic.Value    // what the first of them was
	wg         sync.WaitGroup
}

// overload measures whether the server stays quick, fair and small while one profile floods it, for
// as long as a measurement under load lasts. How quick it was is printed beside its aim; an answer
// that is not what it should be, or an execution that is lost, is an error.
func (s *suite) overload(ctx context.Context) error {
	o, length := &overload{benchmark: s.newBenchmark()}, s.length
	o.client = &http.Client{Timeout: overloadAnswer, Transport: &http.Transport{MaxIdleConnsPerHost: 2 * overloadClients}}
	// A profile may fill a fifth of the queue.
	stop, err := o.start(ctx, fmt.Sprint("AIRLOCK_QUEUE=", 5*overloadQueued),
		fmt.Sprint("AIRLOCK_WAITERS=", overloadWaiters), "AIRLOCK_LLM_WAIT=1h")
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
	var ease context.CancelFunc
	o.pressing, ease = context.WithCancel(ctx)
	defer func() { ease(); o.wg.Wait() }()
	o.press(ctx)
	health := o.paced(ctx, length, func() error { return o.health(ctx) })
	page := o.paced(ctx, length, func() error { return o.page(ctx, paths.Root, "Overview") })
	list := o.paced(ctx, length, func() error { return o.page(ctx, paths.Executions, "Executions") })
	times := o.times()
	heard, err := o.wake(ctx)
	if err != nil {
		return err
	}
	began = time.Now()
	if err := o.answerParked(ctx); err != nil {
		return err
	}
	answered, most := time.Since(began), peak(o.pid)
	ease()
	o.wg.Wait()
	ended, waiting, err := o.account(ctx)
	if err != nil {
		return err
	}
	if _, err := o.admin(ctx, "", "audit", "verify"); err != nil {
		return err
	}
	stop()
	table := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "queued by one profile\t%d in %s\n", overloadQueued, filled.Round(100*time.Millisecond))
	fmt.Fprintf(table, "clients, long polls, followed pages, slow readers\t%d, %d, %d, %d\n", overloadClients,
		overloadPolls, overloadStreams, overloadSlow)
	fmt.Fprintf(table, "executions that waited for an answer meanwhile, of %d places; all answered and completed\t%d; "+
		"within %s\n", overloadWaiters, len(o.parked), answered.Round(100*time.Millisecond))
	for _, m := range []struct {
		what  string
		times []time.Duration
		aim   time.Duration // of the 99th percentile
	}{{"GET /health", health, overloadAim}, {"overview page", page, overloadAim},
		{"list of executions", list, overloadAim}, {"submit → completed of the other profiles", times, 0}} {
		fmt.Fprintf(table, "%s\tp50 %s, p95 %s, p99 %s (%d)%s\n", m.what, ms(quantile(m.times, 0.5)),
			ms(quantile(m.times, 0.95)), ms(quantile(m.times, 0.99)), len(m.times), verdict(quantile(m.times, 0.99), m.aim))
		if len(m.times) == 0 {
			o.noteBroken(fmt.Errorf("%s: nothing could be measured", m.what))
		}
	}
	fmt.Fprintf(table, "long polls that were told of what they waited for\t%d; within %s\n", o.told.Load(),
		heard.Round(100*time.Millisecond))
	fmt.Fprintf(table, "submissions that were refused with 429 and Retry-After\t%d\n", o.refused.Load())
	fmt.Fprintf(table, "executions of the one that floods: accepted; of these completed and right, still in the "+
		"queue\t%d; %d, %d\n", len(o.flooded.ids), ended, waiting)
	fmt.Fprintf(table, "answers that should not have been\t%d\n", o.broken.Load())
	fmt.Fprintf(table, "memory of the server at the most: idle, under load\t%d MiB, %d MiB\n", idle>>20, most>>20)
	if err := table.Flush(); err != nil {
		return err
	}
	if o.broken.Load() > 0 {
		return fmt.Errorf("%s should not have been, such as: %v", format.Count(o.broken.Load(), "answer"), o.example.Load())
	}
	return o.complaint
}

// verdict says whether an aim was met, if there is one.
func verdict(got, aim time.Duration) string {
	switch {
	case aim == 0:
		return ""
	case got <= aim:
		return fmt.Sprintf("; aim %s: met", ms(aim))
	}
	return fmt.Sprintf("; aim %s: MISSED", ms(aim))
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
		o.neighbours, o.asked = append(o.neighbours, &neighbour{profile: id, name: fmt.Sprint("neighbour-", n)}),
			append(o.asked, waiting)
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
	return id, o.askFor(ctx, id, "later.example.com")
}

func (o *overload) askFor(ctx context.Context, profile, host string) error {
	return o.call(ctx, http.MethodPost, "/profiles/"+profile+"/hosts",
		map[string]any{"hosts": []map[string]string{{"host": host, "reason": "some day"}}}, nil)
}

// press starts everything that goes on meanwhile, until pressing ends. What is under way then comes
// to its end.
func (o *overload) press(ctx context.Context) {
	for range overloadClients - overloadOthers {
		o.wg.Go(func() { o.again(ctx) })
	}
	for _, n := range o.neighbours {
		o.wg.Go(func() { o.oneByOne(ctx, n) })
	}
	for n := range overloadPolls {
		o.wg.Go(func() { o.hold(o.asked[n%len(o.asked)]) })
	}
	for range overloadStreams {
		o.wg.Go(o.listen)
	}
	for range overloadSlow {
		o.wg.Go(o.sip)
	}
}

// times are what the executions of the other profiles took so far, in order.
func (o *overload) times() (all []time.Duration) {
	for _, n := range o.neighbours {
		n.mu.Lock()
		all = append(all, n.times...)
		n.mu.Unlock()
	}
	slices.Sort(all)
	return all
}

// noteBroken counts an answer that should not have been.
func (o *overload) noteBroken(what error) {
	if o.broken.Add(1) == 1 {
		o.example.Store(what.Error()) // the others may follow from it
	}
}
