package landlock

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/landlock/walls"
	"github.com/computclaw/airlock/plugins/sandboxtest"
)

// engine is a Docker engine of the test's own, with one image.
type engine struct {
	socket string
	bin    string // directory with the test binary and the test guest
}

// stock is how hosting platforms run a container: everything at its default, and less than that.
func stock(extra ...string) []string {
	return append([]string{"--network", "none", "--security-opt", "no-new-privileges"}, extra...)
}

// TestInContainer runs the backend where it is for: in containers that nobody gave anything.
func TestInContainer(t *testing.T) {
	e := startEngine(t)
	nobody := stock("--user", "65534", "--cap-drop", "ALL")
	t.Run("nobody without capabilities", func(t *testing.T) { e.conform(t, "TestConformance", nobody) })
	t.Run("root with three capabilities on an older kernel", func(t *testing.T) {
		e.conform(t, "TestConformanceOld", stock("--cap-drop", "ALL", "--cap-add", "SETUID", "--cap-add", "SETGID", "--cap-add", "KILL"))
	})
	t.Run("root without any capability", func(t *testing.T) { e.conform(t, "TestConformance", stock("--cap-drop", "ALL")) })
	t.Run("root as it comes", func(t *testing.T) {
		r := e.check(t, Name, stock())
		if !r.Ready || !strings.Contains(r.Version, "own uids") {
			t.Errorf("%+v", r)
		}
	})
	t.Run("read-only root", func(t *testing.T) {
		r := e.check(t, Name, append(nobody, "--read-only", "--tmpfs", "/tmp:mode=1777"))
		if !r.Ready {
			t.Errorf("%+v", r)
		}
	})
	refusals := []struct {
		name, backend string
		options       []string
		reason        string
	}{
		{"nobody on an older kernel", old, nobody, "SETUID, SETGID and KILL"},
		{"root with capabilities, but not these", Name, stock("--cap-drop", "ALL", "--cap-add", "NET_RAW"), "without the capability SETUID"},
		{"root without any capability on an older kernel", old, stock("--cap-drop", "ALL"), "SETUID, SETGID and KILL"},
		{"root that can't end its boxes", Name, stock("--cap-drop", "ALL", "--cap-add", "SETUID", "--cap-add", "SETGID"), "without the capability KILL"},
		{"nowhere to write", Name, append(nobody, "--read-only"), "AIRLOCK_PLUGIN_LANDLOCK_TMP"},
	}
	for _, tt := range refusals {
		t.Run(tt.name, func(t *testing.T) {
			r := e.check(t, tt.backend, tt.options)
			if r.Ready || r.Tier != plugins.TierNone || !strings.Contains(r.Reason, tt.reason) {
				t.Errorf("%+v, want a reason with %q", r, tt.reason)
			}
		})
	}
}

func (e *engine) conform(t *testing.T, test string, options []string) {
	// The shell is there to be a first process that takes the status of orphans.
	out, err := e.run(t, options, "/usr/bin/sh", "-c", "/test/landlock.test -test.v -test.run '^"+test+"$'; exit $?")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for line := range strings.Lines(out) {
		if strings.Contains(line, "--- PASS") || strings.Contains(line, "control ") {
			t.Log(strings.TrimSpace(line))
		}
	}
}

func (e *engine) check(t *testing.T, backend string, options []string) plugins.Report {
	out, err := e.run(t, append([]string{"-i"}, options...), "/test/landlock.test", "check", backend)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var r plugins.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return r
}

