package ssh

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/ssh/sshtest"
)

// seconds is within which both sides must have noticed, and cleared away.
const seconds = 20 * time.Second

func wantLost(t *testing.T, b *box, since time.Time, limit time.Duration) {
	t.Helper()
	select {
	case e := <-b.done:
		if !errors.Is(e.err, plugins.ErrLost) || !strings.Contains(e.err.Error(), "link") ||
			!strings.Contains(e.err.Error(), "lost") {
			t.Errorf("Run = %+v, want an error that says that the link was lost", e)
		}
		t.Logf("Run returned after %s: %v", e.at.Sub(since).Round(time.Millisecond), e.err)
	case <-time.After(limit):
		t.Fatalf("Run has not returned after %s", limit)
	}
}

// TestCutLink cuts the network during runs. No side gets a FIN; each has to notice by itself (G13).
func TestCutLink(t *testing.T) {
	m := sshtest.New(t, sshtest.Options{})
	client, _ := ready(t, m.Settings())
	boxes := []*box{open(t, client), open(t, client)}
	begin := time.Now()
	m.Cut()
	for _, b := range boxes {
		at := gone(t, b.mark, seconds)
		t.Logf("the remote tree was gone after %s", at.Sub(begin).Round(time.Millisecond))
		wantLost(t, b, begin, seconds)
	}
	gone(t, remoteOf(t, m), seconds)
	m.Mend()
	if got := says(t, client, "print(6 * 7)"); got != "42" {
		t.Errorf("after the link came back a box printed %q", got)
	}
}

// remoteOf is what the command lines of the machine's remote programs contain and no others'.
func remoteOf(t *testing.T, m *sshtest.Machine) string {
	t.Helper()
	return m.Home() + "/.cache/airlock/airlock-remote-"
}

// TestServerKilled kills sshd with all its sessions, which is not the end of what they had started.
func TestServerKilled(t *testing.T) {
	m := sshtest.New(t, sshtest.Options{})
	client, _ := ready(t, m.Settings())
	b := open(t, client)
	begin := time.Now()
	m.Kill()
	for _, pid := range processesWith("sshd: " + m.User) {
		if !m.Hosts(pid) {
			continue
		}
		n, _ := strconv.Atoi(pid)
		if err := syscall.Kill(n, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			t.Fatal(err)
		}
	}
	gone(t, b.mark, seconds)
	wantLost(t, b, begin, seconds)
	m.Serve()
	if got := says(t, client, "print(6 * 7)"); got != "42" {
		t.Errorf("after sshd came back a box printed %q", got)
	}
}

func TestSupervisorKilled(t *testing.T) {
	m := sshtest.New(t, sshtest.Options{})
	client, _ := ready(t, m.Settings())
	b := open(t, client)
	begin := time.Now()
	signalAll(t, remoteOf(t, m), syscall.SIGKILL)
	gone(t, b.mark, 2*time.Second)
	wantLost(t, b, begin, 2*time.Second)
	if got := says(t, client, "print(6 * 7)"); got != "42" {
		t.Errorf("a box of the next remote program printed %q", got)
	}
}

// TestOtherRuntimeAfterTheLinkWasLost installs a package there during an outage. Executions must
// name the new runtime.
func TestOtherRuntimeAfterTheLinkWasLost(t *testing.T) {
	m := sshtest.New(t, sshtest.Options{})
	client, cfg := ready(t, m.Settings())
	b := open(t, client)
	m.Install("python3-airlock-test")
	begin := time.Now()
	signalAll(t, remoteOf(t, m), syscall.SIGKILL)
	wantLost(t, b, begin, seconds) // so the loss was noticed
	stdin := bytes.NewReader(order(t, "print(6 * 7)"))
	if exit, err := client.Run(t.Context(), plugins.Spec{ID: "box-" + token()}, stdin, io.Discard); err == nil ||
		!strings.Contains(err.Error(), "proved anew") {
		t.Errorf("%+v, %v", exit, err)
	}
	if r, err := client.Check(t.Context(), cfg); err != nil || !r.Ready {
		t.Fatalf("%v, %+v", err, r)
	}
	if got := says(t, client, "print(6 * 7)"); got != "42" {
		t.Errorf("after another proof a box printed %q", got)
	}
}

// TestHangingSupervisor stops the remote program. The next connection ends it with its boxes.
func TestHangingSupervisor(t *testing.T) {
	m := sshtest.New(t, sshtest.Options{})
	client, _ := ready(t, m.Settings())
	b := open(t, client)
	old := processesWith(remoteOf(t, m))
	begin := time.Now()
	signalAll(t, remoteOf(t, m), syscall.SIGSTOP)
	wantLost(t, b, begin, seconds)
	if got := says(t, client, "print(6 * 7)"); got != "42" {
		t.Errorf("a box of the next remote program printed %q", got)
	}
	gone(t, b.mark, 2*time.Second)
	for _, pid := range old {
		if alive(pid) {
			t.Errorf("the remote program %s that hung is still there", pid)
		}
	}
}

// alive reports whether a process is there and no zombie.
func alive(pid string) bool {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

func signalAll(t *testing.T, mark string, sig syscall.Signal) {
	t.Helper()
	pids := processesWith(mark)
	if len(pids) == 0 {
		t.Fatalf("no process has %q", mark)
	}
	for _, pid := range pids {
		n, err := strconv.Atoi(pid)
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(n, sig); err != nil {
			t.Fatal(err)
		}
	}
}
