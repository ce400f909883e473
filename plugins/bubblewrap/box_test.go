package bubblewrap

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

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
