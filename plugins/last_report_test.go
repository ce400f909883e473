package plugins

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Only a new Check removes a killed plugin's leftovers, so the restart must not wait for a call.
func TestKilledPluginComesBackByItself(t *testing.T) {
	c := open(t, HostConfig{})
	if r, err := c.Check(t.Context(), Config{Instance: "before"}); err != nil || !r.Ready {
		t.Fatal(r, err)
	}
	_, first := c.Proof()
	pid := c.PID()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for limit := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if report, at := c.Proof(); at.After(first) && report.Ready && c.PID() != 0 && c.PID() != pid {
			return
		}
		if time.Now().After(limit) {
			t.Fatal("nobody started it again")
		}
	}
}

// A plugin that nobody was promised anything by stays where it is.
func TestUnprovedPluginIsNotStartedAgain(t *testing.T) {
	c := open(t, HostConfig{})
	if err := syscall.Kill(c.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	time.Sleep(3 * mindEvery)
	if p := c.process.Load(); p != nil && !p.client.Exited() {
		t.Error("it was started again")
	}
}

// Parsers refuse a line of JSON with a repeated key, or keep the wrong value.
func TestLogLinesHaveEachKeyOnce(t *testing.T) {
	var log lockedBuffer
	c := open(t, HostConfig{Logger: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	if _, err := c.Check(t.Context(), Config{}); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) < 2 {
		t.Fatalf("only %d lines", len(lines))
	}
	for _, line := range lines {
		d := json.NewDecoder(strings.NewReader(line))
		seen := map[string]bool{}
		if _, err := d.Token(); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		for d.More() {
			key, err := d.Token()
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			if seen[key.(string)] {
				t.Errorf("%q twice: %s", key, line)
			}
			seen[key.(string)] = true
			var value any
			if err := d.Decode(&value); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
		}
	}
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
