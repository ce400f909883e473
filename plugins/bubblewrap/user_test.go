package bubblewrap

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/sandboxtest"
	"golang.org/x/sys/unix"
)

// TestAsOrdinaryUser checks the host as a user with no rights and no cgroup, which is how Airlock
// should be run.
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

// TestInheritedDescriptorsStayOut gives this process what a careless supervisor might leave open.
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
