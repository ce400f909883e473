package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/computclaw/airlock/views/format"
)

// start runs a server on a temporary data directory, with more in its environment, and makes a
// locked profile and a sealed credential in it.
func (b *benchmark) start(ctx context.Context, more ...string) (stop func(), err error) {
	dir, err := os.MkdirTemp("", "airlock-bench-")
	if err != nil {
		return nil, err
	}
	return b.serve(ctx, dir, more...)
}

// serve is start on a data directory, which stop removes.
func (b *benchmark) serve(ctx context.Context, dir string, more ...string) (stop func(), err error) {
	end, log, err := b.launch(ctx, dir, more...)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	stop = func() {
		end()
		_ = os.RemoveAll(dir)
	}
	if err := b.ready(ctx); err != nil {
		stop()
		return nil, fmt.Errorf("the server did not become ready: %w\n%s", err, log.String())
	}
	if err := b.equip(ctx); err != nil {
		stop()
		return nil, err
	}
	return stop, nil
}

// launch starts a server on a data directory and doesn't wait for it. log is what it prints, to be
// read after end, which ends it.
func (b *benchmark) launch(ctx context.Context, dir string, more ...string) (end func(), log *bytes.Buffer, err error) {
	addr, err := freeAddress(ctx)
	if err != nil {
		return nil, nil, err
	}
	outside, err := b.service.outside(dir)
	if err != nil {
		return nil, nil, err
	}
	b.url, b.env = "http://"+addr,
		slices.Concat(os.Environ(), []string{"AIRLOCK_DATA_DIR=" + dir, "AIRLOCK_ADDR=" + addr}, outside, more)
	server := b.program(ctx, "serve")
	log = &bytes.Buffer{}
	server.Stdout, server.Stderr = log, log
	server.Cancel = func() error { return server.Process.Signal(os.Interrupt) }
	server.WaitDelay = 15 * time.Second
	if err := server.Start(); err != nil {
		return nil, nil, err
	}
	b.pid = server.Process.Pid
	var once sync.Once
	return func() {
		once.Do(func() {
			_ = server.Process.Signal(os.Interrupt)
			b.complaint = complaint(server.Wait(), log.String())
		})
	}, log, nil
}

// complaint says why a stopped server counts as failed: its exit code, or errors in its log.
func complaint(ended error, log string) error {
	if ended != nil {
		return fmt.Errorf("the server ended with %w:\n%s", ended, log[max(0, len(log)-4000):])
	}
	var bad []string
	for line := range strings.Lines(log) {
		if strings.Contains(line, `"level":"ERROR"`) || strings.HasPrefix(line, "panic:") {
			bad = append(bad, line)
		}
	}
	if len(bad) == 0 {
		return nil
	}
	return fmt.Errorf("the server logged %s, such as: %s", format.Count(int64(len(bad)), "error"), bad[0])
}

// equip makes what the measurements need in the server.
func (b *benchmark) equip(ctx context.Context) (err error) {
	if _, err = b.admin(ctx, benchValue, "credential", "set", benchKey, "--host",
		net.JoinHostPort(benchHost, "443")); err != nil {
		return err
	}
	b.profile, err = b.newProfile(ctx)
	return err
}

// newProfile makes and locks one.
func (b *benchmark) newProfile(ctx context.Context, flags ...string) (id string, err error) {
	if id, err = b.admin(ctx, "",
		append([]string{"profile", "create", "--description", "benchmark"}, flags...)...); err != nil {
		return "", err
	}
	_, err = b.admin(ctx, "", "profile", "lock", id)
	return id, err
}

// admin runs airlock admin and returns what it prints.
func (b *benchmark) admin(ctx context.Context, stdin string, args ...string) (string, error) {
	command := b.program(ctx, append([]string{"admin"}, args...)...)
	command.Stdin = strings.NewReader(stdin)
	var problem bytes.Buffer
	command.Stderr = &problem
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("airlock admin %s %s: %w\n%s", args[0], args[1], err, problem.String())
	}
	return strings.TrimSpace(string(out)), nil
}

// program is the measured program with arguments, in the benchmark's environment.
func (b *benchmark) program(ctx context.Context, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, b.airlock, args...)
	command.Env = b.env
	return command
}

func freeAddress(ctx context.Context) (string, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// ready waits until the sandbox has passed its checks.
func (b *benchmark) ready(ctx context.Context) error {
	deadline := time.Now().Add(30 * time.Second)
	var health struct {
		Sandbox struct {
			Ready bool `json:"ready"`
		} `json:"sandbox"`
	}
	for time.Now().Before(deadline) {
		if err := b.call(ctx, http.MethodGet, "/health", nil, &health); err == nil && health.Sandbox.Ready {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return errors.New("no sandbox is ready; see `airlock doctor`")
}
