package plugins

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// mute is the name of a plugin that starts and never says that it is there, nor ends with its
// leash.
const mute = "mute"

// stayMute is that plugin. It writes its process id into a file that appears at once as a whole.
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

// Whoever waits for a plugin to start, and the server that ends meanwhile, had to wait for it to
// use up its ten seconds.
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
