package dockertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/moby/moby/client"
)

// apiVersion is one that every engine speaks which the backend does.
const apiVersion = "1.41"

// Engine is a Docker engine. Only its query methods are safe for concurrent use.
type Engine struct {
	dir   string
	under []string // the command that runs dockerd; empty: none
	extra []string
	cmd   *exec.Cmd
	ended chan struct{}
}

// Start starts an engine with its data in dir/data, and waits until it answers. It ends with this
// process at the latest.
func Start(dir string, extra ...string) (*Engine, error) {
	e := &Engine{dir: dir, extra: extra}
	return e, e.Start()
}

// New starts an engine with a directory of its own until the end of the test.
func New(tb testing.TB, extra ...string) *Engine {
	tb.Helper()
	e := &Engine{dir: Directory(tb), extra: extra}
	e.keep(tb)
	return e
}

// NewUnder starts an engine in dir, by a command that dockerd is the last argument of, until the end
// of the test.
func NewUnder(tb testing.TB, dir string, command ...string) *Engine {
	tb.Helper()
	e := &Engine{dir: dir, under: command}
	e.keep(tb)
	return e
}

// Directory makes one for an engine, until the end of the test. A socket's path has to be short.
func Directory(tb testing.TB) string {
	tb.Helper()
	dir, err := os.MkdirTemp("", "docker-engine-")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func (e *Engine) keep(tb testing.TB) {
	tb.Helper()
	if err := e.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := e.End(); err != nil {
			tb.Error(err)
		}
	})
}

// Socket is the path of the engine's socket.
func (e *Engine) Socket() string { return filepath.Join(e.dir, "engine.sock") }

// Name identifies the engine: its directory, and the parent of its containers' control groups.
func (e *Engine) Name() string { return filepath.Base(e.dir) }

// PID is the engine's process.
func (e *Engine) PID() int { return e.cmd.Process.Pid }

// Hosts reports whether a process is dockerd, containerd or a shim of this engine. Processes in
// containers aren't.
func (e *Engine) Hosts(pid int) bool {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return err == nil && (pid == e.PID() ||
		bytes.Contains(line, []byte("containerd")) && bytes.Contains(line, []byte(e.dir+"/")))
}

// Shims lists the processes between the engine and each container, with their numbers first.
func (e *Engine) Shims() []string {
	var found []string
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		line, err := os.ReadFile(file)
		if err == nil && bytes.Contains(line, []byte("containerd-shim")) && bytes.Contains(line, []byte(e.dir+"/")) {
			found = append(found, filepath.Base(filepath.Dir(file))+" "+string(bytes.ReplaceAll(line, []byte{0},
				[]byte{' '})))
		}
	}
	return found
}

// Processes lists what runs in the engine's containers, each with its number first.
func (e *Engine) Processes() []string {
	var found []string
	seen := map[string]bool{} // in version 1 a process is in a group of each controller
	for _, pattern := range []string{"/sys/fs/cgroup/", "/sys/fs/cgroup/*/"} {
		groups, _ := filepath.Glob(pattern + e.Name() + "/*/cgroup.procs")
		for _, group := range groups {
			numbers, _ := os.ReadFile(group)
			for _, pid := range strings.Fields(string(numbers)) {
				if line, err := os.ReadFile("/proc/" + pid + "/cmdline"); err == nil && !seen[pid] {
					seen[pid] = true
					found = append(found, pid+" "+string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
				}
			}
		}
	}
	return found
}

// Host is the socket as DOCKER_HOST has it.
func (e *Engine) Host() string { return "unix://" + e.Socket() }

// Start starts an engine that was stopped or killed.
func (e *Engine) Start() error {
	path, err := exec.LookPath("dockerd")
	if err != nil {
		return fmt.Errorf("the tests need a Docker engine (Debian's docker.io): %w", err)
	}
	log, err := os.OpenFile(filepath.Join(e.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	config := filepath.Join(e.dir, "config.json") // not this host's
	if err := os.WriteFile(config, []byte("{}"), 0o644); err != nil {
		return err
	}
	line := append(slices.Clone(e.under), append([]string{
		path, "--data-root", filepath.Join(e.dir, "data"), "--exec-root", filepath.Join(e.dir, "exec"), "--pidfile",
		filepath.Join(e.dir, "pid"),
		"--host", e.Host(), "--iptables=false", "--ip6tables=false", "--bridge=none", "--config-file", config,
		"--cgroup-parent", "/" + e.Name(),
	}, e.extra...)...)
	e.cmd = exec.Command(line[0], line[1:]...)
	e.cmd.Stdout, e.cmd.Stderr = log, log
	// A mount namespace of its own keeps its mounts out of ours.
	e.cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGTERM,
		Setpgid: true}
	e.ended = make(chan struct{})
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // the engine gets its signal when the thread that started it ends
		defer runtime.UnlockOSThread()
		defer close(e.ended)
		err := e.cmd.Start()
		started <- err
		if err == nil {
			_ = e.cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("start dockerd: %w", err)
	}
	return e.await()
}

func (e *Engine) await() error {
	api, err := e.connect()
	if err != nil {
		return err
	}
	defer func() { _ = api.Close() }()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		select {
		case <-e.ended:
			log, _ := os.ReadFile(filepath.Join(e.dir, "log"))
			return fmt.Errorf("dockerd ended (the tests need root):\n%s", log[max(0, len(log)-4000):])
		default:
		}
		if _, err := api.ContainerList(context.Background(), client.ContainerListOptions{Limit: 1}); err == nil {
			return nil
		}
	}
	return errors.New("dockerd does not answer")
}

// Stop ends the engine in order, which ends its containers.
func (e *Engine) Stop() error {
	_ = e.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-e.ended:
		e.removeGroups()
		return nil
	case <-time.After(time.Minute):
		_ = e.cmd.Process.Kill()
		return errors.New("dockerd did not end")
	}
}

