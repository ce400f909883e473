package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/docker"
	"github.com/computclaw/airlock/plugins/ssh"
)

// benchPool is how many boxes are kept ready while backends are compared.
const benchPool = 4

// fleetBench compares the backends that are ready here, each with a server of its own.
type fleetBench struct {
	service *benchService
	rounds  int
	length  time.Duration
	out     io.Writer
	notes   []string
}

// benchFleet prints one table of all backends, with bare Python and a bare container beside them, each row as soon as it is measured: all of them take a while.
func benchFleet(ctx context.Context, c console, service *benchService, rounds int, length time.Duration) error {
	cfg, err := loadConfig(c.env)
	if err != nil {
		return err
	}
	f := &fleetBench{service: service, rounds: rounds, length: length, out: c.out}
	f.row("backend", "isolation", "cold p50", "p95", "warm dispatch p50", "p95", "warm p50", "p95", "8 clients", "idle box")
	if err := f.bare(ctx, "python3 -c pass", boxPython, "-c", "pass"); err != nil {
		return err
	}
	for _, name := range cfg.comparable() {
		if err := f.backend(ctx, c, name); err != nil {
			return err
		}
		if name == docker.Name {
			if err := f.bare(ctx, "docker run --rm", dockerRun(cfg)...); err != nil {
				f.notes = append(f.notes, err.Error())
			}
		}
	}
	fmt.Fprintln(c.out, "\ncold: submit to completed with no box ready; warm dispatch: submit to the script's first line; warm: submit to completed. Memory with shared pages by equal parts.")
	for _, note := range f.notes {
		fmt.Fprintln(c.out, note)
	}
	return nil
}

// comparable are the backends that may work here: those that auto tries, those that are named, and those that are set up.
func (c *config) comparable() []string {
	list := automatic()
	if _, err := os.Stat("/var/run/docker.sock"); err == nil || c.PluginSettings[docker.Name]["host"] != "" {
		list = append(list, docker.Name)
	}
	if c.PluginSettings[ssh.Name]["host"] != "" {
		list = append(list, ssh.Name)
	}
	for _, p := range c.Plugins {
		list = append(list, p.name)
	}
	return list
}

// backend measures one, or says why it can't be.
func (f *fleetBench) backend(ctx context.Context, c console, name string) error {
	report, err := checkOne(ctx, c, name)
	if err != nil {
		return err
	}
	if !report.Ready {
		f.row(name, "not ready")
		f.notes = append(f.notes, name+" is not ready: "+report.Reason)
		return nil
	}
	cold, err := coldTimes(ctx, f.service, f.rounds, "AIRLOCK_SANDBOX="+name)
	if err != nil {
		return fmt.Errorf("%s, cold: %w", name, err)
	}
	w, err := f.warm(ctx, name)
	if err != nil {
		return fmt.Errorf("%s, warm: %w", name, err)
	}
	memory := "elsewhere"
	if w.memory > 0 {
		memory = fmt.Sprintf("%.1f MiB", float64(w.memory)/(1<<20))
	}
	f.row(slices.Concat([]string{name, string(report.Tier)}, quantiles(cold), quantiles(w.dispatch), quantiles(w.whole), []string{fmt.Sprintf("%.1f/s", w.rate), memory})...)
	return nil
}

// row prints one. Columns have fixed widths, so that none waits for those below it.
func (f *fleetBench) row(cells ...string) {
	widths := []int{18, 11, 10, 10, 19, 10, 10, 10, 11, 0}
	var line strings.Builder
	for i, cell := range cells {
		fmt.Fprintf(&line, "%-*s", widths[i], cell)
	}
	fmt.Fprintln(f.out, strings.TrimRight(line.String(), " "))
}

