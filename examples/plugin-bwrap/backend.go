package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/rlimit"
	"github.com/computclaw/airlock/plugins/stdio"
)

const name = "plugin-bwrap"

// backend implements plugins.Sandbox.
type backend struct {
	guest   []byte
	threads chan func() // see starter

	mu     sync.Mutex
	limits plugins.Limits
	file   *os.File // the guest, without a name
}

func newBackend(guest []byte) *backend {
	b := &backend{guest: guest, threads: make(chan func())}
	go b.starter()
	return b
}

// starter starts all boxes from one permanent thread: they die with the thread that started them.
func (b *backend) starter() {
	runtime.LockOSThread()
	for start := range b.threads {
		start()
	}
}

// Check implements plugins.Sandbox: it tries to break out, in a real box.
func (b *backend) Check(ctx context.Context, cfg plugins.Config) (plugins.Report, error) {
	report := plugins.Report{Name: name, Version: "1", Tier: plugins.TierNone}
	for setting := range cfg.Settings {
		report.Reason = fmt.Sprintf("unknown setting %q: it takes none", setting)
		return report, nil
	}
	if err := b.prepare(cfg.Limits); err != nil {
		return report, err
	}
	var out bytes.Buffer
	probe := []string{"/usr/bin/python3", "-I", "-c", probeScript}
	exit, err := b.box(ctx, probe, cfg.Limits, strings.NewReader(""), &out)
	if ctx.Err() != nil {
		return report, ctx.Err()
	}
	var held map[string]bool
	if err == nil && json.Unmarshal(out.Bytes(), &held) != nil {
		err = fmt.Errorf("exit code %d: %s", exit.Code, strings.TrimSpace(exit.Diagnostic))
	}
	if err != nil {
		report.Reason = fmt.Sprintf("boxes cannot be opened: %v. Install bubblewrap and python3, and allow unprivileged "+
			"user namespaces", err)
		return report, nil
	}
	for control, proved := range held {
		report.Controls = append(report.Controls,
			plugins.Control{Name: control, Proved: proved, Detail: "tried from inside a box"})
		if !proved {
			report.Reason = fmt.Sprintf("control %q did not hold", control)
			return report, nil
		}
	}
	report.Ready, report.Tier, report.Runtime = true, plugins.TierRestricted, "python of this host"
	report.Enforced = map[string]string{"memory": "rlimit", "pids": "rlimit", "tmp": "tmpfs", "files": "rlimit",
		"cpu": ""}
	return report, nil
}

const probeScript = `
import json, os, socket
def refused(try_it):
    try: try_it()
    except OSError: return True
    return False
print(json.dumps({
    "no network": refused(lambda: socket.create_connection(("192.0.2.1", 80), 1)),
    "files of the host are hidden": not any(map(os.path.exists,
        ("/etc/shadow", "/root", "/home", "/var", "/run", "/sys"))),
    "the root is read-only": refused(lambda: open("/usr/x", "w")) and refused(lambda: open("/x", "w")),
    "environment is empty": set(os.environ) <= {"PWD", "LC_CTYPE"},
    "processes of the host are hidden": all(int(p) < 100 for p in os.listdir("/proc") if p.isdigit()),
}))
`

// prepare keeps the guest in a file that nobody else can open.
func (b *backend) prepare(limits plugins.Limits) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.limits = limits
	if b.file != nil {
		return nil
	}
	f, err := os.CreateTemp("", "airlock-guest-")
	if err != nil {
		return err
	}
	_, err = f.Write(b.guest)
	if err := errors.Join(err, os.Remove(f.Name())); err != nil {
		return err
	}
	b.file = f
	return nil
}

// Run implements plugins.Sandbox.
func (b *backend) Run(ctx context.Context, spec plugins.Spec, stdin io.Reader, stdout io.Writer) (plugins.Exit, error) {
	if spec.Runtime != "" {
		return plugins.Exit{}, fmt.Errorf("there is no choice of images here: %q", spec.Runtime)
	}
	return b.box(ctx, plugins.GuestArgv, spec.Limits, stdin, stdout)
}