// End stops the engine for good, with the remains of its killed predecessors.
func (e *Engine) End() error {
	err := e.Stop()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		left := append(e.Processes(), e.Shims()...)
		switch {
		case len(left) == 0:
			e.removeGroups()
			return err
		case time.Now().After(deadline):
			return errors.Join(err, fmt.Errorf("of dockerd is left: %q", left))
		}
		for _, process := range left {
			number, _, _ := strings.Cut(process, " ")
			if pid, err := strconv.Atoi(number); err == nil {
				_ = syscall.Kill(pid, syscall.SIGKILL)
				_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil) // it is ours now if this process takes in orphans
			}
		}
	}
}

func (e *Engine) removeGroups() {
	for _, pattern := range []string{"/sys/fs/cgroup/", "/sys/fs/cgroup/*/"} {
		containers, _ := filepath.Glob(pattern + e.Name() + "/*")
		engine, _ := filepath.Glob(pattern + e.Name())
		for _, dir := range append(containers, engine...) {
			_ = os.Remove(dir)
		}
	}
}

// Kill ends the engine and its containerd without giving them a chance.
func (e *Engine) Kill(tb testing.TB) {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join(e.dir, "exec", "containerd", "containerd.pid"))
	if err != nil {
		tb.Fatal(err)
	}
	daemon, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || daemon < 2 {
		tb.Fatalf("containerd's pid %q: %v", text, err)
	}
	_ = e.cmd.Process.Kill()
	<-e.ended
	_ = syscall.Kill(daemon, syscall.SIGKILL)
	for deadline := time.Now().Add(10 * time.Second); syscall.Kill(daemon, 0) == nil; time.Sleep(5 * time.Millisecond) {
		// it is ours if this process takes in orphans; the next engine would take its remains for a
		// living one
		_, _ = syscall.Wait4(daemon, nil, syscall.WNOHANG, nil)
		if time.Now().After(deadline) {
			tb.Fatal("containerd survived")
		}
	}
}

func (e *Engine) connect() (*client.Client, error) {
	return client.New(client.WithHost(e.Host()), client.WithAPIVersion(apiVersion))
}

// Client talks to the engine until the end of the test.
func (e *Engine) Client(tb testing.TB) *client.Client {
	tb.Helper()
	api, err := e.connect()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = api.Close() })
	return api
}

// Import makes an image of a root directory, a tar file.
func (e *Engine) Import(name string, root []byte, changes ...string) error {
	api, err := e.connect()
	if err != nil {
		return err
	}
	defer func() { _ = api.Close() }()
	answer, err := api.ImageImport(context.Background(),
		client.ImageImportSource{Source: bytes.NewReader(root), SourceName: "-"}, name,
		client.ImageImportOptions{Changes: changes})
	if err != nil {
		return err
	}
	defer answer.Close()
	var text bytes.Buffer
	if _, err := text.ReadFrom(answer); err != nil {
		return err
	}
	if strings.Contains(text.String(), "error") {
		return fmt.Errorf("import %s: %s", name, text.String())
	}
	return nil
}

// Containers lists those with a label, name or name=value, running or not.
func (e *Engine) Containers(tb testing.TB, label string) []string {
	tb.Helper()
	api, err := e.connect()
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = api.Close() }()
	list, err := api.ContainerList(context.Background(),
		client.ContainerListOptions{All: true, Filters: client.Filters{}.Add("label", label)})
	if err != nil {
		return []string{err.Error()}
	}
	var found []string
	for _, c := range list.Items {
		found = append(found, "container "+strings.Join(c.Names, " ")+" "+string(c.State))
	}
	return found
}
