package docker

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/docker/dockertest"
	"github.com/computclaw/airlock/plugins/owner"
)

func TestNoEngine(t *testing.T) {
	w := newWorld(t, map[string]string{"host": "unix://" + filepath.Join(t.TempDir(), "nobody"), "image": testImage})
	if why := w.unready(t); !strings.Contains(why, "AIRLOCK_PLUGIN_DOCKER_HOST") {
		t.Errorf("reason %q", why)
	}
	w.cfg.Settings["host"] = "tcp://127.0.0.1:1"
	if why := w.unready(t); !strings.Contains(why, "AIRLOCK_PLUGIN_DOCKER_HOST") {
		t.Errorf("reason %q", why)
	}
	if _, _, err := w.do(t, plugins.Spec{}, python("pass")); err == nil {
		t.Error("a box without an engine")
	}
}

func TestUnknownRuntime(t *testing.T) {
	settings := sharedSettings()
	settings["runtime"] = "nowhere"
	w := newWorld(t, settings)
	if why := w.unready(t); !strings.Contains(why, "AIRLOCK_PLUGIN_DOCKER_RUNTIME") {
		t.Errorf("reason %q", why)
	}
	noneLeft(t, shared, w.cfg.Instance)
}

// TestEngineKilled ends the engine under a running box, without giving it a chance to end its
// containers. The run fails with a reason, and once the engine is back nothing of the box is left.
func TestEngineKilled(t *testing.T) {
	d := dockertest.New(t)
	if err := d.Import(testImage, base); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, map[string]string{"host": d.Host(), "image": testImage})
	w.ready(t)
	done := w.start(t.Context(), t, "box", python(sleeper))
	d.Kill(t)
	if end := <-done; end.err == nil || !strings.Contains(end.err.Error(), "went away") {
		t.Errorf("the run ended with %+v", end)
	}
	if _, _, err := w.do(t, plugins.Spec{ID: "next"}, python("pass")); err == nil ||
		!strings.Contains(err.Error(), "AIRLOCK_PLUGIN_DOCKER_HOST") {
		t.Errorf("a box without an engine: %v", err)
	}
	if err := d.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, time.Minute, func() []string { return leftovers(t, d)(w.cfg.Instance) })
	if out, _, err := w.do(t, plugins.Spec{}, python("print('again')")); err != nil || out != "again\n" {
		t.Errorf("with the engine back: %q, %v", out, err)
	}
}

// TestEngineRestarts ends the engine in order, as an upgrade does: it kills the box, and may still
// be there to say so or not.
func TestEngineRestarts(t *testing.T) {
	d := dockertest.New(t)
	if err := d.Import(testImage, base); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, map[string]string{"host": d.Host(), "image": testImage})
	w.ready(t)
	done := w.start(t.Context(), t, "box", python(sleeper))
	if err := d.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := d.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case end := <-done:
		killed := end.err == nil && end.exit.Code == 137 &&
			strings.Contains(end.exit.Diagnostic, "stopped the container or the engine")
		if lost := end.err != nil && strings.Contains(end.err.Error(), "the engine at "); !killed && !lost {
			t.Errorf("the run ended with %+v", end)
		}
	case <-time.After(time.Minute):
		t.Fatal("the run did not end")
	}
	eventually(t, time.Minute, func() []string { return leftovers(t, d)(w.cfg.Instance) })
	w.ready(t)
}

// TestSweep has what a killed process left: a box's container that is stopped, one that runs, and
// those of two other instances, of which one was killed, too (hole M4).
func TestSweep(t *testing.T) {
	w := newWorld(t, sharedSettings())
	w.ready(t)
	other := newWorld(t, sharedSettings())
	other.cfg.Instance += "-other"
	other.ready(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	theirs := other.start(ctx, t, "theirs", python(sleeper))
	mine := w.start(t.Context(), t, "running", python(sleeper))
	b, err := w.checked().newBox(plugins.Spec{ID: "created", Limits: probeLimits()})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.create(t.Context(), w.checked().images[0], plugins.GuestArgv); err != nil {
		t.Fatal(err)
	}
	killed := newWorld(t, sharedSettings())
	killed.cfg.Instance += "-killed"
	killed.ready(t)
	self := string(killed.checked().owner)
	// had this one's number, and started earlier
	killed.checked().owner = owner.ID(self[:strings.LastIndexByte(self, '-')] + "-1")
	if b, err = killed.checked().newBox(plugins.Spec{ID: "created", Limits: probeLimits()}); err != nil {
		t.Fatal(err)
	}
	if err := b.create(t.Context(), killed.checked().images[0], plugins.GuestArgv); err != nil {
		t.Fatal(err)
	}
	next := newWorld(t, sharedSettings()) // a new process of the same instance knows no box
	next.cfg.Instance = w.cfg.Instance
	next.ready(t)
	<-mine
	noneLeft(t, shared, w.cfg.Instance)
	noneLeft(t, shared, killed.cfg.Instance)
	if left := leftovers(t, shared)(other.cfg.Instance); len(left) != 1 {
		t.Errorf("another instance has %v, want its one container", left)
	}
	cancel()
	if end := <-theirs; end.err != nil {
		t.Error(end.err)
	}
	noneLeft(t, shared, other.cfg.Instance)
}

// TestFullDisk gives an engine a disk that is just large enough for the image.
func TestFullDisk(t *testing.T) {
	d := dockertest.NewSmall(t, "400m")
	if err := d.Import(testImage, base); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, map[string]string{"host": d.Host(), "image": testImage})
	w.ready(t)
	filler := filepath.Join(d.Data(), "filler")
	fill(t, filler)
	if _, _, err := w.do(t, plugins.Spec{}, python("pass")); err == nil || !strings.Contains(err.Error(),
		"disk is full") {
		t.Errorf("a box on a full disk: %v", err)
	}
	noneLeft(t, d, w.cfg.Instance)
	if why := w.unready(t); !strings.Contains(why, "disk is full") {
		t.Errorf("reason %q", why)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	noneLeft(t, d, w.cfg.Instance)
	w.ready(t)
	if out, _, err := w.do(t, plugins.Spec{}, python("print('again')")); err != nil || out != "again\n" {
		t.Errorf("with room again: %q, %v", out, err)
	}
}

// fill writes until there is no more room.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for size := 1 << 20; size > 0; {
		_, err := f.Write(make([]byte, size))
		switch {
		case err == nil:
		case strings.Contains(err.Error(), syscall.ENOSPC.Error()):
			size /= 2
		default:
			t.Fatal(err)
		}
	}
}

// eventually waits for a list of wrongs to become empty.
func eventually(t testing.TB, within time.Duration, wrongs func() []string) {
	t.Helper()
	for deadline := time.Now().Add(within); ; time.Sleep(50 * time.Millisecond) {
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
