package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/computclaw/airlock/cmd/internal/underload"
)

// parkedScript holds some data while it waits, as scripts do.
const parkedScript = "data = list(range(1000))\nanswer = llm.complete('go on?')\nset_result([answer, sum(data)])"

// parkedExecutions lets executions wait for the LLM at once, measures what they cost and whether
// the server stays quick, and answers them all.
func (s *suite) parkedExecutions(ctx context.Context) error {
	b, n := s.newBenchmark(), s.parked
	census := newBoxCensus()
	// One profile may fill a part of the queue, and half of the places.
	stop, err := b.start(ctx, "AIRLOCK_POOL=0", "AIRLOCK_WAITERS="+strconv.Itoa(2*n),
		"AIRLOCK_QUEUE="+strconv.Itoa(10*n),
		"AIRLOCK_LLM_WAIT=1h")
	if err != nil {
		return err
	}
	defer stop()
	before, server, start := available(), residentNow(b.pid), time.Now()
	ids := make([]string, n)
	if err := b.each(ids, func(i int) error {
		var x endedView
		err := b.call(ctx, http.MethodPost, "/execute", map[string]any{"profile_id": b.profile,
			"script": parkedScript}, &x)
		ids[i] = x.ID
		return err
	}); err != nil {
		return err
	}
	if err := b.each(ids, func(i int) error {
		x, err := b.waitForStatus(ctx, ids[i], "awaiting_llm", parkedWithin)
		if err == nil && (x.Request == nil || x.Request.Prompt != "go on?") {
			err = fmt.Errorf("execution %s asks %+v", x.ID, x.Request)
		}
		return err
	}); err != nil {
		return err
	}
	parkedIn := time.Since(start)
	used, box, server := before-available(), census.memory(), residentNow(b.pid)-server
	polls, err := load(4, s.length, func() error {
		text, err := b.read(ctx, b.client, "/health")
		if err != nil {
			return err
		}
		return underload.CheckHealth(text)
	})
	if err != nil {
		return err
	}
	start = time.Now()
	if err := b.answerAll(ctx, ids); err != nil {
		return err
	}
	took := time.Since(start)
	stop()
	slices.Sort(polls)
	table := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "executions that wait for the LLM at once\t%d\n", n)
	fmt.Fprintf(table, "until all waited\t%s\n", parkedIn.Round(100*time.Millisecond))
	fmt.Fprintf(table, "memory of one, shared pages by equal parts\t%.1f MiB\n", float64(box)/(1<<20))
	fmt.Fprintf(table, "memory of the server, for each of them\t%.2f MiB\n", float64(server)/float64(n)/(1<<20))
	fmt.Fprintf(table, "less memory available on the machine, per execution\t%.1f MiB\n",
		float64(used)/float64(n)/(1<<20))
	fmt.Fprintf(table, "GET /health meanwhile, 4 clients\tp50 %s, p99 %s\n", ms(quantile(polls, 0.5)),
		ms(quantile(polls, 0.99)))
	fmt.Fprintf(table, "until all were answered and completed\t%s\n", took.Round(100*time.Millisecond))
	if err := table.Flush(); err != nil {
		return err
	}
	return b.complaint
}

// each calls for all indices, a few at a time, and returns the first error.
func (b *benchmark) each(ids []string, call func(i int) error) error {
	next, errs := make(chan int), make(chan error, len(ids))
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for i := range next {
				if err := call(i); err != nil {
					errs <- err
				}
			}
		})
	}
	for i := range ids {
		next <- i
	}
	close(next)
	wg.Wait()
	select {
	case err := <-errs:
		return err
	default:
		return nil
	}
}
