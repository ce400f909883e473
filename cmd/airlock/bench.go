package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"slices"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"github.com/computclaw/airlock/views"
)

const benchUsage = `Usage: airlock bench [--rounds N] [--seconds N] [--redaction | --egress | --backends | --house | --parked N | --overload]

Measures the redactor next to plain copying; then starts a server of its own on a temporary data directory and measures it over HTTP,
next to bare Python in the same run; then compares the sandbox backends that are ready here; then moves house, next to sqlite3 and openssl.

  --rounds N    executions measured one at a time (100; of each backend 40)
  --seconds N   length of each measurement under load (5)
  --redaction   measure the redactor only
  --egress      measure egress only
  --backends    compare the backends only: bubblewrap, landlock, and docker, ssh and your own as far as they are set up
  --house       measure moving house only: export, import and backups of 1,000 credentials, 200 profiles and as many executions as --history says,
                next to sqlite3 and openssl (Debian: sqlite3, openssl)
  --history N   executions in that house (100000)
  --output N    bytes that each of them printed (400)
  --parked N    measure only what N executions cost that wait for an LLM answer at once; they need about 12 MiB each
  --overload    measure only how the server does under far more than it can do: 10,000 queued by one profile, 500 clients, 1,000 long polls,
                200 pages that follow it, slow readers
`

// boxPython is the interpreter that boxes run; a python3 earlier in the PATH may be another program.
const boxPython = "/usr/bin/python3"

// benchmark measures a server of its own on a temporary data directory, from outside, over HTTP.
type benchmark struct {
	env     []string // of the server and of airlock admin
	url     string
	profile string // has neither keys nor hosts
	service *benchService
	client  *http.Client
	pid     int // of the server
}

// bench is `airlock bench`: it prints, side by side in one run, what an execution costs and what bare Python costs on this machine.
func bench(ctx context.Context, c console, args []string) error {
	f := newFlags("bench", benchUsage)
	rounds := f.Int("rounds", 0, "")
	seconds := f.Int("seconds", 5, "")
	redaction := f.Bool("redaction", false, "")
	egress := f.Bool("egress", false, "")
	backends := f.Bool("backends", false, "")
	house := f.Bool("house", false, "")
	size := benchHouseSize{credentials: 1000, profiles: 200}
	f.IntVar(&size.executions, "history", 100_000, "")
	f.IntVar(&size.output, "output", 400, "")
	parked := f.Int("parked", 0, "")
	over := f.Bool("overload", false, "")
	if _, err := f.parse(c.out, args); err != nil {
		return err
	}
	length, fleetRounds := time.Duration(*seconds)*time.Second, *rounds
	if *rounds == 0 {
		*rounds, fleetRounds = 100, 40
	}
	if !*egress && !*backends && !*house && !*over && *parked == 0 {
		if err := benchRedact(c.out, length/10); err != nil || *redaction {
			return err
		}
		fmt.Fprintln(c.out)
	}
	service, err := startBenchService(ctx)
	if err != nil {
		return err
	}
	defer service.stop()
	switch {
	case *parked > 0:
		return benchParked(ctx, c.out, service, *parked)
	case *over:
		return benchOverload(ctx, c.out, service, length)
	case *house:
		return benchHouse(ctx, c.out, service, size)
	case *backends:
		return benchFleet(ctx, c, service, fleetRounds, length)
	case *egress:
		return benchServer(ctx, c, service, *rounds, 0)
	}
	if err := benchServer(ctx, c, service, *rounds, length); err != nil {
		return err
	}
	fmt.Fprintln(c.out)
	if err := benchFleet(ctx, c, service, fleetRounds, length); err != nil {
		return err
	}
	fmt.Fprintln(c.out)
	return benchHouse(ctx, c.out, service, size)
}

func newBenchmark(service *benchService) *benchmark {
	return &benchmark{service: service, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
}

// benchServer measures a server with its default backend; only its egress if length is 0.
func benchServer(ctx context.Context, c console, service *benchService, rounds int, length time.Duration) error {
	table := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "what\tp50\tp95\trate")
	b := newBenchmark(service)
	if length > 0 {
		if err := b.startUp(ctx, table, rounds); err != nil {
			return err
		}
	}
	stop, err := b.start(ctx)
	if err != nil {
		return err
	}
	defer stop()
	if length > 0 {
		if err := b.executions(ctx, table, rounds, length); err != nil {
			return err
		}
	}
	if err := b.egress(ctx, table, rounds); err != nil {
		return err
	}
	if err := b.bytes(ctx, table); err != nil {
		return err
	}
	return table.Flush()
}

