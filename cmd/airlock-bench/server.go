package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/computclaw/airlock/app/client"
)

type server struct {
	program string
	env     []string // of the server and of airlock admin
	api     client.Client
	process *os.Process
	end     func() error

	answered, proved time.Duration // from the start to the first answer, and to a checked sandbox
}

// startServer starts a program and waits for a checked sandbox.
func startServer(ctx context.Context, program, dir string, more ...string) (*server, error) {
	addr, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	s := &server{program: program, api: client.New("http://" + addr)}
	s.api.HTTP.Transport = &http.Transport{MaxIdleConnsPerHost: 64}
	s.env = slices.Concat(os.Environ(), []string{"AIRLOCK_DATA_DIR=" + dir, "AIRLOCK_ADDR=" + addr}, more)
	command := exec.CommandContext(ctx, program, "serve")
	var log bytes.Buffer
	command.Env, command.Stdout, command.Stderr = s.env, &log, &log
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = 15 * time.Second
	start := time.Now()
	if err := command.Start(); err != nil {
		return nil, err
	}
	s.process = command.Process
	s.end = func() error {
		_ = command.Process.Signal(os.Interrupt)
		if err := command.Wait(); err != nil {
			return fmt.Errorf("the server ended with %w:\n%s", err, log.String()[max(0, log.Len()-4000):])
		}
		return nil
	}
	if err := s.waitReady(ctx, start); err != nil {
		return nil, errors.Join(err, s.end())
	}
	return s, nil
}

// withServer runs measure on a server with an empty data directory. A bad end of the server fails.
func withServer(ctx context.Context, program string, measure func(*server) error, more ...string) error {
	dir, err := os.MkdirTemp("", "airlock-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, err := startServer(ctx, program, dir, more...)
	if err != nil {
		return err
	}
	return errors.Join(measure(s), s.end())
}

func freeAddress(ctx context.Context) (string, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// waitReady waits until the sandbox is checked, and records when.
func (s *server) waitReady(ctx context.Context, start time.Time) error {
	for time.Since(start) < 30*time.Second && ctx.Err() == nil {
		var health struct {
			Sandbox struct {
				Ready bool `json:"ready"`
			} `json:"sandbox"`
		}
		if err := s.call(ctx, http.MethodGet, "/health", nil, &health); err == nil {
			if s.answered == 0 {
				s.answered = time.Since(start)
			}
			if health.Sandbox.Ready {
				s.proved = time.Since(start)
				return nil
			}
		}
		time.Sleep(time.Millisecond)
	}
	return errors.New("no sandbox is ready; see `airlock doctor`")
}

// newProfile makes and locks a profile.
func (s *server) newProfile(ctx context.Context, flags ...string) (id string, err error) {
	args := append([]string{"profile", "create", "--description", "benchmark"}, flags...)
	if id, err = s.admin(ctx, "", args...); err != nil {
		return "", err
	}
	_, err = s.admin(ctx, "", "profile", "lock", id)
	return id, err
}

func (s *server) admin(ctx context.Context, stdin string, args ...string) (string, error) {
	command := exec.CommandContext(ctx, s.program, append([]string{"admin"}, args...)...)
	command.Env, command.Stdin = s.env, strings.NewReader(stdin)
	var problem bytes.Buffer
	command.Stderr = &problem
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("airlock admin %s %s: %w\n%s", args[0], args[1], err, problem.String())
	}
	return strings.TrimSpace(string(out)), nil
}

type execution struct {
	ID     string          `json:"execution_id"`
	Status string          `json:"status"`
	Error  string          `json:"error"`
	Result json.RawMessage `json:"result"`
}

// execute submits a script, which must complete.
func (s *server) execute(ctx context.Context, profile, script string, inputs map[string]any) (x execution, err error) {
	body := map[string]any{"profile_id": profile, "script": script}
	if inputs != nil {
		body["inputs"] = inputs
	}
	err = s.call(ctx, http.MethodPost, "/execute?wait=50", body, &x)
	if err == nil && x.Status != "completed" {
		err = fmt.Errorf("the execution ended as %s: %s", x.Status, x.Error)
	}
	return x, err
}

func (s *server) call(ctx context.Context, method, path string, body, answer any) error {
	r := client.Request{Method: method, Path: path}
	if body != nil {
		var err error
		if r.Body, err = json.Marshal(body); err != nil {
			return err
		}
	}
	got, err := s.api.Do(ctx, r)
	switch {
	case err != nil:
		return err
	case !got.OK():
		return fmt.Errorf("%s answered %d: %.300s", path, got.Status, got.Text)
	case answer == nil:
		return nil
	}
	return json.Unmarshal(got.Text, answer)
}