// checkOne takes one backend's proof.
func checkOne(ctx context.Context, c console, name string) (report plugins.Report, err error) {
	cfg, err := loadConfig(append(c.env, "AIRLOCK_SANDBOX="+name))
	if err != nil {
		return report, err
	}
	if cfg.DataDir, err = os.MkdirTemp("", "airlock-bench-"); err != nil {
		return report, err
	}
	defer os.RemoveAll(cfg.DataDir)
	boxes, err := openSandboxes(cfg, fmt.Sprintf("bench-%d", os.Getpid()), "", slog.New(slog.DiscardHandler))
	if err != nil {
		return report, err
	}
	defer func() { _ = boxes.close() }()
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	report, err = boxes.list[0].Backend.Check(ctx, boxes.list[0].Config)
	if err != nil {
		return plugins.Report{Reason: err.Error()}, ctx.Err()
	}
	return report, nil
}

// warmTimes are what executions took that had a box waiting.
type warmTimes struct {
	dispatch, whole []time.Duration
	rate            float64 // executions per second of 8 clients
	memory          int64   // of a box that waits
}

func (f *fleetBench) warm(ctx context.Context, name string) (w warmTimes, err error) {
	census := newBoxCensus()
	monitor, err := freeAddress(ctx)
	if err != nil {
		return w, err
	}
	b := newBenchmark(f.service)
	stop, err := b.start(ctx, "AIRLOCK_SANDBOX="+name, "AIRLOCK_POOL="+strconv.Itoa(benchPool), "AIRLOCK_METRICS_ADDR="+monitor)
	if err != nil {
		return w, err
	}
	defer stop()
	if err := b.filled(ctx, monitor, benchPool); err != nil {
		return w, err
	}
	time.Sleep(time.Second) // what starts up has settled
	w.memory = census.memory()
	for i := range f.rounds + 3 {
		if err := b.filled(ctx, monitor, benchPool); err != nil {
			return w, err
		}
		start := time.Now()
		_, result, err := b.execute(ctx, b.profile, "import time; set_result(time.time_ns())", nil)
		if err != nil {
			return w, err
		}
		whole := time.Since(start)
		var began int64
		if err := json.Unmarshal(result, &began); err != nil {
			return w, fmt.Errorf("the result of the script: %w", err)
		}
		if i >= 3 {
			w.whole, w.dispatch = append(w.whole, whole), append(w.dispatch, time.Unix(0, began).Sub(start))
		}
	}
	times, err := load(8, f.length, func() error { _, err := b.trivial(ctx); return err })
	w.rate = float64(len(times)) / f.length.Seconds()
	return w, err
}

// filled waits until the server at whose monitor we look keeps that many boxes ready.
func (b *benchmark) filled(ctx context.Context, monitor string, n int) error {
	const within = 30 * time.Second
	warm := -1
	for deadline := time.Now().Add(within); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		var err error
		if warm, err = b.boxesWarm(ctx, monitor); err != nil || warm >= n {
			return err
		}
	}
	return fmt.Errorf("%d of %d boxes are ready after %s", warm, n, within)
}

// boxesWarm reads how many boxes are ready.
func (b *benchmark) boxesWarm(ctx context.Context, monitor string) (n int, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+monitor+"/metrics", nil)
	if err != nil {
		return 0, err
	}
	response, err := b.client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if value, ok := strings.CutPrefix(lines.Text(), "airlock_boxes_warm "); ok {
			return strconv.Atoi(value)
		}
	}
	return 0, errors.New("the metrics don't say how many boxes are ready")
}

// bare measures a command that is started the way anybody would.
func (f *fleetBench) bare(ctx context.Context, what string, command ...string) error {
	times, err := commandTimes(ctx, f.rounds, command...)
	if err != nil {
		return fmt.Errorf("%s can't be measured: %w", what, err)
	}
	f.row(append([]string{what, ""}, quantiles(times)...)...)
	return nil
}

// quantiles are two cells, p50 and p95.
func quantiles(times []time.Duration) []string {
	slices.Sort(times)
	return []string{ms(quantile(times, 0.5)), ms(quantile(times, 0.95))}
}
