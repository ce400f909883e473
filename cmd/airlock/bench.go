package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const benchUsage = `Usage: airlock bench [--rounds N] [--seconds N] [--pages N] [--peer COMMAND]… [--speed] [--egress] [--redaction] [--backends] [--house [--history N] [--output N]]
       airlock bench --parked N
       airlock bench --overload [--seconds N]

Starts servers of its own on temporary data directories and measures in one table, over HTTP, executions warm and cold, one at a time and under load, polls, pages, start-up
and memory, next to bare Python and other ways to run it apart; then egress; then the redactor, next to plain copying; then compares the sandbox backends that are
ready here; then moves house, next to sqlite3 and openssl.

  --rounds N    executions measured one at a time (100; of each backend 40)
  --seconds N   length of each measurement under load (5)
  --pages N     executions in the store while pages are measured (1000000, which takes some minutes and 3 GB of disk to make); 0: no pages
  --peer COMMAND  another runner to put beside it (repeatable), as one command that runs Python to no effect, such as "firejail --quiet --noprofile python3 -c pass";
                bubblewrap by itself and docker run are there where they can be started
  --speed, --egress, --redaction
                measure only that table, the egress or the redactor
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

	complaint error // about the server, once it has been stopped
}

// bench is `airlock bench`: it prints, side by side in one run, what an execution costs and what other ways to run Python cost on this machine.
func bench(ctx context.Context, c console, args []string) error {
	f := newFlags("bench", benchUsage)
	speed := benchSpeedSize{peers: f.list("peer")}
	f.IntVar(&speed.rounds, "rounds", 0, "")
	f.IntVar(&speed.pages, "pages", 1_000_000, "")
	seconds := f.Int("seconds", 5, "")
	speedOnly := f.Bool("speed", false, "")
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
	if err := benchFits(f); err != nil {
		return err
	}
	fleetRounds := speed.rounds
	if speed.rounds == 0 {
		speed.rounds, fleetRounds = 100, 40
	}
	speed.length = time.Duration(*seconds) * time.Second
	service, err := startBenchService(ctx)
	if err != nil {
		return err
	}
	defer service.stop()
	parts := []benchPart{
		{*speedOnly, func() error { return benchSpeed(ctx, c, service, speed) }},
		{*egress, func() error { return benchEgress(ctx, c.out, service, speed.rounds) }},
		{*redaction, func() error { return benchRedact(c.out, speed.length/10) }},
		{*backends, func() error { return benchFleet(ctx, c, service, fleetRounds, speed.length) }},
		{*house, func() error { return benchHouse(ctx, c.out, service, size) }},
	}
	switch {
	case *parked > 0:
		return benchParked(ctx, c.out, service, *parked)
	case *over:
		return benchOverload(ctx, c.out, service, speed.length)
	}
	all := !slices.ContainsFunc(parts, func(p benchPart) bool { return p.chosen })
	for _, p := range parts {
		if !all && !p.chosen {
			continue
		}
		if err := p.measure(); err != nil {
			return err
		}
		fmt.Fprintln(c.out)
	}
	return nil
}

// benchPart is one of the tables.
type benchPart struct {
	chosen  bool
	measure func() error
}

func newBenchmark(service *benchService) *benchmark {
	return &benchmark{service: service, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
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

// quantile returns the time that a share q of sorted times is below; 0 for none.
func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond)) }
