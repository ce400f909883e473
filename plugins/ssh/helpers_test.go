package ssh

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/sandboxtest"
)

// box is one that a test holds open.
type box struct {
	mark  string // in the command line of its Python
	stdin io.WriteCloser
	done  chan ending
	up    chan struct{}
}

type ending struct {
	plugins.Exit
	err error
	at  time.Time
}

// token is a word that no other test uses.
func token() string { return strings.ToLower(rand.Text()[:12]) }

func order(t *testing.T, code string, args ...string) []byte {
	t.Helper()
	line, err := json.Marshal(sandboxtest.Order{Argv: append([]string{"/usr/bin/env", "python3", "-s", "-B", "-c",
		code},
		args...)})
	if err != nil {
		t.Fatal(err)
	}
	return append(line, '\n')
}

type firstWrite struct{ up chan struct{} }

func (w *firstWrite) Write(p []byte) (int, error) {
	select {
	case <-w.up:
	default:
		close(w.up)
	}
	return len(p), nil
}

// open opens a box that sleeps, and returns when its script runs.
func open(t *testing.T, s plugins.Sandbox, more ...string) *box {
	t.Helper()
	b := &box{mark: token(), done: make(chan ending, 1), up: make(chan struct{})}
	r, w := io.Pipe()
	b.stdin = w
	code := "import sys, time; sys.stdin.readline(); print('up', flush=True)\nwhile True: time.sleep(1000)"
	stdin := io.MultiReader(bytes.NewReader(order(t, code, b.mark)), strings.NewReader(strings.Join(more, " ")+"\n"), r)
	go func() {
		exit, err := s.Run(context.Background(), plugins.Spec{ID: "box-" + b.mark}, stdin, &firstWrite{b.up})
		b.done <- ending{exit, err, time.Now()}
	}()
	t.Cleanup(func() { w.Close() })
	select {
	case <-b.up:
	case e := <-b.done:
		t.Fatalf("the box ended: %+v", e)
	case <-time.After(30 * time.Second):
		t.Fatal("the box doesn't start")
	}
	if len(processesWith(b.mark)) == 0 {
		t.Fatal("the test can't see the box's processes")
	}
	return b
}

// says runs code in a box and returns what it printed.
func says(t *testing.T, s plugins.Sandbox, code string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, w := io.Pipe() // stays open: the guest ends at the end of its stdin
	defer w.Close()
	var out bytes.Buffer
	exit, err := s.Run(ctx, plugins.Spec{ID: "box-" + token()}, io.MultiReader(bytes.NewReader(order(t, code)), r),
		&out)
	if err != nil || exit.Reason != plugins.ReasonExit {
		t.Fatalf("Run = %+v, %v; output %q", exit, err, out.String())
	}
	return strings.TrimSpace(out.String())
}

// processesWith lists the processes whose command line contains mark.
func processesWith(mark string) []string {
	var found []string
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		if b, err := os.ReadFile(file); err == nil && bytes.Contains(b, []byte(mark)) {
			found = append(found, filepath.Base(filepath.Dir(file)))
		}
	}
	return found
}

// gone waits until no process has mark, and returns the time. It fails after limit.
func gone(t *testing.T, mark string, limit time.Duration) time.Time {
	t.Helper()
	for deadline := time.Now().Add(limit); ; time.Sleep(20 * time.Millisecond) {
		if len(processesWith(mark)) == 0 {
			return time.Now()
		}
		if time.Now().After(deadline) {
			t.Fatalf("processes %v are still there after %s", processesWith(mark), limit)
		}
	}
}

// ready opens a client of the plugin and has the machine checked.
func ready(t *testing.T, settings map[string]string) (*plugins.Client, plugins.Config) {
	t.Helper()
	client, cfg := sandboxtest.Open(t, Name, settings)
	r, err := client.Check(t.Context(), cfg)
	if err != nil || !r.Ready {
		t.Fatalf("%v, %+v", err, r)
	}
	return client, cfg
}
