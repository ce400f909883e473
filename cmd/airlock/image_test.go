package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/plugins/docker/dockertest"
)

var imageRoot = flag.String("image-root", "", "directory with a Debian 13 root, on which TestImage builds the whole image; see the Makefile's image-test")

// maxImage is how large the whole image may be.
const maxImage = 600_000_000

// image is Airlock's, in an engine of the test's own.
type image struct {
	*dockertest.Engine
	t    *testing.T
	name string
}

// newImage builds the Dockerfile on a local root: what comes from registries is replaced, what Airlock says itself is as it is. Only with a Debian root the
// packages are installed, too; otherwise scripts find this host's Python.
func newImage(t *testing.T) *image {
	t.Helper()
	i := &image{Engine: dockertest.New(t), t: t, name: "airlock-image:test"}
	program, err := os.ReadFile(filepath.Join(binDir, "airlock"))
	must(t, err)
	must(t, i.Import("airlock-program:test", tarball(t, func(w *tar.Writer) { addEntry(t, w, "src/airlock", 0o755, program) })))
	stages := []string{"build"}
	var root []byte
	if *imageRoot == "" {
		stages = append(stages, "runtime")
		root, err = dockertest.Root("bubblewrap")
		must(t, err)
		root = append(openTarball(t, func(w *tar.Writer) {
			addDirectory(t, w, "tmp", 0o1777)
			addDirectory(t, w, "etc", 0o755)
		}), root...)
	} else {
		root, err = exec.Command("tar", "-C", *imageRoot, "--one-file-system", "-c", ".").Output()
		must(t, err)
	}
	must(t, i.Import("airlock-root:test", root))
	source, err := os.ReadFile("../../Dockerfile")
	must(t, err)
	i.build(i.name, without(string(source), stages...), "--build-arg", "GO_IMAGE=airlock-program:test", "--build-arg", "BASE_IMAGE=airlock-root:test")
	return i
}

// without leaves of a Dockerfile's named stages only their beginnings.
func without(source string, stages ...string) string {
	var kept []string
	skipping := false
	for line := range strings.Lines(source) {
		if from := regexp.MustCompile(`^FROM \S+(?: AS (\S+))?`).FindStringSubmatch(line); from != nil {
			skipping = slices.Contains(stages, from[1])
		} else if skipping {
			continue
		}
		kept = append(kept, line)
	}
	return strings.Join(kept, "")
}

func tarball(t *testing.T, fill func(*tar.Writer)) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	fill(w)
	must(t, w.Close())
	return buf.Bytes()
}

// openTarball is tarball without the end mark, so that another can follow.
func openTarball(t *testing.T, fill func(*tar.Writer)) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	fill(w)
	must(t, w.Flush())
	return buf.Bytes()
}

func addEntry(t *testing.T, w *tar.Writer, name string, mode int64, content []byte) {
	t.Helper()
	must(t, w.WriteHeader(&tar.Header{Name: name, Mode: mode, Size: int64(len(content))}))
	_, err := w.Write(content)
	must(t, err)
}

func addDirectory(t *testing.T, w *tar.Writer, name string, mode int64) {
	t.Helper()
	must(t, w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: name, Mode: mode}))
}

func (i *image) docker(args ...string) string {
	i.t.Helper()
	cmd := exec.CommandContext(i.t.Context(), "docker", append([]string{"-H", i.Host()}, args...)...)
	cmd.Env = append(os.Environ(), "DOCKER_BUILDKIT=0") // the builder that needs nothing from a registry
	var diagnostic bytes.Buffer
	cmd.Stderr = &diagnostic
	out, err := cmd.Output()
	if err != nil {
		i.t.Fatalf("docker %v: %v\n%s%s", args, err, out, diagnostic.String())
	}
	return strings.TrimSpace(string(out))
}

func (i *image) build(name, source string, options ...string) {
	i.t.Helper()
	dir := i.t.TempDir()
	must(i.t, os.WriteFile(filepath.Join(dir, "Dockerfile"), []byte(source), 0o600))
	i.docker(append(append([]string{"build", "--network", "host", "-t", name}, options...), dir)...)
}

// contained is an Airlock in a container, reached like any other.
type contained struct {
	*testServer
	*image
	t    *testing.T
	name string
}

// run starts a container with the options and waits until it can execute.
func (i *image) run(t *testing.T, name string, options ...string) *contained {
	t.Helper()
	i = &image{Engine: i.Engine, t: t, name: i.name}
	addr, err := freeAddress(t.Context())
	must(t, err)
	c := &contained{image: i, t: t, name: name, testServer: &testServer{t: t, url: "http://" + addr, answers: filepath.Join(t.TempDir(), "answers"), log: filepath.Join(t.TempDir(), "log")}}
	// The engine has no networks of its own, so the container shares this host's.
	i.docker(slices.Concat([]string{"run", "-d", "--name", name, "--network", "host", "-e", "AIRLOCK_ADDR=" + addr, "-e", "AIRLOCK_WORKERS=2", "-e", "AIRLOCK_POOL=1"}, options, []string{i.name})...)
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

// admin is airlock admin in the container, as the user to whom the data belongs.
func (c *contained) admin(stdin string, args ...string) string {
	c.t.Helper()
	owner := strings.Fields(c.statusOf(c.serverPID(), "Uid"))[0]
	cmd := exec.Command("docker", append([]string{"-H", c.Host(), "exec", "-i", "-u", owner, c.name, "airlock", "admin"}, args...)...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.Output()
	must(c.t, err)
	return strings.TrimSpace(string(out))
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

func childrenOf(t *testing.T, parent int) []process {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	must(t, err)
	var found []process
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if fields, err := statOf(pid); err != nil || fields[1] != strconv.Itoa(parent) {
			continue
		}
		if p, err := readProcess(pid); err == nil {
			found = append(found, p)
		}
	}
	return found
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
	if code := c.call(http.MethodPost, "/profiles", map[string]any{"description": "in a container"}, &profile); code != http.StatusCreated {
		c.t.Fatalf("create a profile: %d", code)
	}
	c.call(http.MethodPost, "/profiles/"+profile.ID+"/keys", map[string]any{"keys": []map[string]any{{"name": "API_KEY", "description": "a key"}}}, nil)
	c.admin("sk-secret-of-the-container", "credential", "set", "API_KEY", "--mode", "injected")
	c.admin("", "profile", "lock", profile.ID)
	x := c.submit(profile.ID, "print('key is', settings.get('API_KEY'))\nset_result({'sum': sum(range(10)), 'words': llm.complete('Summarize 45')})", time.Minute)
	id := x.ID
	eventually(c.t, 2*time.Minute, "the execution ends", func() bool {
		x = agentView{}
		c.call(http.MethodGet, "/executions/"+id, nil, &x)
		if x.Status == "awaiting_llm" {
			c.call(http.MethodPost, "/executions/"+id+"/respond", map[string]any{"response": "forty-five"}, nil)
		}
		return x.terminal()
	})
	if x.Status != "completed" || string(x.Result) != `{"sum":45,"words":"forty-five"}` || strings.Contains(x.Stdout, "sk-secret") || !strings.HasPrefix(x.Stdout, "key is ") {
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

// size is what the image takes on a disk.
func (i *image) size() int64 {
	i.t.Helper()
	var found []struct{ Size int64 }
	must(i.t, json.Unmarshal([]byte(i.docker("image", "inspect", i.name)), &found))
	return found[0].Size
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
