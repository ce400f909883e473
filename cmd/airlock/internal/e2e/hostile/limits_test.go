package hostile_test

import (
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app/egress/rules"
	"github.com/computclaw/airlock/cmd/airlock/internal/backends"
	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
	"github.com/computclaw/airlock/plugins/landlock"
)

// TestLimitsSpeak: each limit of an ordinary script ends in an error that names it and the next
// step. The instance's manual has the limits.
func TestLimitsSpeak(t *testing.T) {
	if e2e.InNamespaces(t) {
		onBackends(t, limitsSpeak)
	}
}

func onBackends(t *testing.T, test func(t *testing.T, backend string, settings []string)) {
	e2e.NewWorld(t)
	names := backends.Automatic()
	if *matrix {
		names = backends.Names()
	}
	for _, backend := range names {
		t.Run(backend, func(t *testing.T) { test(t, backend, e2e.Settings(t, backend)) })
	}
}

func limitsSpeak(t *testing.T, backend string, settings []string) {
	in := e2e.StartInstance(t, append(settings, "AIRLOCK_LOCAL_SERVICES=raw.test:7="+silentServer(t))...)
	profile := in.Admin("", "profile", "create", "--description", "limits", "--host", "raw.test:7")
	in.Admin("", "profile", "lock", profile)
	run := func(script string) e2e.Execution {
		return in.Await(in.Submit(profile, script, time.Minute), 2*time.Minute)
	}
	notes := landlock.Notes()
	cases := []struct {
		script string
		want   []string // of the error; none if the script completes
	}{
		{`
import socket, time
held = [socket.create_connection(("raw.test", 7)) for _ in range(64)]
time.sleep(3) # until each has its place
with socket.create_connection(("raw.test", 7)) as last: # closed first: the others' end would let it through
    last.settimeout(2)
    last.recv(1)`, []string{"TimeoutError", "raw.test:7 was refused because 64 connections of the execution were open"}},
		{"held = [open('/dev/null') for _ in range(300)]", []string{"256 open files per process", "AIRLOCK_LIMIT_FILES"}},
		{"open('x', 'wb').write(bytes(65 << 20))", []string{"the limit of /tmp is 64 MiB", "AIRLOCK_LIMIT_TMP"}},
		{"held = bytes(1 << 50)", []string{"512 MiB of memory", "AIRLOCK_LIMIT_MEMORY"}},
	}
	const shared = `
import multiprocessing.pool
from multiprocessing.shared_memory import SharedMemory
open("/tmp/x", "w").close()
block = SharedMemory(create=True, size=5_000_000)
block.buf[:] = bytes(5_000_000)
block.close()
block.unlink()
set_result(multiprocessing.pool.ThreadPool(2).map(abs, [-1]))`
	if backend == "landlock" {
		for _, script := range []string{"open('/tmp/x', 'w')", "import multiprocessing.pool\nmultiprocessing.pool.ThreadPool(2)"} {
			cases = append(cases, struct {
				script string
				want   []string
			}{script, append([]string{"PermissionError"}, notes...)})
		}
	} else {
		cases = append(cases, struct {
			script string
			want   []string
		}{shared, nil}, struct {
			script string
			want   []string
		}{"from multiprocessing.shared_memory import SharedMemory\nSharedMemory(create=True, size=300 << 20)",
			[]string{"/dev/shm is 256 MiB", "AIRLOCK_LIMIT_MEMORY"}})
	}
	for _, c := range cases {
		x := run(c.script)
		if (x.Status == "completed") != (c.want == nil) {
			t.Errorf("%s\nended as %s: %s", c.script, x.Status, x.Error)
		}
		for _, want := range c.want {
			if !strings.Contains(x.Error, want) {
				t.Errorf("%s\nended with an error that lacks %q: %s", c.script, want, x.Error)
			}
		}
	}
	manual := manualOf(in)
	for _, note := range notes[:4] { // the last is docker's, too
		if strings.Contains(manual, note) != (backend == "landlock") {
			t.Errorf("the manual on %s and the sentence %q don't agree", backend, note)
		}
	}
}

