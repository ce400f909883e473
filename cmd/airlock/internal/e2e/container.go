package e2e

import (
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

// Container is an Airlock in a container, reached like any other.
type Container struct {
	*Instance
	*Image
	T    *testing.T
	Name string
}

// Run starts a container on this host's network and waits until it can execute.
func (i *Image) Run(t *testing.T, name string, options ...string) *Container {
	t.Helper()
	addr := FreeAddress(t)
	return i.start(t, name, addr,
		append([]string{"--network", "host", "-e", "AIRLOCK_ADDR=" + addr, "-e", "AIRLOCK_WORKERS=2", "-e", "AIRLOCK_POOL=1"},
			options...)...)
}

// InFull returns the options for full isolation: the shipped profile, nothing masked.
func InFull(t *testing.T) []string {
	t.Helper()
	profile, err := filepath.Abs("../../../../../deploy/seccomp/airlock.json")
	Must(t, err)
	return []string{"--security-opt", "seccomp=" + profile, "--security-opt", "systempaths=unconfined"}
}

// RunPublished runs as README.md says: with a network, settings and one published port.
func (i *Image) RunPublished(t *testing.T, name string, options ...string) *Container {
	t.Helper()
	addr := FreeAddress(t)
	i.Docker("network", "create", name) // the engine has none of its own
	t.Cleanup(func() {
		if out, err := exec.Command("docker", "-H", i.Host(), "network", "rm", name).CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
	return i.start(t, name, addr, append([]string{"--network", name, "-p", addr + ":9090"}, options...)...)
}

// start starts a container whose server answers at addr.
func (i *Image) start(t *testing.T, name, addr string, options ...string) *Container {
	t.Helper()
	i = &Image{Engine: i.Engine, T: t, Name: i.Name}
	c := &Container{Image: i, T: t, Name: name,
		Instance: &Instance{T: t, URL: "http://" + addr, Answers: filepath.Join(t.TempDir(), "answers"),
			Log: filepath.Join(t.TempDir(), "log")}}
	c.Command = c.exec
	i.Docker(slices.Concat([]string{"run", "-d", "--name", name}, options, []string{i.Name})...)
	t.Cleanup(func() { // of the test, whose context is over
		if out, err := exec.Command("docker", "-H", i.Host(), "rm", "-f", name).CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
	c.waitReady()
	return c
}

func (c *Container) waitReady() {
	c.T.Helper()
	defer func() {
		if c.T.Failed() {
			c.T.Log(c.Logs())
		}
	}()
	Eventually(c.T, 2*time.Minute, "the sandbox is ready", func() bool {
		if c.Docker("inspect", "-f", "{{.State.Running}}", c.Name) != "true" {
			c.T.Fatal("the container ended")
		}
		var health struct{ Sandbox struct{ Ready bool } }
		return c.Call(http.MethodGet, "/health", nil, &health) == http.StatusOK && health.Sandbox.Ready
	})
}

// Logs returns what the container has written.
func (c *Container) Logs() string {
	out, _ := exec.Command("docker", "-H", c.Host(), "logs", c.Name).CombinedOutput()
	return string(out)
}

// Isolation returns the backend and isolation that the server reports.
func (c *Container) Isolation() string {
	var health struct{ Backend, Isolation string }
	c.Call(http.MethodGet, "/health", nil, &health)
	return health.Backend + " " + health.Isolation
}

// exec runs the program in the container, as the data's owner.
func (c *Container) exec(args ...string) *exec.Cmd {
	c.T.Helper()
	owner := strings.Fields(c.StatusOf(c.ServerPID(), "Uid"))[0]
	return exec.Command("docker",
		append([]string{"-H", c.Host(), "exec", "-i", "-u", owner, c.Name, "airlock"}, args...)...)
}

// FirstPID returns the container's first process, by its number here.
func (c *Container) FirstPID() int {
	c.T.Helper()
	pid, err := strconv.Atoi(c.Docker("inspect", "-f", "{{.State.Pid}}", c.Name))
	Must(c.T, err)
	return pid
}

// ServerPID returns the server's process, by its number here.
func (c *Container) ServerPID() int {
	c.T.Helper()
	return c.Child(c.FirstPID(), "airlock serve")
}

// Child returns a child process with such a command line.
func (c *Container) Child(parent int, line string) int {
	c.T.Helper()
	for _, p := range ChildrenOf(c.T, parent) {
		if strings.Contains(p.Line, line) {
			return p.PID
		}
	}
	c.T.Fatalf("process %d has no child %q but %+v", parent, line, ChildrenOf(c.T, parent))
	return 0
}

// StatusOf reads a field of a process's status, as in /proc.
func (c *Container) StatusOf(pid int, field string) string {
	c.T.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	Must(c.T, err)
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, field+":"); ok {
			return strings.TrimSpace(value)
		}
	}
	c.T.Fatalf("process %d has no %s", pid, field)
	return ""
}

// Stop ends the container in order and returns its exit code.
func (c *Container) Stop() string {
	c.T.Helper()
	c.Docker("stop", "-t", "60", c.Name)
	return c.Docker("inspect", "-f", "{{.State.ExitCode}}", c.Name)
}

// Again starts the container once more and waits until it can execute.
func (c *Container) Again() {
	c.T.Helper()
	c.Docker("start", c.Name)
	c.waitReady()
}
