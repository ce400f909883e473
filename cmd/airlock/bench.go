package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"
)

const benchUsage = `Usage: airlock bench [--rounds N] [--seconds N]

Starts a server of its own on a temporary data directory and measures it over HTTP, next to bare Python in the same run.

  --rounds N    executions measured one at a time (100)
  --seconds N   length of each measurement under load (5)
`

// boxPython is the interpreter that boxes run; a python3 earlier in the PATH may be another program.
const boxPython = "/usr/bin/python3"

// benchmark measures a server of its own on a temporary data directory, from outside, over HTTP.
type benchmark struct {
	url     string
	profile string
	client  *http.Client
}

// bench is `airlock bench`: it prints, side by side in one run, what an execution costs and what bare Python costs on this machine.
func bench(ctx context.Context, c console, args []string) error {
	f := newFlags("bench", benchUsage)
	rounds := f.Int("rounds", 100, "")
	seconds := f.Int("seconds", 5, "")
	if _, err := f.parse(c.out, args); err != nil {
		return err
	}
	b := &benchmark{client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
	stop, err := b.start(ctx)
	if err != nil {
		return err
	}
	defer stop()
	length := time.Duration(*seconds) * time.Second
	table := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "what\tp50\tp95\trate")
	if err := b.oneAtATime(ctx, table, *rounds); err != nil {
		return err
	}
	if err := b.clients(ctx, table, 8, length); err != nil {
		return err
	}
	if err := b.polls(ctx, table, 8, length); err != nil {
		return err
	}
	return table.Flush()
}

// start runs a server on a free port and makes a locked profile in it.
func (b *benchmark) start(ctx context.Context) (stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "airlock-bench-")
	if err != nil {
		return nil, err
	}
	addr, err := freeAddress(ctx)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	env := append(os.Environ(), "AIRLOCK_DATA_DIR="+dir, "AIRLOCK_ADDR="+addr)
	var log bytes.Buffer
	server := exec.CommandContext(ctx, self, "serve")
	server.Env, server.Stdout, server.Stderr = env, &log, &log
	server.Cancel = func() error { return server.Process.Signal(os.Interrupt) }
	server.WaitDelay = 15 * time.Second
	if err := server.Start(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	stop = func() {
		_ = server.Process.Signal(os.Interrupt)
		_ = server.Wait()
		_ = os.RemoveAll(dir)
	}
	b.url = "http://" + addr
	if err := b.ready(ctx); err != nil {
		stop()
		return nil, fmt.Errorf("the server did not become ready: %w\n%s", err, log.String())
	}
	for _, args := range [][]string{{"create", "--description", "benchmark"}, {"lock"}} {
		if b.profile != "" {
			args = append(args, b.profile)
		}
		command := exec.CommandContext(ctx, self, append([]string{"admin", "profile"}, args...)...)
		command.Env = env
		out, err := command.Output()
		if err != nil {
			stop()
			return nil, fmt.Errorf("airlock admin profile %s: %w", args[0], err)
		}
		b.profile += strings.TrimSpace(string(out))
	}
	return stop, nil
}

func freeAddress(ctx context.Context) (string, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// ready waits until the sandbox has passed its checks.
func (b *benchmark) ready(ctx context.Context) error {
	deadline := time.Now().Add(30 * time.Second)
	var health struct {
		Sandbox struct {
			Ready bool `json:"ready"`
		} `json:"sandbox"`
	}
	for time.Now().Before(deadline) {
		if err := b.call(ctx, http.MethodGet, "/health", nil, &health); err == nil && health.Sandbox.Ready {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return errors.New("no sandbox is ready; see `airlock doctor`")
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
		if _, err := b.execute(ctx); err != nil {
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
	times, err := load(n, length, func() error { _, err := b.execute(ctx); return err })
	row(table, fmt.Sprintf("submit to completed, %d clients", n), times, fmt.Sprintf("%.1f executions/s", float64(len(times))/length.Seconds()))
	return err
}

// polls reads one finished execution from n clients at once for a while.
func (b *benchmark) polls(ctx context.Context, table io.Writer, n int, length time.Duration) error {
	id, err := b.execute(ctx)
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

// execute submits set_result(1) and waits for its end.
func (b *benchmark) execute(ctx context.Context) (id string, err error) {
	var x struct {
		ID     string `json:"execution_id"`
		Status string `json:"status"`
		Error  string `json:"error"`
	}
	err = b.call(ctx, http.MethodPost, "/execute?wait=50", map[string]any{"profile_id": b.profile, "script": "set_result(1)"}, &x)
	if err == nil && x.Status != "completed" {
		err = fmt.Errorf("the execution ended as %s: %s", x.Status, x.Error)
	}
	return x.ID, err
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
