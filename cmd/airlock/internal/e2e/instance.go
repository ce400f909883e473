package e2e

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

// PlaceProfile makes a locked profile whose scripts run on one backend.
func (in *Instance) PlaceProfile(backend string, args ...string) string {
	in.T.Helper()
	id := in.Admin("", append([]string{"profile", "create", "--description", backend, "--backend", backend}, args...)...)
	in.Admin("", "profile", "lock", id)
	return id
}

// AllReady waits until several backends have passed their proofs.
func (in *Instance) AllReady(names ...string) {
	in.T.Helper()
	for _, name := range names {
		profile := in.PlaceProfile(name)
		Eventually(in.T, 2*time.Minute, name+" is ready", func() bool {
			return in.Await(in.Submit(profile, "set_result(1)", 20*time.Second), time.Minute).Status == "completed"
		})
	}
}

// Instance is a real `airlock serve` with a data directory of its own.
type Instance struct {
	T       *testing.T
	Binary  string
	Dir     string
	URL     string
	Log     string // path
	Env     []string
	Server  *exec.Cmd
	Answers string // path: every body that came back
	mu      sync.Mutex
	Command func(args ...string) *exec.Cmd // of the program, where it runs
}

// StartInstance starts the program.
func StartInstance(t *testing.T, env ...string) *Instance {
	in := NewInstance(t, env...)
	t.Cleanup(in.Stop) // also if it never gets ready
	in.Start()
	return in
}

// SuiteToken is the admin token of every instance of the tests.
const SuiteToken = "atk_a-token-of-the-test-suite"

// NewInstance makes an instance with a data directory and an address, not started.
func NewInstance(t *testing.T, env ...string) *Instance {
	in := &Instance{T: t, Binary: filepath.Join(BinDir, "airlock"), Dir: t.TempDir()}
	addr := FreeAddress(t)
	in.URL = "http://" + addr
	in.Log, in.Answers = filepath.Join(t.TempDir(), "log"), filepath.Join(t.TempDir(), "answers")
	in.Command = func(args ...string) *exec.Cmd {
		command := exec.Command(in.Binary, args...)
		command.Env = in.Env
		return command
	}
	in.Env = append(os.Environ(),
		append([]string{"AIRLOCK_DATA_DIR=" + in.Dir, "AIRLOCK_ADDR=" + addr, "AIRLOCK_ADMIN_TOKEN=" + SuiteToken},
			env...)...)
	return in
}

// Start starts the program and waits until scripts can run.
func (in *Instance) Start() {
	in.Launch()
	Eventually(in.T, 60*time.Second, "the sandbox is ready", in.IsReady)
}

// Launch starts the program and does not wait for it.
func (in *Instance) Launch() {
	log, err := os.OpenFile(in.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	Must(in.T, err)
	defer log.Close()
	in.Server = in.Command("serve")
	in.Server.Stdout, in.Server.Stderr = log, log
	Must(in.T, in.Server.Start())
}

// IsReady reports whether scripts could run now.
func (in *Instance) IsReady() bool {
	var health struct {
		Sandbox struct {
			Ready bool `json:"ready"`
		} `json:"sandbox"`
	}
	return in.Call(http.MethodGet, "/health", nil, &health) == http.StatusOK && health.Sandbox.Ready
}

// Stop ends the program in order.
func (in *Instance) Stop() {
	if in.Server == nil || in.Server.ProcessState != nil {
		return
	}
	_ = in.Server.Process.Signal(os.Interrupt)
	_ = in.Server.Wait()
}

// Admin runs `airlock admin` on the instance's data directory.
func (in *Instance) Admin(stdin string, args ...string) string {
	in.T.Helper()
	command := in.Command(append([]string{"admin"}, args...)...)
	command.Stdin = strings.NewReader(stdin)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		in.T.Fatalf("airlock admin %v: %v\n%s", args, err, stderr.String())
	}
	return strings.TrimSpace(string(out))
}

