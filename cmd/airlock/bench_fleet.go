package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"text/tabwriter"
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
	table   io.Writer
	notes   []string
}

// benchFleet prints one table of all backends, with bare Python and a bare container beside them.
func benchFleet(ctx context.Context, c console, service *benchService, rounds int, length time.Duration) error {
	cfg, err := loadConfig(c.env)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "backend\tisolation\tcold p50\tp95\twarm dispatch p50\tp95\twarm p50\tp95\t8 clients\tidle box")
	f := &fleetBench{service: service, rounds: rounds, length: length, table: table}
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
	if err := table.Flush(); err != nil {
		return err
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
		fmt.Fprintf(f.table, "%s\tnot ready\n", name)
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
	fmt.Fprintf(f.table, "%s\t%s\t%s\t%s\t%s\t%.1f/s\t%s\n", name, report.Tier, quantiles(cold), quantiles(w.dispatch), quantiles(w.whole), w.rate, memory)
	return nil
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
	b := newBenchmark(f.service)
	stop, err := b.start(ctx, "AIRLOCK_SANDBOX="+name, "AIRLOCK_POOL="+strconv.Itoa(benchPool))
	if err != nil {
		return w, err
	}
	defer stop()
	filled := census.fill(ctx, benchPool)
	time.Sleep(time.Second) // what starts up has settled
	w.memory = census.memory()
	for i := range f.rounds + 3 {
		if filled {
			census.fill(ctx, benchPool)
		}
		time.Sleep(200 * time.Millisecond) // an interpreter is ready a moment after its process is there
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

// fill waits until that many boxes are there, and reports whether boxes can be seen at all.
func (c *boxCensus) fill(ctx context.Context, n int) bool {
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline) && ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
		if len(c.boxes()) >= n {
			return true
		}
	}
	return len(c.boxes()) > 0
}

// bare measures a command that is started the way anybody would.
func (f *fleetBench) bare(ctx context.Context, what string, command ...string) error {
	times, err := commandTimes(ctx, f.rounds, command...)
	if err != nil {
		return fmt.Errorf("%s can't be measured: %w", what, err)
	}
	fmt.Fprintf(f.table, "%s\t\t%s\t\t\t\t\t\t\n", what, quantiles(times))
	return nil
}

func quantiles(times []time.Duration) string {
	slices.Sort(times)
	return ms(quantile(times, 0.5)) + "\t" + ms(quantile(times, 0.95))
}
