package docker

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/docker/dockertest"
	"github.com/computclaw/airlock/plugins/sandboxtest"
)

// world is a backend in this process, with the test guest in its boxes.
type world struct {
	*Backend
	cfg plugins.Config
}

func newWorld(t *testing.T, settings map[string]string) *world {
	t.Helper()
	return &world{Backend: New(WithGuest(sandboxtest.Guest(t))),
		cfg: plugins.Config{Instance: instance(t), Settings: settings}}
}

// instance is a label that no other test has.
func instance(t *testing.T) string {
	return "test-" + strings.ToLower(strings.NewReplacer("/", "-", "_", "-").Replace(t.Name()))
}

// ready checks the backend, which must be fine.
func (w *world) ready(t *testing.T) plugins.Report {
	t.Helper()
	r, err := w.Check(t.Context(), w.cfg)
	if err != nil || !r.Ready {
		t.Fatalf("check: %v, %s", err, r.Reason)
	}
	t.Cleanup(func() { _ = w.Close() })
	return r
}

// checked is the host of the last successful check.
func (w *world) checked() *host {
	h, _ := w.Backend.ready.Host(Name)
	return h
}

// unready checks the backend and returns why it can't be used.
func (w *world) unready(t *testing.T) string {
	t.Helper()
	r, err := w.Check(t.Context(), w.cfg)
	if err != nil || r.Ready || r.Reason == "" || r.Tier != plugins.TierNone {
		t.Fatalf("check: %+v, %v", r, err)
	}
	return r.Reason
}

// do runs an order in a box.
func (w *world) do(t *testing.T, spec plugins.Spec, o sandboxtest.Order) (string, plugins.Exit, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	return w.doWithin(ctx, t, spec, o)
}

func (w *world) doWithin(ctx context.Context, t *testing.T, spec plugins.Spec, o sandboxtest.Order) (string,
	plugins.Exit, error) {
	t.Helper()
	if spec.ID == "" {
		spec.ID = "box"
	}
	line, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	stdin, end := io.Pipe()
	defer end.Close()
	var out bytes.Buffer
	exit, err := w.Run(ctx, spec, io.MultiReader(bytes.NewReader(append(line, '\n')), stdin), &out)
	return out.String(), exit, err
}

// outcome is what Run has returned.
type outcome struct {
	exit plugins.Exit
	err  error
}

// start runs an order in the background. The first line of its output is awaited.
func (w *world) start(ctx context.Context, t *testing.T, id string, o sandboxtest.Order) <-chan outcome {
	t.Helper()
	line, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	stdin, end := io.Pipe()
	t.Cleanup(func() { end.Close() })
	out, stdout := io.Pipe()
	done := make(chan outcome, 1)
	go func() {
		exit, err := w.Run(ctx, plugins.Spec{ID: id}, io.MultiReader(bytes.NewReader(append(line, '\n')), stdin),
			stdout)
		stdout.Close()
		done <- outcome{exit, err}
	}()
	if _, err := out.Read(make([]byte, 16)); err != nil {
		t.Fatalf("no output: %v, %+v", err, <-done)
	}
	return done
}

func python(code string) sandboxtest.Order {
	return sandboxtest.Order{Argv: []string{"/usr/bin/env", "python3", "-s", "-B", "-c", code}}
}

const sleeper = "import time; print('up', flush=True); time.sleep(1000)"

// leftovers lists the containers that an instance still has on an engine.
func leftovers(tb testing.TB, d *dockertest.Engine) func(instance string) []string {
	return func(instance string) []string { return d.Containers(tb, labelInstance+"="+instance) }
}

// settled is leftovers after what is being removed has been.
func settled(tb testing.TB, d *dockertest.Engine) func(instance string) []string {
	list := leftovers(tb, d)
	return func(instance string) (found []string) {
		for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
			if found = list(instance); len(found) == 0 || time.Now().After(deadline) {
				return found
			}
		}
	}
}

// noneLeft asserts that an instance has no container.
func noneLeft(t *testing.T, d *dockertest.Engine, instance string) {
	t.Helper()
	for _, left := range settled(t, d)(instance) {
		t.Error("left:", left)
	}
}