// executions measures whole executions and what it costs to look at one.
func (b *benchmark) executions(ctx context.Context, table io.Writer, rounds int, length time.Duration) error {
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
	fmt.Fprintf(table, "memory of the server: idle at first, at the most\t%d MiB\t%d MiB\t\n", idle>>20, peak(b.pid)>>20)
	return nil
}

// oneAtATime alternates bare Python with a warm execution, so that both see the same machine.
func (b *benchmark) oneAtATime(ctx context.Context, table io.Writer, rounds int) error {
	var bare, warm []time.Duration
	for i := range rounds + 5 {
		start := time.Now()
		if err := exec.CommandContext(ctx, boxPython, "-c", "pass").Run(); err != nil {
			return fmt.Errorf("start python3: %w", err)
		}
		python := time.Since(start)
		time.Sleep(150 * time.Millisecond) // the pool fills up behind the work; this is the case with a box ready
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
	start := time.Now()
	times, err := load(n, length, func() error { _, err := b.trivial(ctx); return err })
	row(table, fmt.Sprintf("submit to completed, %s", views.Count(int64(n), "client")), times, fmt.Sprintf("%.1f executions/s", float64(len(times))/time.Since(start).Seconds()))
	return err
}

// polls reads one finished execution from n clients at once for a while.
func (b *benchmark) polls(ctx context.Context, table io.Writer, n int, length time.Duration) error {
	id, err := b.trivial(ctx)
	if err != nil {
		return err
	}
	times, err := load(n, length, func() error { return b.call(ctx, http.MethodGet, "/executions/"+id, nil, nil) })
	slices.Sort(times)
	row(table, fmt.Sprintf("GET /executions/{id}, %d clients", n), times, fmt.Sprintf("%.0f requests/s, p99 %s", float64(len(times))/length.Seconds(), ms(quantile(times, 0.99))))
	return err
}

// load calls from n goroutines until the time is over, and stops at the first error.
func load(n int, length time.Duration, call func() error) ([]time.Duration, error) {
	var (
		mu     sync.Mutex
		all    []time.Duration
		failed atomic.Pointer[error]
		wg     sync.WaitGroup
	)
	end := time.Now().Add(length)
	for range n {
		wg.Go(func() {
			var mine []time.Duration
			for time.Now().Before(end) && failed.Load() == nil {
				start := time.Now()
				if err := call(); err != nil {
					failed.Store(&err)
					return
				}
				mine = append(mine, time.Since(start))
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, mine...)
		})
	}
	wg.Wait()
	if err := failed.Load(); err != nil {
		return all, *err
	}
	return all, nil
}

// trivial submits set_result(1) and waits for its end.
func (b *benchmark) trivial(ctx context.Context) (id string, err error) {
	id, _, err = b.execute(ctx, b.profile, "set_result(1)", nil)
	return id, err
}

// execute submits a script and waits for its result.
func (b *benchmark) execute(ctx context.Context, profile, script string, inputs any) (id string, result json.RawMessage, err error) {
	var x struct {
		ID     string          `json:"execution_id"`
		Status string          `json:"status"`
		Error  string          `json:"error"`
		Result json.RawMessage `json:"result"`
	}
	body := map[string]any{"profile_id": profile, "script": script}
	if inputs != nil {
		body["inputs"] = inputs
	}
	err = b.call(ctx, http.MethodPost, "/execute?wait=50", body, &x)
	if err == nil && x.Status != "completed" {
		err = fmt.Errorf("the execution ended as %s: %s", x.Status, x.Error)
	}
	return x.ID, x.Result, err
}

func (b *benchmark) call(ctx context.Context, method, path string, body, answer any) error {
	var reader io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		reader = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, b.url+path, reader)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := b.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return err
	case response.StatusCode >= 300:
		return fmt.Errorf("%s answered %d: %s", path, response.StatusCode, text)
	case answer == nil:
		return nil
	}
	return json.Unmarshal(text, answer)
}

func row(table io.Writer, what string, times []time.Duration, rate string) {
	slices.Sort(times)
	fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", what, ms(quantile(times, 0.5)), ms(quantile(times, 0.95)), rate)
}

// quantile returns the q-quantile of sorted times by nearest rank; 0 for none.
func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond)) }
