package sandboxtest

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/plugins"
)

type bench struct {
	sandbox plugins.Sandbox
	cfg     plugins.Config
	report  plugins.Report
	opts    Options
	all     bool // as many boxes as the longest run opens
}

// pick returns how many boxes a case opens, or its repeats, for the essential, usual or longest
// run.
func (b *bench) pick(essential, usual, all int) int {
	switch {
	case b.all:
		return all
	case b.opts.Essential:
		return essential
	}
	return usual
}

// limits are those of boxes in the suite, unless a case has its own.
func limits() plugins.Limits {
	return plugins.Limits{Memory: 128 << 20, CPU: 2, Pids: 32, Tmp: 8 << 20, Files: 64}
}

// token is a word that no other test uses.
func token() string { return strings.ToLower(rand.Text()[:12]) }

func split(pair string) (key, value string) {
	key, value, _ = strings.Cut(pair, "=")
	return key, value
}

// order returns a stdin that begins with o and stays open until end is called.
func order(o Order) (stdin io.Reader, end func()) {
	r, w := io.Pipe()
	return io.MultiReader(bytes.NewReader(mustLine(o)), r), func() { w.Close() }
}

// python runs code with the interpreter every runtime must have. Further arguments are in sys.argv.
func python(code string, args ...string) Order {
	return Order{Argv: append([]string{"/usr/bin/env", "python3", "-s", "-B", "-c", code}, args...)}
}

// sleeper prints "up" and sleeps for ever. The mark identifies its process from outside.
func sleeper(mark string) Order {
	return python("import time; print('up', flush=True)\nwhile True: time.sleep(1000)", mark)
}

type result struct {
	plugins.Exit
	out string
	err error
}

// start runs o in a box of its own. The returned channel yields once.
func (b *bench) start(ctx context.Context, spec plugins.Spec, o Order, stdout io.Writer) <-chan result {
	if spec.ID == "" {
		spec.ID = "box-" + token()
	}
	if spec.Limits == (plugins.Limits{}) {
		spec.Limits = limits()
	}
	stdin, end := order(o)
	done := make(chan result, 1)
	go func() {
		defer end()
		exit, err := b.sandbox.Run(ctx, spec, stdin, stdout)
		done <- result{Exit: exit, err: err}
	}()
	return done
}

// run opens a box and waits for its end. A box that doesn't end in time is a failure.
func (b *bench) run(t *testing.T, spec plugins.Spec, o Order) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var out bytes.Buffer
	r := <-b.start(ctx, spec, o, &out)
	r.out = out.String()
	if r.err != nil {
		t.Fatalf("Run: %v (output %q, diagnostic %q)", r.err, r.out, r.Diagnostic)
	}
	if ctx.Err() != nil {
		t.Fatalf("the box did not end within a minute; output %q", r.out)
	}
	return r
}

// awaitUp returns a stdout and a channel that is closed at the box's first output.
func awaitUp() (io.Writer, <-chan struct{}) {
	up := make(chan struct{})
	return &firstWrite{up: up}, up
}

type firstWrite struct{ up chan struct{} }

func (w *firstWrite) Write(p []byte) (int, error) {
	if w.up != nil {
		close(w.up)
		w.up = nil
	}
	return len(p), nil
}

// patience bounds the suite's waits. It measures no speed: the machine may be busy.
const patience = time.Minute

func receive[T any](t *testing.T, what string, ch <-chan T, limit time.Duration) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(limit):
		t.Fatalf("%s: nothing after %s", what, limit)
		panic("unreachable")
	}
}

// awaitBox waits for a box's first output. If the box ends before, it fails with how.
func awaitBox(t *testing.T, up <-chan struct{}, done <-chan result) {
	t.Helper()
	select {
	case <-up:
	case r := <-done:
		t.Fatalf("the box ended before it said anything: %+v, error %v", r.Exit, r.err)
	case <-time.After(patience):
		t.Fatalf("box: nothing after %s", patience)
	}
}

// awaitProcess is awaitBox without a reader of the output. It waits for a process with mark.
func awaitProcess(t *testing.T, mark string, done <-chan result) {
	t.Helper()
	for deadline := time.Now().Add(patience); len(processesWith(mark)) == 0; {
		select {
		case r := <-done:
			t.Fatalf("the box ended before its process was there: %+v, error %v", r.Exit, r.err)
		case <-time.After(5 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			t.Fatalf("process: nothing after %s", patience)
		}
	}
}

func processesWith(mark string) []string {
	var found []string
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		if b, err := os.ReadFile(file); err == nil && bytes.Contains(b, []byte(mark)) {
			found = append(found, file+": "+strings.ReplaceAll(string(b), "\x00", " "))
		}
	}
	return found
}

// noneWith fails the test if a process with mark still exists after within.
func noneWith(t *testing.T, mark string, within time.Duration) {
	t.Helper()
	eventually(t, within, func() []string { return processesWith(mark) })
}

func eventually(t *testing.T, within time.Duration, wrongs func() []string) {
	t.Helper()
	for deadline := time.Now().Add(within); ; time.Sleep(5 * time.Millisecond) {
		found := wrongs()
		if len(found) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("still there: %s", strings.Join(found, "\n\t"))
			return
		}
	}
}

// testLogger shows what the plugin logs only where somebody reads it.
func testLogger(tb testing.TB) *slog.Logger {
	return slog.New(slog.NewTextHandler(tb.Output(), nil))
}

func mustLine(o Order) []byte {
	line, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	return append(line, '\n')
}