// Call makes a request as an agent and keeps the answer for the detector. It returns 0 without an
// answer.
func (in *Instance) Call(method, path string, body, answer any) int {
	var reader io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		Must(in.T, err)
		reader = bytes.NewReader(text)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, in.URL+path, reader)
	Must(in.T, err)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	Must(in.T, err)
	in.Keep(text)
	if answer != nil && json.Unmarshal(text, answer) != nil {
		in.T.Errorf("%s %s answered no JSON: %.200s", method, path, text)
	}
	return response.StatusCode
}

// Do makes a request, with a bearer and content type unless "". path may be an address.
func (in *Instance) Do(method, path, bearer, kind string, body []byte) (status int, text []byte, header http.Header) {
	in.T.Helper()
	if !strings.HasPrefix(path, "http") {
		path = in.URL + path
	}
	request, err := http.NewRequestWithContext(in.T.Context(), method, path, bytes.NewReader(body))
	Must(in.T, err)
	if kind != "" {
		request.Header.Set("Content-Type", kind)
	}
	if bearer != "" {
		request.Header.Set("Authorization", "Bearer "+bearer)
	}
	response, err := http.DefaultClient.Do(request)
	Must(in.T, err)
	defer response.Body.Close()
	text, err = io.ReadAll(response.Body)
	Must(in.T, err)
	return response.StatusCode, text, response.Header
}

// Monitor reads a page of GET /metrics or /debug, as monitoring does.
func (in *Instance) Monitor(path string) string {
	in.T.Helper()
	status, text, _ := in.Do(http.MethodGet, path, SuiteToken, "", nil)
	if status != http.StatusOK || len(text) == 0 {
		in.T.Errorf("%s: %d %s", path, status, text)
	}
	return string(text)
}

// Keep stores an answer for the detector.
func (in *Instance) Keep(text []byte) {
	in.mu.Lock()
	defer in.mu.Unlock()
	f, err := os.OpenFile(in.Answers, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	Must(in.T, err)
	defer f.Close()
	_, err = f.Write(append(text, '\n'))
	Must(in.T, err)
}

// Execution is an execution as an agent sees it.
type Execution struct {
	ID       string          `json:"execution_id"`
	Status   string          `json:"status"`
	Error    string          `json:"error"`
	Result   json.RawMessage `json:"result"`
	Stdout   string          `json:"stdout"`
	Stderr   string          `json:"stderr"`
	Duration int64           `json:"execution_time_ms"`
	Warnings []string        `json:"warnings"`
	Network  []Connection    `json:"network"`
}

// Connection is a row of an execution's network list.
type Connection struct {
	Host string `json:"host"`
	Rule string `json:"rule"`
	Hint string `json:"hint"`
}

// Terminal reports whether the execution has ended.
func (x Execution) Terminal() bool {
	switch x.Status {
	case "completed", "error", "timeout", "cancelled":
		return true
	}
	return false
}

// Submit sends a script and returns at once.
func (in *Instance) Submit(profile, script string, timeout time.Duration) Execution {
	in.T.Helper()
	var x Execution
	if code := in.Call(http.MethodPost, "/execute",
		map[string]any{"profile_id": profile, "script": script, "timeout": timeout.Seconds()},
		&x); code != http.StatusAccepted {
		in.T.Fatalf("submit: status %d", code)
	}
	return x
}

// Await polls until the execution is terminal.
func (in *Instance) Await(x Execution, within time.Duration) Execution {
	in.T.Helper()
	for deadline := time.Now().Add(within); time.Now().Before(deadline); {
		var now Execution
		if in.Call(http.MethodGet, "/executions/"+x.ID+"?wait=5", nil, &now) == http.StatusOK && now.Terminal() {
			return now
		}
		time.Sleep(20 * time.Millisecond) // awaiting_llm answers at once
	}
	log, _ := os.ReadFile(in.Log)
	in.T.Fatalf("the execution has not ended within %s\n%s", within, log[max(0, len(log)-4000):])
	return x
}
