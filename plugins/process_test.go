package plugins

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// mute is the name of a plugin that starts, never reports, and ignores its leash.
const mute = "mute"

// stayMute runs that plugin. It writes its process id into file atomically.
func stayMute(file string) {
	if err := os.WriteFile(file+".part", []byte(strconv.Itoa(os.Getpid())), 0o600); err == nil {
		_ = os.Rename(file+".part", file)
	}
	time.Sleep(time.Hour)
	os.Exit(1)
}

// awaitPID returns the process that wrote its id there.
func awaitPID(t *testing.T, file string) int {
	t.Helper()
	for deadline := time.Now().Add(startTime / 2); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if text, err := os.ReadFile(file); err == nil {
			pid, err := strconv.Atoi(string(text))
			if err != nil {
				t.Fatal(err)
			}
			return pid
		}
	}
	t.Fatal("the plugin was not started")
	return 0
}

// Callers and a closing server had to wait ten seconds for a plugin that never reported.
func TestAStartIsCutShort(t *testing.T) {
	for name, ends := range map[string]func(c *Client, cancel context.CancelFunc) error{
		"by its caller": func(_ *Client, cancel context.CancelFunc) error { cancel(); return nil },
		"by Close":      func(c *Client, _ context.CancelFunc) error { return c.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "pid")
			c := New(HostConfig{Name: mute, Args: []string{file}, Dir: t.TempDir()})
			t.Cleanup(func() { _ = c.Close() })
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ended := make(chan error, 1)
			go func() {
				_, err := c.Check(ctx, Config{})
				ended <- err
			}()
			child := awaitPID(t, file)
			began := time.Now()
			if err := ends(c, cancel); err != nil {
				t.Error(err)
			}
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
			if took := time.Since(began); took > startTime*9/10 {
				t.Errorf("it took %v", took)
			}
			if err := syscall.Kill(child, 0); !errors.Is(err, syscall.ESRCH) {
				t.Errorf("the plugin %d lives", child)
			}
			if c.backoff.Failures != 0 {
				t.Error("a start that was cut short counts as one that failed")
			}
		})
	}
}

// waiting starts a box that stays until it is killed, and returns a channel for its end.
func waiting(t *testing.T, c Sandbox, id string) <-chan error {
	t.Helper()
	ended, out := make(chan error, 1), make(chan struct{})
	go func() {
		_, err := c.Run(context.Background(), Spec{ID: id}, strings.NewReader(""), &first{seen: out})
		ended <- err
	}()
	select {
	case <-out:
	case err := <-ended:
		t.Fatalf("the box ended: %v", err)
	case <-time.After(20 * time.Second):
		t.Fatal("the box did not open")
	}
	return ended
}

// first tells of the first byte.
type first struct{ seen chan struct{} }

func (w *first) Write(p []byte) (int, error) {
	if w.seen != nil {
		close(w.seen)
		w.seen = nil
	}
	return len(p), nil
}

