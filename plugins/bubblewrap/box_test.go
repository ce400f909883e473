package bubblewrap

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/sandboxtest"
)

// TestAsOrdinaryUser checks the host as a user without rights or a cgroup, the recommended way to
// run Airlock.
func TestAsOrdinaryUser(t *testing.T) {
	cmd := exec.Command("/proc/self/exe", "check", Name)
	cmd.Env, cmd.Dir = []string{}, "/"
	cmd.Stdin = bytes.NewReader(sandboxtest.Guest(t))
	var out, diagnostic bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &diagnostic
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 12345, Gid: 12345}}
	}
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, diagnostic.String())
	}
	var r plugins.Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if !r.Ready || r.Enforced["memory"] == "" || r.Enforced["pids"] == "" {
		t.Errorf("%+v", r)
	}
}

func TestInheritedDescriptorsStayOut(t *testing.T) {
	fd, err := unix.Open("/etc/passwd", unix.O_RDONLY, 0) // without O_CLOEXEC
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	r, err := New(WithGuest(sandboxtest.Guest(t))).Check(t.Context(), plugins.Config{Instance: "test-inherit"})
	if err != nil || !r.Ready {
		t.Errorf("%v, %+v", err, r)
	}
}

// TestABoxOpensWithTheFewestFiles: bubblewrap holds all descriptors of its set-up at once.
func TestABoxOpensWithTheFewestFiles(t *testing.T) {
	backend := New(WithGuest(sandboxtest.Guest(t)))
	if r, err := backend.Check(t.Context(), plugins.Config{Instance: "test-files"}); err != nil || !r.Ready {
		t.Fatalf("%v, %+v", err, r)
	}
	h, err := backend.ready.Host(Name)
	if err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(t.TempDir(), "small")
	if err := os.WriteFile(source, []byte("small"), 0o644); err != nil {
		t.Fatal(err)
	}
	for n := len(h.layout.copies); n < maxCopies; n++ { // as on a host that has more of them
		h.layout.copies = append(h.layout.copies, [2]string{source, fmt.Sprintf("/etc/copy%d", n)})
	}
	spec := plugins.Spec{ID: "few", Limits: plugins.Limits{Files: least().Files}}
	var out bytes.Buffer
	exit, err := backend.Run(t.Context(), spec, strings.NewReader("{\"echo\":true}\nheard"), &out)
	if err != nil || exit.Code != 0 || !strings.Contains(out.String(), "heard") {
		t.Errorf("%v, %+v, %q", err, exit, out.String())
	}
}

