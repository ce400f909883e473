package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// placed makes a locked profile whose scripts run on one backend.
func (in *testServer) placed(backend string, args ...string) string {
	in.t.Helper()
	id := in.admin("", append([]string{"profile", "create", "--description", backend, "--backend", backend}, args...)...)
	in.admin("", "profile", "lock", id)
	return id
}

// allReady waits until several backends have passed their proofs.
func (in *testServer) allReady(names ...string) {
	in.t.Helper()
	for _, name := range names {
		profile := in.placed(name)
		eventually(in.t, 2*time.Minute, name+" is ready", func() bool {
			return in.await(in.submit(profile, "set_result(1)", 20*time.Second), time.Minute).Status == "completed"
		})
	}
}

// testServer is a real `airlock serve` with a data directory of its own.
type testServer struct {
	t       *testing.T
	binary  string
	dir     string
	url     string
	log     string // path
	env     []string
	server  *exec.Cmd
	answers string // path: every body that came back
	mu      sync.Mutex
	command func(args ...string) *exec.Cmd // of the program, where it runs
}

// startInstance starts the program.
func startInstance(t *testing.T, env ...string) *testServer {
	in := newInstance(t, env...)
	t.Cleanup(in.stop) // also if it never gets ready
	in.start()
	return in
}

// suiteToken is the admin token of every instance of the tests.
const suiteToken = "atk_a-token-of-the-test-suite"

// newInstance has a data directory and an address, and does not run yet.
func newInstance(t *testing.T, env ...string) *testServer {
	in := &testServer{t: t, binary: filepath.Join(binDir, "airlock"), dir: t.TempDir()}
	addr := freeAddress(t)
	in.url = "http://" + addr
	in.log, in.answers = filepath.Join(t.TempDir(), "log"), filepath.Join(t.TempDir(), "answers")
	in.command = func(args ...string) *exec.Cmd {
		command := exec.Command(in.binary, args...)
		command.Env = in.env
		return command
	}
	in.env = append(os.Environ(),
		append([]string{"AIRLOCK_DATA_DIR=" + in.dir, "AIRLOCK_ADDR=" + addr, "AIRLOCK_ADMIN_TOKEN=" + suiteToken},
			env...)...)
	return in
}

func (in *testServer) start() {
	in.launch()
	eventually(in.t, 60*time.Second, "the sandbox is ready", in.ready)
}

// launch starts the program and does not wait for it.
func (in *testServer) launch() {
	log, err := os.OpenFile(in.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	must(in.t, err)
	defer log.Close()
	in.server = in.command("serve")
	in.server.Stdout, in.server.Stderr = log, log
	must(in.t, in.server.Start())
}

// ready reports whether scripts could run now.
func (in *testServer) ready() bool {
	var health struct {
		Sandbox struct {
			Ready bool `json:"ready"`
		} `json:"sandbox"`
	}
	return in.call(http.MethodGet, "/health", nil, &health) == http.StatusOK && health.Sandbox.Ready
}

func (in *testServer) stop() {
	if in.server == nil || in.server.ProcessState != nil {
		return
	}
	_ = in.server.Process.Signal(os.Interrupt)
	_ = in.server.Wait()
}

// admin runs `airlock admin` on the instance's data directory.
func (in *testServer) admin(stdin string, args ...string) string {
	in.t.Helper()
	command := in.command(append([]string{"admin"}, args...)...)
	command.Stdin = strings.NewReader(stdin)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		in.t.Fatalf("airlock admin %v: %v\n%s", args, err, stderr.String())
	}
	return strings.TrimSpace(string(out))
}

// call makes one request as an agent and keeps the answer for the detector. It returns 0 if there
// was no answer.
func (in *testServer) call(method, path string, body, answer any) int {
	var reader io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		must(in.t, err)
		reader = bytes.NewReader(text)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, in.url+path, reader)
	must(in.t, err)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	must(in.t, err)
	in.keep(text)
	if answer != nil && json.Unmarshal(text, answer) != nil {
		in.t.Errorf("%s %s answered no JSON: %.200s", method, path, text)
	}
	return response.StatusCode
}

func (in *testServer) keep(text []byte) {
	in.mu.Lock()
	defer in.mu.Unlock()
	f, err := os.OpenFile(in.answers, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	must(in.t, err)
	defer f.Close()
	_, err = f.Write(append(text, '\n'))
	must(in.t, err)
}

// agentView is the agent's view of one.
type agentView struct {
	ID       string          `json:"execution_id"`
	Status   string          `json:"status"`
	Error    string          `json:"error"`
	Result   json.RawMessage `json:"result"`
	Stdout   string          `json:"stdout"`
	Stderr   string          `json:"stderr"`
	Duration int64           `json:"execution_time_ms"`
}

func (x agentView) terminal() bool {
	switch x.Status {
	case "completed", "error", "timeout", "cancelled":
		return true
	}
	return false
}

// submit sends a script and returns at once.
func (in *testServer) submit(profile, script string, timeout time.Duration) agentView {
	in.t.Helper()
	var x agentView
	if code := in.call(http.MethodPost, "/execute",
		map[string]any{"profile_id": profile, "script": script, "timeout": timeout.Seconds()},
		&x); code != http.StatusAccepted {
		in.t.Fatalf("submit: status %d", code)
	}
	return x
}

// await polls until the execution is terminal.
func (in *testServer) await(x agentView, within time.Duration) agentView {
	in.t.Helper()
	for deadline := time.Now().Add(within); time.Now().Before(deadline); {
		var now agentView
		if in.call(http.MethodGet, "/executions/"+x.ID+"?wait=5", nil, &now) == http.StatusOK && now.terminal() {
			return now
		}
		time.Sleep(20 * time.Millisecond) // awaiting_llm answers at once
	}
	log, _ := os.ReadFile(in.log)
	in.t.Fatalf("the execution has not ended within %s\n%s", within, log[max(0, len(log)-4000):])
	return x
}