// box runs one box to its end. It kills PID 1. Once bwrap has ended too, nothing is left.
func (b *backend) box(ctx context.Context, argv []string, limits plugins.Limits, stdin io.Reader,
	stdout io.Writer) (plugins.Exit, error) {
	b.mu.Lock()
	file, base := b.file, b.limits
	b.mu.Unlock()
	if file == nil {
		return plugins.Exit{}, errors.New("not checked yet")
	}
	guest, err := os.Open("/proc/self/fd/" + strconv.Itoa(int(file.Fd()))) // with a position of its own
	if err != nil {
		return plugins.Exit{}, err
	}
	defer guest.Close()
	status, told, err := os.Pipe()
	if err != nil {
		return plugins.Exit{}, err
	}
	defer status.Close()
	words := &stdio.Tail{}
	//nolint:gosec // constant but for numbers
	cmd := exec.Command("/usr/bin/prlimit", append(arguments(orElse(limits, base)), argv...)...)
	cmd.Env, cmd.Dir = []string{"PATH=/usr/local/bin:/usr/bin:/bin"}, "/"
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = stdout, words, []*os.File{guest, told}
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	in, err := cmd.StdinPipe()
	if err != nil {
		return plugins.Exit{}, err
	}
	started := make(chan error)
	b.threads <- func() { started <- cmd.Start() }
	err = <-started
	_ = told.Close()
	if err != nil {
		return plugins.Exit{}, err
	}
	go func() {
		_, _ = io.Copy(in, stdin) // may wait for a reader that is never closed: nobody waits for this
		_ = in.Close()
	}()
	kill, release := killer(status, cmd.Process)
	stop := context.AfterFunc(ctx, kill)
	err = cmd.Wait()
	stop()
	release()
	exit := plugins.Exit{Code: cmd.ProcessState.ExitCode(), Reason: plugins.ReasonExit, Diagnostic: words.String(),
		CPUTime: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		exit.PeakMemory = usage.Maxrss << 10
	}
	var ended *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return plugins.Exit{Code: -1, Signal: 9, Reason: plugins.ReasonKilled}, nil
	case err != nil && !errors.As(err, &ended):
		return exit, err // its output could not be delivered
	}
	return exit, nil
}

// killer returns how to kill a box's PID 1, which bwrap reports. Call release once bwrap has ended.
func killer(status io.Reader, bwrap *os.Process) (kill, release func()) {
	first := make(chan *os.Process, 1)
	go func() {
		defer close(first)
		var said struct {
			PID int `json:"child-pid"`
		}
		if json.NewDecoder(status).Decode(&said) == nil && said.PID > 0 {
			if p, err := os.FindProcess(said.PID); err == nil { // a handle, so that a reused number is never hit
				first <- p
			}
		}
	}()
	found := sync.OnceValue(func() *os.Process { return <-first })
	kill = func() {
		if p := found(); p != nil && p.Kill() == nil {
			return
		}
		_ = bwrap.Kill() // not that far yet: what it has begun dies with it
	}
	release = func() {
		if p := found(); p != nil {
			_ = p.Release() // a descriptor, which would stay until somebody collects garbage
		}
	}
	return kill, release
}

// arguments returns those of prlimit and bwrap. Descriptor 3 is the guest, 4 gets bwrap's status.
func arguments(l plugins.Limits) []string {
	n := func(v int64) string { return strconv.FormatInt(v, 10) }
	list := []string{"--data=" + n(l.Memory), "--nproc=" + n(l.Pids+4)}
	for _, limit := range rlimit.OfBox(l.Files, l.Tmp) {
		list = append(list, "--"+limit.Name+"="+n(limit.Value))
	}
	return append(list,
		"/usr/bin/bwrap", "--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts",
		"--unshare-cgroup-try", "--disable-userns", "--uid", "65534", "--gid", "65534", "--hostname", "sandbox",
		"--cap-drop", "ALL", "--cap-add", "CAP_NET_BIND_SERVICE", "--new-session", "--die-with-parent", "--as-pid-1",
		"--clearenv", "--chdir", "/tmp", "--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--symlink",
		"usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64", "--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache",
		"--ro-bind-try", "/etc/alternatives", "/etc/alternatives", "--ro-bind-try", "/etc/ssl/certs", "/etc/ssl/certs",
		"--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--size", n(l.Tmp), "--tmpfs", "/tmp",
		"--perms", "0555", "--ro-bind-data", "3", "/airlock-init", "--remount-ro", "/", "--json-status-fd", "4", "--")
}

// orElse fills open limits from Check's, and those from modest numbers.
func orElse(l, base plugins.Limits) plugins.Limits {
	return plugins.Limits{Memory: cmp.Or(l.Memory, base.Memory, 256<<20), Pids: cmp.Or(l.Pids, base.Pids, 64),
		Tmp: cmp.Or(l.Tmp, base.Tmp, 64<<20), Files: cmp.Or(l.Files, base.Files, 256)}
}