// The kernel kills bwrap with the rest of its cgroup: then no exit code tells of the limit.
func TestABoxKilledForMemoryIsNotLost(t *testing.T) {
	exited := 1
	for name, test := range map[string]struct {
		code *int
		want plugins.Exit
	}{
		"with bwrap":    {nil, plugins.Exit{Code: -1, Signal: 9, Reason: plugins.ReasonOOM}},
		"without bwrap": {&exited, plugins.Exit{Code: 1, Reason: plugins.ReasonOOM}},
	} {
		b := &box{process: &process{}}
		if got, err := b.verdict(test.code, usage{oom: true}, ""); err != nil || got != test.want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if _, err := (&box{process: &process{}}).verdict(nil, usage{}, ""); err == nil {
		t.Error("a lost box has ended well")
	}
}

// Counters of a box that no limit refused anything, as kernels write them.
func counters2() map[string]string {
	return map[string]string{
		"memory.events": "low 0\nhigh 0\nmax 7\noom 0\noom_kill 0\noom_group_kill 0\n", "memory.peak": "1234\n",
		"pids.events": "max 0\n", "cpu.stat": "usage_usec 5000000\nuser_usec 1\n",
	}
}

func counters1() map[string]string {
	return map[string]string{
		"memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n", "memory.max_usage_in_bytes": "1234\n",
		"pids.events": "max 0\n", "cpuacct.usage": "5000000000\n",
	}
}

func groupWith(t *testing.T, version int, files map[string]string) group {
	t.Helper()
	d := cgroupDir(t.TempDir())
	for name, text := range files {
		if err := os.WriteFile(d.file(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if version == 2 {
		return group2{d}
	}
	return &group1{dirs: map[string]cgroupDir{"memory": d, "pids": d, "cpuacct": d}}
}

// usageOf asks a backend for a box that is being watched.
func usageOf(t *testing.T, b *box) (plugins.Usage, error) {
	t.Helper()
	b.meter = newMeter()
	backend := &Backend{}
	if err := backend.boxes.Enter("a", b.meter); err != nil {
		t.Fatal(err)
	}
	exited, watched := make(chan struct{}), make(chan error, 1)
	go func() { watched <- b.watch(t.Context(), pollInterval{least: time.Hour}, make(chan error), exited) }()
	u, err := backend.Usage(t.Context(), "a")
	close(exited)
	if err := <-watched; err != nil {
		t.Error(err)
	}
	return u, err
}

func TestUsage(t *testing.T) {
	quiet := plugins.Usage{PeakMemory: 1234, CPUTime: 5 * time.Second}
	hit := plugins.Usage{PeakMemory: 1234, CPUTime: 5 * time.Second, LimitHit: true}
	tests := []struct {
		name    string
		version int
		files   map[string]string // others than those of a quiet box
		want    plugins.Usage
	}{
		{"quiet 1", 1, nil, quiet},
		{"quiet 2", 2, nil, quiet},
		{"refused forks 1", 1, map[string]string{"pids.events": "max 1\n"}, hit},
		{"refused forks 2", 2, map[string]string{"pids.events": "max 1\n"}, hit},
		{"a process ended 1", 1,
			map[string]string{"memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n"},
			hit},
		{"a process ended 2", 2, map[string]string{"memory.events": "oom 1\noom_kill 1\n"}, hit},
		{"nothing to end 1", 1,
			map[string]string{"memory.oom_control": "oom_kill_disable 0\nunder_oom 1\noom_kill 0\n"},
			hit},
		{"nothing to end 2", 2, map[string]string{"memory.events": "oom 1\noom_kill 0\n"}, hit},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files := counters1()
			if tt.version == 2 {
				files = counters2()
			}
			maps.Copy(files, tt.files)
			got, err := usageOf(t, &box{group: groupWith(t, tt.version, files)})
			if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
				t.Error(err, diff)
			}
		})
	}
}

func TestAMissingCounterIsNotZero(t *testing.T) {
	for version, all := range map[int]map[string]string{1: counters1(), 2: counters2()} {
		for name := range all {
			if name == "memory.peak" || name == "memory.max_usage_in_bytes" {
				continue // no verdict depends on it
			}
			gone, short := maps.Clone(all), maps.Clone(all)
			delete(gone, name)
			short[name] = "other 7\n"
			for how, files := range map[string]map[string]string{"gone": gone, "without its line": short} {
				if u, err := usageOf(t, &box{group: groupWith(t, version, files)}); err == nil {
					t.Errorf("version %d, %s %s: %+v", version, name, how, u)
				}
			}
		}
	}
}

func TestAKilledBoxIsNotMeasured(t *testing.T) {
	if u, err := usageOf(t, &box{group: groupWith(t, 2, counters2()), killed: plugins.ReasonPids}); !errors.Is(err,
		errKilled) {
		t.Errorf("%+v, %v", u, err)
	}
}

func TestARefusedBoxNamesItsBackend(t *testing.T) {
	_, err := (&Backend{}).Run(t.Context(), plugins.Spec{ID: "a/b"}, strings.NewReader(""), io.Discard)
	if err == nil || !strings.HasPrefix(err.Error(), Name+": ") {
		t.Errorf("error %v", err)
	}
}
