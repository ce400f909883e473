package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	// boxPython is the boxes' interpreter; an earlier python3 in the PATH may be another program.
	boxPython = "/usr/bin/python3"
	// breath is the pause before a single measurement: the pool refills, and the processor sleeps
	// for both sides.
	breath = 150 * time.Millisecond
)

// measureSpeed measures executions, polls, starts and memory with the environment's backend.
func measureSpeed(ctx context.Context, t *table, o options) error {
	program := o.programs[t.program]
	if err := measureStart(ctx, t, program); err != nil {
		return err
	}
	err := withProfile(ctx, program, func(s *server, profile string, trivial func() error) error {
		if err := measureWarm(ctx, t, o.rounds, trivial); err != nil {
			return err
		}
		for _, clients := range []int{1, 8, 32} {
			if err := measureClients(t, s, clients, o.length, trivial); err != nil {
				return err
			}
		}
		if err := measurePolls(ctx, t, s, profile, o.length); err != nil {
			return err
		}
		t.add("memory of the server, at most", "MiB", memoryPeak(s.process.Pid))
		return nil
	})
	if err != nil {
		return err
	}
	return withProfile(ctx, program, func(_ *server, _ string, trivial func() error) error {
		return timeEach(t, "submit to completed, cold, one at a time", max(o.rounds/4, 3), trivial)
	}, "AIRLOCK_POOL=0")
}

// withProfile is withServer with a locked profile and a trivial execution of it.
func withProfile(ctx context.Context, program string, measure func(*server, string, func() error) error,
	more ...string) error {
	return withServer(ctx, program, func(s *server) error {
		profile, err := s.newProfile(ctx)
		if err != nil {
			return err
		}
		return measure(s, profile, func() error {
			_, err := s.execute(ctx, profile, "set_result(1)", nil)
			return err
		})
	}, more...)
}

func measureStart(ctx context.Context, t *table, program string) error {
	dir, err := os.MkdirTemp("", "airlock-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for i := range 4 {
		s, err := startServer(ctx, program, dir)
		if err != nil {
			return err
		}
		if i > 0 { // the first one makes the database
			t.addTimes("start to the first answer", s.answered)
			t.addTimes("start to a checked sandbox", s.proved)
		}
		if err := s.end(); err != nil {
			return err
		}
	}
	return nil
}

// measureWarm alternates bare Python with executions, for equal conditions.
func measureWarm(ctx context.Context, t *table, rounds uint, trivial func() error) error {
	for range 5 { // caches warm up
		if err := trivial(); err != nil {
			return err
		}
	}
	for range rounds {
		err := errors.Join(
			timeEach(t, "bare python3 -c pass", 1, exec.CommandContext(ctx, boxPython, "-c", "pass").Run),
			timeEach(t, "submit to completed, warm, one at a time", 1, trivial))
		if err != nil {
			return err
		}
	}
	return nil
}

// timeEach times calls, with a breath before each.
func timeEach(t *table, what string, times uint, call func() error) error {
	for range times {
		time.Sleep(breath)
		start := time.Now()
		if err := call(); err != nil {
			return err
		}
		t.addTimes(what, time.Since(start))
	}
	return nil
}

func measureClients(t *table, s *server, clients int, length time.Duration, trivial func() error) error {
	server, all := processorTimes(s.process.Pid)
	start := time.Now()
	times, err := load(clients, length, trivial)
	if err != nil {
		return err
	}
	took := time.Since(start)
	serverAfter, allAfter := processorTimes(s.process.Pid)
	name := fmt.Sprintf("clients: %d", clients)
	n := time.Duration(len(times))
	t.addTimes("submit to completed, "+name, times...)
	t.add("executions, "+name, "/s", float64(n)/took.Seconds())
	t.addTimes("processor time of an execution, server and box, "+name, (allAfter-all)/n)
	t.addTimes("processor time of an execution, server alone, "+name, (serverAfter-server)/n)
	return nil
}

// measurePolls reads one finished execution from eight clients.
func measurePolls(ctx context.Context, t *table, s *server, profile string, length time.Duration) error {
	x, err := s.execute(ctx, profile, "set_result(1)", nil)
	if err != nil {
		return err
	}
	times, err := load(8, length, func() error { return s.call(ctx, http.MethodGet, "/executions/"+x.ID, nil, nil) })
	t.addTimes("GET /executions/{id}, 8 clients", times...)
	t.add("GET /executions/{id}, 8 clients, rate", "/s", float64(len(times))/length.Seconds())
	return err
}

// load calls from n goroutines until the time is over or a call fails.
func load(n int, length time.Duration, call func() error) ([]time.Duration, error) {
	var mu sync.Mutex
	var all []time.Duration
	group, ctx := errgroup.WithContext(context.Background())
	end := time.Now().Add(length)
	for range n {
		group.Go(func() error {
			for ctx.Err() == nil {
				start := time.Now()
				if err := call(); err != nil {
					return err
				}
				mu.Lock()
				all = append(all, time.Since(start))
				mu.Unlock()
				if time.Now().After(end) {
					return nil
				}
			}
			return nil
		})
	}
	err := group.Wait()
	return all, err
}
