package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// contained is an Airlock in a container, reached like any other.
type contained struct {
	*testServer
	*image
	t    *testing.T
	name string
}

// run starts a container with the options and waits until it can execute. It shares this host's
// network.
func (i *image) run(t *testing.T, name string, options ...string) *contained {
	t.Helper()
	addr := freeAddress(t)
	return i.start(t, name, addr,
		append([]string{"--network", "host", "-e", "AIRLOCK_ADDR=" + addr, "-e", "AIRLOCK_WORKERS=2", "-e", "AIRLOCK_POOL=1"},
			options...)...)
}

// inFull are the options under which a container gets full isolation: the profile that is shipped,
// and nothing masked.
func inFull(t *testing.T) []string {
	t.Helper()
	profile, err := filepath.Abs("../../deploy/seccomp/airlock.json")
	must(t, err)
	return []string{"--security-opt", "seccomp=" + profile, "--security-opt", "systempaths=unconfined"}
}

// runInFull is run in full isolation with these settings. The container finds this test's temporary
// files where they are; its data and its log are where those of an instance outside would be.
func (i *image) runInFull(t *testing.T, name string, env ...string) *contained {
	t.Helper()
	data, shared := t.TempDir(), filepath.Dir(t.TempDir())
	must(t, os.Chown(data, containerUID, containerUID))
	must(t, os.Chmod(shared, 0o755)) // the server is not who runs the test
	options := append(inFull(t), "-v", data+":/data", "-v", shared+":"+shared+":ro")
	for _, setting := range env {
		options = append(options, "-e", setting)
	}
	c := i.run(t, name, options...)
	c.dir = data
	log, err := os.Create(c.log)
	must(t, err)
	defer log.Close()
	follow := exec.CommandContext(t.Context(), "docker", "-H", c.Host(), "logs", "-f", name)
	follow.Stdout, follow.Stderr = log, log
	must(t, follow.Start())
	t.Cleanup(func() { _ = follow.Wait() })
	return c
}