func TestHungPluginIsEnded(t *testing.T) {
	c := open(t, HostConfig{Patience: time.Second})
	if r, err := c.Check(t.Context(), Config{Instance: "before"}); err != nil || !r.Ready {
		t.Fatal(r, err)
	}
	lost := waiting(t, c, "announce")
	pid := c.PID()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-lost:
		if !errors.Is(err, ErrLost) {
			t.Errorf("error %v, want ErrLost", err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the run of a hung plugin did not end")
	}
	if out := output(t, c); !strings.Contains(out, "instance=before\n") || c.PID() == pid {
		t.Errorf("plugin %d after %d: %s", c.PID(), pid, out)
	}
}

func TestCrashLoopIsRefusedAtOnce(t *testing.T) {
	c := open(t, HostConfig{})
	for range crashLoop {
		if _, err := c.Run(t.Context(), Spec{ID: "die"}, strings.NewReader(""), io.Discard); !errors.Is(err, ErrLost) {
			t.Fatalf("error %v, want ErrLost", err)
		}
	}
	_, err := c.Run(t.Context(), Spec{ID: "look"}, strings.NewReader(""), io.Discard)
	if !errors.Is(err, ErrLost) || !strings.Contains(err.Error(), "5 times in a row") {
		t.Errorf("it was started again: %v", err)
	}
}

func TestWeakerAfterRestart(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	mark := filepath.Join(t.TempDir(), "tier")
	if err := os.WriteFile(mark, []byte("full"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := open(t, HostConfig{})
	cfg := Config{Instance: "i", Settings: map[string]string{"tier_file": mark}}
	if r, err := c.Check(t.Context(), cfg); err != nil || r.Tier != TierFull {
		t.Fatal(r, err)
	}
	if err := os.WriteFile(mark, []byte("restricted"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, _ = c.Run(t.Context(), Spec{ID: "die"}, strings.NewReader(""), io.Discard)
	if _, err := c.Run(t.Context(), Spec{ID: "look"}, strings.NewReader(""), io.Discard); err == nil ||
		!strings.Contains(err.Error(), "proved anew") {
		t.Fatalf("a weaker box was opened: %v", err)
	}
	if err := os.WriteFile(mark, []byte("full"), 0o600); err != nil {
		t.Fatal(err)
	}
	output(t, c)
}

// Check asked a restarted plugin for its old promises first, so one with other packages stayed
// unusable.
func TestCheckAcceptsWhatARestartedPluginPromisesNow(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	mark := filepath.Join(t.TempDir(), "tier")
	promise := func(tier string) {
		t.Helper()
		if err := os.WriteFile(mark, []byte(tier), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := open(t, HostConfig{})
	cfg := Config{Instance: "i", Settings: map[string]string{"tier_file": mark}}
	promise("full")
	if r, err := c.Check(t.Context(), cfg); err != nil || r.Tier != TierFull {
		t.Fatal(r, err)
	}
	promise("restricted")
	_, _ = c.Run(t.Context(), Spec{ID: "die"}, strings.NewReader(""), io.Discard)
	if r, err := c.Check(t.Context(), cfg); err != nil || r.Tier != TierRestricted {
		t.Fatal(r, err)
	}
	output(t, c)
	_, _ = c.Run(t.Context(), Spec{ID: "die"}, strings.NewReader(""), io.Discard)
	output(t, c) // the new promise counts
}

func TestOtherImagesAfterRestart(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	mark := filepath.Join(t.TempDir(), "image")
	if err := os.WriteFile(mark, []byte("sha256:1"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := open(t, HostConfig{})
	if r, err := c.Check(t.Context(),
		Config{Instance: "i", Settings: map[string]string{"image_file": mark}}); err != nil ||
		r.Images["image"] != "sha256:1" {
		t.Fatal(r, err)
	}
	if err := os.WriteFile(mark, []byte("sha256:2"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, _ = c.Run(t.Context(), Spec{ID: "die"}, strings.NewReader(""), io.Discard)
	if _, err := c.Run(t.Context(), Spec{ID: "look"}, strings.NewReader(""), io.Discard); err == nil ||
		!strings.Contains(err.Error(), "proved anew") {
		t.Fatalf("a box of another image was opened: %v", err)
	}
}

func TestOwnPluginRefusals(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	place := func(name string, content []byte, mode os.FileMode) (path string) {
		dir := filepath.Join(t.TempDir(), name)
		path = filepath.Join(dir, "plugin")
		if err := errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(path, content, 0o755),
			os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	script := []byte("#!/bin/sh\necho hello\n")
	loose := place("dir", binary, 0o755)
	if err := os.Chmod(filepath.Dir(loose), 0o777); err != nil {
		t.Fatal(err)
	}
	linked := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(place("target", binary, 0o755), linked); err != nil {
		t.Fatal(err)
	}
	wrong := sha256.Sum256([]byte("other"))
	for _, tt := range []struct {
		name, path string
		content    []byte
		sum        []byte
		want       string
	}{
		{"writable by others", place("a", binary, 0o757), binary, nil, "writable by others: chmod go-w"},
		{"in a directory that is", loose, binary, nil, "writable by others"},
		{"a link", linked, binary, nil, "not a regular file"},
		{"another checksum", place("b", binary, 0o755), nil, wrong[:], "does not have the configured sha256"},
		{"no plugin at all", place("c", script, 0o755), script, nil, "not the plugin protocol"},
		{"not there", "/nonexistent/plugin", binary, nil, "no such file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sum := tt.sum
			if sum == nil {
				s := sha256.Sum256(tt.content)
				sum = s[:]
			}
			c := New(HostConfig{Name: "inside", Path: tt.path, SHA256: sum, Args: []string{"plugin", "inside"},
				Dir: t.TempDir()})
			defer c.Close()
			if _, err := c.Check(t.Context(), Config{}); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
	var log bytes.Buffer
	c := New(HostConfig{Name: "inside", Path: place("good", binary, 0o755), SHA256: sumOf(binary),
		Args: []string{"plugin", "inside"}, Dir: t.TempDir(), Logger: slog.New(slog.NewTextHandler(&log, nil))})
	defer c.Close()
	if r, err := c.Check(t.Context(), Config{}); err != nil || !r.Ready {
		t.Errorf("a good plugin was refused: %v %v %s", r, err, log.String())
	}
}

func sumOf(b []byte) []byte {
	s := sha256.Sum256(b)
	return s[:]
}
