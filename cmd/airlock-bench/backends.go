package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/computclaw/airlock/plugins/bubblewrap"
	"github.com/computclaw/airlock/plugins/docker"
	"github.com/computclaw/airlock/plugins/landlock"
	"github.com/computclaw/airlock/plugins/ssh"
)

// benchPool is how many boxes are kept ready while backends are compared.
const benchPool = 4

// backendsTable compares the backends that are ready here, each with a server of its own.
type backendsTable struct {
	*suite
	notes []string
}

// backends prints one table of all backends, with bare Python beside them, each row as soon as it
// is measured: all of them take a while.
func (s *suite) backends(ctx context.Context) error {
	t := &backendsTable{suite: s}
	t.row("backend", "isolation", "cold p50", "p95", "warm dispatch p50", "p95", "warm p50", "p95", "8 clients",
		"idle box")
	if err := t.bare(ctx); err != nil {
		return err
	}
	for _, name := range comparable() {
		if err := t.backend(ctx, name); err != nil {
			return err
		}
		if name == bubblewrap.Name {
			if err := t.backend(ctx, name, "AIRLOCK_BOX=fresh"); err != nil {
				return err
			}
		}
	}
	fmt.Fprintln(s.out, "\ncold: submit to completed with no box ready; warm dispatch: submit to the script's first "+
		"line; warm: submit to completed. Memory with shared pages by equal parts.")
	for _, note := range t.notes {
		fmt.Fprintln(s.out, note)
	}
	return nil
}

// comparable returns the backends that may work here: the two that need nothing, and those that the
// environment sets up.
func comparable() []string {
	list := []string{bubblewrap.Name, landlock.Name}
	if _, err := os.Stat("/var/run/docker.sock"); err == nil || os.Getenv("AIRLOCK_PLUGIN_DOCKER_HOST") != "" {
		list = append(list, docker.Name)
	}
	if os.Getenv("AIRLOCK_PLUGIN_SSH_HOST") != "" {
		list = append(list, ssh.Name)
	}
	return list
}

// backend measures one with settings, or notes why it can't be measured.
func (t *backendsTable) backend(ctx context.Context, name string, settings ...string) error {
	settings = append([]string{"AIRLOCK_SANDBOX=" + name}, settings...)
	if len(settings) > 1 {
		name = "…, fresh boxes"
	}
	tier, err := t.tier(ctx, settings)
	if err != nil {
		t.row(name, "not ready")
		t.notes = append(t.notes, name+" is not ready: "+err.Error())
		return ctx.Err()
	}
	cold, err := t.coldTimes(ctx, settings...)
	if err != nil {
		return fmt.Errorf("%s, cold: %w", name, err)
	}
	w, err := t.warm(ctx, settings)
	if err != nil {
		return fmt.Errorf("%s, warm: %w", name, err)
	}
	memory := "elsewhere"
	if w.memory > 0 {
		memory = fmt.Sprintf("%.1f MiB", float64(w.memory)/(1<<20))
	}
	t.row(slices.Concat([]string{name, tier}, quantiles(cold), quantiles(w.dispatch), quantiles(w.whole),
		[]string{fmt.Sprintf("%.1f/s", w.rate), memory})...)
	return nil
}

// tier starts a server with a backend and returns the isolation that the backend has proved.
func (t *backendsTable) tier(ctx context.Context, settings []string) (string, error) {
	b := t.newBenchmark()
	stop, err := b.start(ctx, settings...)
	if err != nil {
		return "", err
	}
	defer stop()
	var health struct {
		Isolation string `json:"isolation"`
	}
	err = b.call(ctx, http.MethodGet, "/health", nil, &health)
	return health.Isolation, err
}

// row prints one. Columns have fixed widths, so that none waits for those below it.
func (t *backendsTable) row(cells ...string) {
	widths := []int{18, 11, 10, 10, 19, 10, 10, 10, 11, 0}
	var line strings.Builder
	for i, cell := range cells {
		fmt.Fprintf(&line, "%-*s", widths[i], cell)
	}
	fmt.Fprintln(t.out, strings.TrimRight(line.String(), " "))
}

// warmTimes are what executions took that had a box waiting.
type warmTimes struct {
	dispatch, whole []time.Duration
	rate            float64 // executions per second of 8 clients
	memory          int64   // of a box that waits
}

func (t *backendsTable) warm(ctx context.Context, settings []string) (w warmTimes, err error) {
	census := newBoxCensus()
	monitor, err := freeAddress(ctx)
	if err != nil {
		return w, err
	}
	b := t.newBenchmark()
	stop, err := b.start(ctx, append(settings, "AIRLOCK_POOL="+strconv.Itoa(benchPool),
		"AIRLOCK_METRICS_ADDR="+monitor)...)
	if err != nil {
		return w, err
	}
	defer stop()
	if err := b.filled(ctx, monitor, benchPool); err != nil {
		return w, err
	}
	time.Sleep(time.Second) // what starts up has settled
	w.memory = census.memory()
	for i := range t.rounds + 3 {
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
	times, err := load(8, t.length, func() error { _, err := b.trivial(ctx); return err })
	w.rate = float64(len(times)) / t.length.Seconds()
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

// bare measures Python that is started the way anybody would.
func (t *backendsTable) bare(ctx context.Context) error {
	var times []time.Duration
	for range max(t.rounds/4, 3) {
		time.Sleep(breath)
		start := time.Now()
		if err := exec.CommandContext(ctx, boxPython, "-c", "pass").Run(); err != nil {
			return fmt.Errorf("start python3: %w", err)
		}
		times = append(times, time.Since(start))
	}
	t.row(append([]string{"python3 -c pass", ""}, quantiles(times)...)...)
	return nil
}

// quantiles are two cells, p50 and p95.
func quantiles(times []time.Duration) []string {
	slices.Sort(times)
	return []string{ms(quantile(times, 0.5)), ms(quantile(times, 0.95))}
}