// runPublished does it as README.md says, with a network and settings of the container's own and
// one published port.
func (i *image) runPublished(t *testing.T, name string, options ...string) *contained {
	t.Helper()
	addr := freeAddress(t)
	i.docker("network", "create", name) // the engine has none of its own
	t.Cleanup(func() {
		if out, err := exec.Command("docker", "-H", i.Host(), "network", "rm", name).CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
	return i.start(t, name, addr, append([]string{"--network", name, "-p", addr + ":9090"}, options...)...)
}

// start starts a container whose server answers at addr.
func (i *image) start(t *testing.T, name, addr string, options ...string) *contained {
	t.Helper()
	i = &image{Engine: i.Engine, t: t, name: i.name}
	c := &contained{image: i, t: t, name: name,
		testServer: &testServer{t: t, url: "http://" + addr, answers: filepath.Join(t.TempDir(), "answers"),
			log: filepath.Join(t.TempDir(), "log")}}
	c.command = c.exec
	i.docker(slices.Concat([]string{"run", "-d", "--name", name}, options, []string{i.name})...)
	t.Cleanup(func() { // of the test, whose context is over
		if out, err := exec.Command("docker", "-H", i.Host(), "rm", "-f", name).CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
	c.ready()
	return c
}

func (c *contained) ready() {
	c.t.Helper()
	defer func() {
		if c.t.Failed() {
			c.t.Log(c.logs())
		}
	}()
	eventually(c.t, 2*time.Minute, "the sandbox is ready", func() bool {
		if c.docker("inspect", "-f", "{{.State.Running}}", c.name) != "true" {
			c.t.Fatal("the container ended")
		}
		var health struct{ Sandbox struct{ Ready bool } }
		return c.call(http.MethodGet, "/health", nil, &health) == http.StatusOK && health.Sandbox.Ready
	})
}

func (c *contained) logs() string {
	out, _ := exec.Command("docker", "-H", c.Host(), "logs", c.name).CombinedOutput()
	return string(out)
}

// isolation is what the server says about its boxes.
func (c *contained) isolation() string {
	var health struct{ Backend, Isolation string }
	c.call(http.MethodGet, "/health", nil, &health)
	return health.Backend + " " + health.Isolation
}

// exec runs the program in the container, as the user to whom the data belongs.
func (c *contained) exec(args ...string) *exec.Cmd {
	c.t.Helper()
	owner := strings.Fields(c.statusOf(c.serverPID(), "Uid"))[0]
	return exec.Command("docker",
		append([]string{"-H", c.Host(), "exec", "-i", "-u", owner, c.name, "airlock"}, args...)...)
}

// firstPID is the container's first process, by its number here.
func (c *contained) firstPID() int {
	c.t.Helper()
	pid, err := strconv.Atoi(c.docker("inspect", "-f", "{{.State.Pid}}", c.name))
	must(c.t, err)
	return pid
}

func (c *contained) serverPID() int {
	c.t.Helper()
	return c.child(c.firstPID(), "airlock serve")
}

// child is a child process with such a command line.
func (c *contained) child(parent int, line string) int {
	c.t.Helper()
	for _, p := range childrenOf(c.t, parent) {
		if strings.Contains(p.line, line) {
			return p.pid
		}
	}
	c.t.Fatalf("process %d has no child %q but %+v", parent, line, childrenOf(c.t, parent))
	return 0
}

// statusOf reads a field of a process's status, as in /proc.
func (c *contained) statusOf(pid int, field string) string {
	c.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	must(c.t, err)
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, field+":"); ok {
			return strings.TrimSpace(value)
		}
	}
	c.t.Fatalf("process %d has no %s", pid, field)
	return ""
}

// flow is the way of agent and person that the product was first described by.
func (c *contained) flow() string {
	c.t.Helper()
	var profile struct {
		ID string `json:"profile_id"`
	}
	if code := c.call(http.MethodPost, "/profiles", map[string]any{"description": "in a container"},
		&profile); code != http.StatusCreated {
		c.t.Fatalf("create a profile: %d", code)
	}
	c.call(http.MethodPost, "/profiles/"+profile.ID+"/keys",
		map[string]any{"keys": []map[string]any{{"name": "API_KEY", "description": "a key"}}}, nil)
	c.admin("sk-secret-of-the-container", "credential", "set", "API_KEY", "--mode", "injected")
	c.admin("", "profile", "lock", profile.ID)
	x := c.submit(profile.ID,
		"print('key is', settings.get('API_KEY'))\nset_result({'sum': sum(range(10)), 'words': llm.complete('Summarize 45')})", time.Minute)
	id := x.ID
	eventually(c.t, 2*time.Minute, "the execution ends", func() bool {
		x = agentView{}
		c.call(http.MethodGet, "/executions/"+id, nil, &x)
		if x.Status == "awaiting_llm" {
			c.call(http.MethodPost, "/executions/"+id+"/respond", map[string]any{"response": "forty-five"}, nil)
		}
		return x.terminal()
	})
	if x.Status != "completed" || string(x.Result) != `{"sum":45,"words":"forty-five"}` ||
		strings.Contains(x.Stdout, "sk-secret") || !strings.HasPrefix(x.Stdout, "key is ") {
		c.t.Errorf("%s %s %s %q", x.Status, x.Error, x.Result, x.Stdout)
	}
	return id
}

// stop ends the container in order and returns its exit code.
func (c *contained) stop() string {
	c.t.Helper()
	c.docker("stop", "-t", "60", c.name)
	return c.docker("inspect", "-f", "{{.State.ExitCode}}", c.name)
}

func (c *contained) again() {
	c.t.Helper()
	c.docker("start", c.name)
	c.ready()
}

// page is a page of the UI.
func (c *contained) page(path string) string {
	c.t.Helper()
	response, err := http.Get(c.url + path)
	must(c.t, err)
	defer response.Body.Close()
	var text bytes.Buffer
	_, err = text.ReadFrom(response.Body)
	must(c.t, err)
	return text.String()
}