// run runs a command in a fresh container and returns what it printed.
func (e *engine) run(t *testing.T, options []string, command ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	args := append([]string{"run", "--rm", "-v", e.bin + ":/test:ro", "-e", sandboxtest.GuestVariable + "=/test/guest"}, options...)
	cmd := e.docker(ctx, append(append(args, "runtime"), command...)...)
	guest, err := os.ReadFile(filepath.Join(e.bin, "guest"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin = bytes.NewReader(guest)
	var diagnostic bytes.Buffer
	cmd.Stderr = &diagnostic
	out, err := cmd.Output()
	return string(out) + diagnostic.String(), err
}

func (e *engine) docker(ctx context.Context, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, "docker", append([]string{"-H", "unix://" + e.socket}, args...)...)
}

// startEngine starts a daemon with directories of its own, which ends with the test, and makes an image of this host's Python.
func startEngine(t *testing.T) *engine {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Fatal("needs root, to start a Docker engine")
	}
	daemon, err := exec.LookPath("dockerd")
	if err != nil {
		t.Fatalf("apt-get install docker.io: %v", err)
	}
	dir, err := os.MkdirTemp("", "landlock-docker-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	e := &engine{socket: filepath.Join(dir, "docker.sock"), bin: filepath.Join(dir, "bin")}
	cmd := exec.Command(daemon, "--data-root", filepath.Join(dir, "data"), "--exec-root", filepath.Join(dir, "exec"), "--pidfile", filepath.Join(dir, "pid"),
		"-H", "unix://"+e.socket, "--iptables=false", "--ip6tables=false", "--bridge=none")
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	// Its mounts are nobody else's business: other packages' tests run at the same time, and look for what is left.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Unshareflags: syscall.CLONE_NEWNS}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			_ = cmd.Process.Kill()
			<-ended
		}
	})
	for deadline := time.Now().Add(time.Minute); e.docker(t.Context(), "version").Run() != nil; time.Sleep(50 * time.Millisecond) {
		select {
		case <-ended:
			t.Fatalf("the engine ended:\n%s", log.String())
		default:
		}
		if time.Now().After(deadline) {
			t.Fatal("the engine isn't ready after a minute")
		}
	}
	e.load(t, dir)
	return e
}

// image lists what a container needs: Python, its libraries, and what the suite's scripts execute.
const image = `
set -e
cd /
{
  echo usr/bin/python3; readlink -f /usr/bin/python3
  for p in env id true dash sh sleep; do readlink -f /usr/bin/$p; echo usr/bin/$p; done
  for p in bin lib lib64 sbin; do [ -L $p ] && echo $p || true; done
  v=$(python3 -c 'import sys; print("usr/lib/python%d.%d" % sys.version_info[:2])')
  find $v usr/lib/python3 -type f -name '*.py' -o -type f -name '*.so' -path '*dynload*' 2>/dev/null | grep -v -e dist-packages -e /test/
  { ldd /usr/bin/python3 /usr/bin/env /usr/bin/id /usr/bin/dash; ldd $v/lib-dynload/*.so; } 2>/dev/null | grep -o '/[^ ]*' | grep -v ':$' | while read l; do echo "$(readlink -f "$(dirname "$l")")/$(basename "$l")"; readlink -f "$l"; done
} | sed 's,^/,,' | sort -u | tar -c --no-recursion -T - -f "$1"
mkdir -p "$2/tmp" "$2/proc" "$2/dev" "$2/etc" "$2/var/tmp" "$2/data"
chmod 1777 "$2/tmp" "$2/var/tmp"
echo secret > "$2/etc/shadow"; chmod 644 "$2/etc/shadow"
tar -r -f "$1" -C "$2" tmp proc dev etc var data
`

func (e *engine) load(t *testing.T, dir string) {
	t.Helper()
	archive := filepath.Join(dir, "image.tar")
	if out, err := exec.Command("/bin/bash", "-c", image, "image", archive, filepath.Join(dir, "skeleton")).CombinedOutput(); err != nil {
		t.Fatalf("make the image: %v\n%s", err, out)
	}
	if out, err := e.docker(t.Context(), "import", archive, "runtime").CombinedOutput(); err != nil {
		t.Fatalf("import the image: %v\n%s", err, out)
	}
	if err := os.Mkdir(e.bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	_, guest := copies(t, e.bin)
	if _, err := os.Stat(guest); err != nil {
		t.Fatal(err)
	}
	// Static, as Airlock's is: the test binary that runs now may be linked to libraries that the image doesn't have.
	build := exec.Command("go", "test", "-c", "-o", filepath.Join(e.bin, "landlock.test"), ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	if abi := walls.ABI(); abi < walls.ScopedABI {
		t.Logf("this kernel has Landlock %d", abi)
	}
}
