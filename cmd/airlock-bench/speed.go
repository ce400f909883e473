package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/computclaw/airlock/plugins/procfs"
	"github.com/computclaw/airlock/views/format"
)

// speed prints one table: what executions, polls, pages and starts take with the default backend,
// and what memory they need.
func (s *suite) speed(ctx context.Context) error {
	table := newTable(s.out)
	b := s.newBenchmark()
	if err := b.startUp(ctx, table, s.rounds); err != nil {
		return err
	}
	if err := b.executions(ctx, table, s.rounds, s.length); err != nil {
		return err
	}
	cold, err := s.coldTimes(ctx)
	if err != nil {
		return err
	}
	row(table, "submit to completed, cold, one at a time", cold, "")
	if s.pages > 0 {
		if err := s.pageTable(ctx, table); err != nil {
			return err
		}
	}
	return table.Flush()
}

func newTable(out io.Writer) *tabwriter.Writer {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "what\tp50\tp95\trate")
	return table
}

// coldTimes measures executions with no box ready.
func (s *suite) coldTimes(ctx context.Context, more ...string) (times []time.Duration, err error) {
	b := s.newBenchmark()
	stop, err := b.start(ctx, append(more, "AIRLOCK_POOL=0")...)
	if err != nil {
		return nil, err
	}
	defer stop()
	for range max(s.rounds/4, 3) {
		time.Sleep(breath)
		start := time.Now()
		if _, err := b.trivial(ctx); err != nil {
			return nil, err
		}
		times = append(times, time.Since(start))
	}
	return times, nil
}

// executions measures whole executions on a server of its own, and what it costs to look at one.
func (b *benchmark) executions(ctx context.Context, table io.Writer, rounds int, length time.Duration) error {
	stop, err := b.start(ctx)
	if err != nil {
		return err
	}
	defer stop()
	time.Sleep(settled)
	idle := residentNow(b.pid)
	if err := b.oneAtATime(ctx, table, rounds); err != nil {
		return err
	}
	if err := b.firstOutput(ctx, table, rounds); err != nil {
		return err
	}
	for _, n := range []int{1, 8, 32} {
		if err := b.clients(ctx, table, n, length); err != nil {
			return err
		}
	}
	if err := b.polls(ctx, table, 8, length); err != nil {
		return err
	}
	fmt.Fprintf(table, "memory of the server: idle at first, at the most under load\t%d MiB\t%d MiB\t\n", idle>>20,
		peak(b.pid)>>20)
	return nil
}

// breath is the pause before each of what is measured by turns: what was measured before it is
// cleared away by then, and the pool filled up again. Both begin with a processor that sleeps and
// caches that others have used, as the first of something does.
const breath = 150 * time.Millisecond

// oneAtATime alternates bare Python with a warm execution, so that both see the same machine.
func (b *benchmark) oneAtATime(ctx context.Context, table io.Writer, rounds int) error {
	var bare, warm []time.Duration
	for i := range rounds + 5 {
		time.Sleep(breath)
		start := time.Now()
		if err := exec.CommandContext(ctx, boxPython, "-c", "pass").Run(); err != nil {
			return fmt.Errorf("start python3: %w", err)
		}
		python := time.Since(start)
		time.Sleep(breath)
		start = time.Now()
		if _, err := b.trivial(ctx); err != nil {
			return err
		}
		execution := time.Since(start)
		if i >= 5 { // the first rounds warm caches on both sides
			bare, warm = append(bare, python), append(warm, execution)
		}
	}
	row(table, "bare python3 -c pass", bare, "")
	row(table, "submit to completed, warm, one at a time", warm, "")
	return nil
}

// clients submits from n clients at once for a while.
func (b *benchmark) clients(ctx context.Context, table io.Writer, n int, length time.Duration) error {
	start, before := time.Now(), processorTime(b.pid)
	times, err := load(n, length, func() error { _, err := b.trivial(ctx); return err })
	took := time.Since(start)
	rate := fmt.Sprintf("%.1f executions/s", float64(len(times))/took.Seconds())
	if used, known := processorTime(b.pid).since(before); known {
		rate += fmt.Sprintf(", each %s of a processor", ms(used/time.Duration(max(len(times), 1))))
	}
	row(table, fmt.Sprintf("submit to completed, %s", format.Count(int64(n), "client")), times, rate)
	return err
}

// processors is what processes, and those that have ended below them, have used, by process id.
type processors map[int]time.Duration

// processorTime is the usage of a process and all below it.
func processorTime(pid int) processors {
	const tick = 10 * time.Millisecond // on every platform of Linux that Go knows
	u := processors{}
	for _, process := range procfs.Tree(pid) {
		if stat, err := procfs.StatOf(process.PID); err == nil {
			u[process.PID] = time.Duration(stat.Used) * tick
		}
	}
	return u
}

// since is what was used in between. It isn't known if a template ended: what its boxes used is gone
// with it.
func (u processors) since(before processors) (used time.Duration, known bool) {
	const box = 200 * time.Millisecond // more than an idle box has used
	for pid, n := range before {
		if _, lives := u[pid]; !lives && n > box {
			return 0, false
		}
		used -= n
	}
	for _, n := range u {
		used += n
	}
	return used, true
}

// polls reads one finished execution from n clients at once for a while.
func (b *benchmark) polls(ctx context.Context, table io.Writer, n int, length time.Duration) error {
	id, err := b.trivial(ctx)
	if err != nil {
		return err
	}
	times, err := load(n, length, func() error { return b.call(ctx, http.MethodGet, "/executions/"+id, nil, nil) })
	slices.Sort(times)
	row(table, fmt.Sprintf("GET /executions/{id}, %d clients", n), times,
		fmt.Sprintf("%.0f requests/s, p99 %s", float64(len(times))/length.Seconds(), ms(quantile(times, 0.99))))
	return err
}