// TestLimitsThatAScriptCatchesSpeak: a script, or its child, catches the error of a limit. It
// completes, and its answer names the limit.
func TestLimitsThatAScriptCatchesSpeak(t *testing.T) {
	if e2e.InNamespaces(t) {
		onBackends(t, caughtLimitsSpeak)
	}
}

func caughtLimitsSpeak(t *testing.T, backend string, settings []string) {
	in := e2e.StartInstance(t, append(settings, "AIRLOCK_LOCAL_SERVICES=raw.test:7="+silentServer(t))...)
	profile := in.Admin("", "profile", "create", "--description", "limits", "--host", "raw.test:7")
	in.Admin("", "profile", "lock", profile)
	const (
		tmp = "/tmp was full at the end (64 MiB)"
		shm = "/dev/shm was full at the end (256 MiB)"
	)
	processes := "limit of 64 processes and threads"
	cases := []struct{ name, script, want string }{{"nothing", "open('x', 'wb').write(bytes(1 << 20))", ""}}
	if backend != "ssh" { // where boxes are polled: what is over in a moment isn't seen
		cases = append(cases, []struct{ name, script, want string }{
			{"processes", `
import os, time
try:
    while True:
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
except OSError:
    pass`, processes},
			{"threads", `
import threading, time
try:
    while True:
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
except RuntimeError:
    pass`, processes},
			{"processes of a program", `
import subprocess
subprocess.run(["sh", "-c", "for i in $(seq 100); do sleep 60 & done 2>/dev/null"], stderr=subprocess.DEVNULL)`,
				processes},
		}...)
	}
	if backend != "landlock" { // on landlock there is no /dev/shm, and too large files end the script
		cases = append(cases, []struct{ name, script, want string }{
			{"full /tmp", `
try:
    with open("/tmp/x", "wb") as f:
        while True: f.write(bytes(1 << 20))
except OSError:
    pass`, tmp},
			{"full /tmp of a program", `
import subprocess
subprocess.run(["dd", "if=/dev/zero", "of=/tmp/x", "bs=1M"], stderr=subprocess.DEVNULL)`, tmp},
			{"full /dev/shm", `
try:
    with open("/dev/shm/x", "wb") as f:
        while True: f.write(bytes(1 << 20))
except OSError:
    pass`, shm},
		}...)
	}
	for _, c := range cases {
		x := in.Await(in.Submit(profile, c.script+"\nset_result('done')", time.Minute), 2*time.Minute)
		if got := strings.Join(x.Warnings, " "); x.Status != "completed" || !strings.Contains(got, c.want) ||
			len(x.Warnings) != min(1, len(c.want)) {
			t.Errorf("%s: %s %s, warnings %q, want %q", c.name, x.Status, x.Error, x.Warnings, c.want)
		}
	}
	x := in.Await(in.Submit(profile, `
import socket
held = [socket.create_connection(("raw.test", 7)) for _ in range(65)]
try:
    held[-1].settimeout(2)
    held[-1].recv(1)
except TimeoutError:
    set_result("done")`, time.Minute), 2*time.Minute)
	refused := slices.ContainsFunc(x.Network, func(c e2e.Connection) bool {
		return c.Host == "raw.test" && c.Rule == rules.Connections && c.Hint != ""
	})
	if x.Status != "completed" || !refused {
		t.Errorf("connections: %s %s, network %+v", x.Status, x.Error, x.Network)
	}
}

// silentServer accepts connections and says nothing.
func silentServer(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				_, _ = io.Copy(io.Discard, conn)
			}()
		}
	}()
	return listener.Addr().String()
}

func manualOf(in *e2e.Instance) string {
	_, text, _ := in.Do(http.MethodGet, "/skill.md", "", "", nil)
	return string(text)
}
