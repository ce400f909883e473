package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// weatherHost is the data service's name, which exists only in AIRLOCK_LOCAL_SERVICES.
const weatherHost = "weather.example:8080"

// airlock is a running server.
type airlock struct {
	url        string
	adminToken string // lets somebody in who then chooses a name and a password; works once
	password   string // that the demo's person chooses
	log        string // file with its output
	exited     chan struct{}
	err        error // after exited
	stop       func()
}

// startAirlock starts the server and returns when it runs scripts.
func startAirlock(ctx context.Context, o options, serviceAddr string) (*airlock, error) {
	if err := os.MkdirAll(o.dir, 0o700); err != nil {
		return nil, err
	}
	logFile, err := os.OpenFile(filepath.Join(o.dir, "server.log"), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	defer logFile.Close()

	a := &airlock{url: "http://" + o.addr, password: strings.ToLower(rand.Text()), log: logFile.Name(),
		exited: make(chan struct{})}
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	cmd := exec.CommandContext(life, o.binary, "serve")
	cmd.Cancel, cmd.WaitDelay = func() error { return cmd.Process.Signal(syscall.SIGTERM) }, 20*time.Second
	cmd.Env = append(os.Environ(),
		"AIRLOCK_ADDR="+o.addr,
		"AIRLOCK_DATA_DIR="+o.dir,
		"AIRLOCK_LOCAL_SERVICES="+weatherHost+"="+serviceAddr,
	)
	cmd.Stdout, cmd.Stderr = logFile, logFile
	// Own process group: Ctrl-C reaches only this program, which stops the server in order.
	// Pdeathsig: the server never outlives it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	if err := cmd.Start(); err != nil {
		stop()
		return nil, fmt.Errorf("start %s serve: %w", o.binary, err)
	}
	go func() { a.err = cmd.Wait(); close(a.exited) }()
	a.stop = func() { stop(); <-a.exited }

	if err := a.waitReady(ctx); err != nil {
		a.stop()
		return nil, fmt.Errorf("%w\n%s", err, a.lastLines())
	}
	if a.adminToken, err = newToken(ctx, o); err != nil {
		a.stop()
		return nil, err
	}
	return a, nil
}

// newToken requests an admin token, as after a forgotten password. The data may be an earlier
// demo's.
func newToken(ctx context.Context, o options) (string, error) {
	cmd := exec.CommandContext(ctx, o.binary, "admin", "token")
	cmd.Env = append(os.Environ(), "AIRLOCK_DATA_DIR="+o.dir)
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s admin token: %w", o.binary, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// waitReady waits until GET /health says that scripts can run.
func (a *airlock) waitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	reason := "it did not answer"
	for {
		var health struct {
			Sandbox struct {
				Ready  bool
				Reason string
			}
		}
		if response, err := http.Get(a.url + "/health"); err == nil {
			err = json.NewDecoder(response.Body).Decode(&health)
			response.Body.Close()
			if err == nil && health.Sandbox.Ready {
				return nil
			}
			reason = health.Sandbox.Reason
		}
		select {
		case <-a.exited:
			return errors.Join(errors.New("the server ended"), a.err)
		case <-ctx.Done():
			return fmt.Errorf("the server is not ready after a minute: %s", reason)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// wait returns when the person stops it, or the server ends.
func (a *airlock) wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		say("")
		return nil
	case <-a.exited:
		return errors.Join(errors.New("the server ended"), a.err, errors.New(a.lastLines()))
	}
}

// lastLines are the end of the server's log.
func (a *airlock) lastLines() string {
	text, err := os.ReadFile(a.log)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return "The end of " + a.log + ":\n  " + strings.Join(lines[max(0, len(lines)-15):], "\n  ")
}
