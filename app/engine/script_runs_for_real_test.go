package engine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/egress"
	"github.com/computclaw/airlock/app/egress/rules"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/engine/enginetest"
	"github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/runner"
	"github.com/computclaw/airlock/app/sandbox"
	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/bubblewrap"
)

// withBubblewrap makes an engine use real boxes: bubblewrap in a plugin process, airlock-init,
// Python.
func withBubblewrap(t testing.TB, instance string) func(*engine.Config) {
	change, _ := withPlugin(t, instance)
	return change
}

// withPlugin also returns the plugin.
func withPlugin(t testing.TB, instance string, change ...func(*plugins.HostConfig)) (func(*engine.Config),
	*plugins.Client) {
	t.Helper()
	host := plugins.HostConfig{Name: bubblewrap.Name, Args: []string{guestPath}}
	for _, f := range change {
		f(&host)
	}
	client, err := plugins.Open(t.Context(), host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	})
	state := t.TempDir()
	if err := os.Chmod(state, 0o700); err != nil {
		t.Fatal(err)
	}
	return func(c *engine.Config) {
		limits := app.DefaultLimits()
		c.Sandboxes = []sandbox.BackendConfig{{Name: host.Name, Backend: client, Config: plugins.Config{
			Instance: instance, StateDir: state,
			Limits: plugins.Limits{Memory: limits.Memory, CPU: limits.CPU, Pids: limits.Pids, Tmp: limits.Tmp,
				Files: limits.Files},
		}}}
	}, client
}

func realWorld(t testing.TB, change ...func(*engine.Config)) *world {
	t.Helper()
	w := newUnstarted(t)
	w.StartEngine(append([]func(*engine.Config){withBubblewrap(t, "engine-"+app.NewID())}, change...)...)
	if h := w.Health(); !h.Ready {
		t.Fatalf("bubblewrap is not ready here: %s", h.Reason)
	}
	return w
}

func TestReal(t *testing.T) {
	t.Parallel()
	w := realWorld(t)
	tests := []struct {
		name, script string
		status       app.Status
		stdout       string
		result       string
		says         []string
		silent       []string // what the error must not say
		line         int
	}{
		{name: "result", script: "print('hi')\nset_result({'b': 1, 'a': [None, 2.5]})", status: app.StatusCompleted,
			stdout: "hi\n", result: `{"b":1,"a":[null,2.5]}`},
		{name: "exception", script: "def f():\n    raise ValueError('no ' + settings.get('API_KEY'))\nf()",
			status: app.StatusError, line: 2,
			says:   []string{"ValueError: no [REDACTED...6789]", "line 2, in f", "line 3"},
			silent: []string{enginetest.SecretValue, "airlock-init", "runner"}},
		{name: "syntax error", script: "x = (1,\nprint('x')\n", status: app.StatusError, says: []string{"SyntaxError"}},
		{name: "exit 137", script: "import os; os._exit(137)", status: app.StatusError, says: []string{"exit code 137"},
			silent: []string{"memory"}},
		{name: "signal", script: "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", status: app.StatusError,
			says: []string{"signal 11"}},
		{name: "memory", script: "x = []\nwhile True: x.append(bytearray(50_000_000))", status: app.StatusError,
			says: []string{"512 MiB", "AIRLOCK_LIMIT_MEMORY"}},
		{name: "flood", script: "import os\nb = b'x' * 65536\nwhile True: os.write(1, b)", status: app.StatusError,
			says: []string{"AIRLOCK_LIMIT_OUTPUT"}},
		{name: "forks", script: "import os, time\ntry:\n  while True:\n    if os.fork() == 0: time.sleep(100)\nexcept " +
			"OSError: set_result('limited')", status: app.StatusCompleted, result: `"limited"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x, out := w.Finished(tt.script, tt.status)
			if tt.stdout != "" && out.Stdout != tt.stdout {
				t.Errorf("stdout %q, want %q", out.Stdout, tt.stdout)
			}
			if tt.result != "" && string(out.Result) != tt.result {
				t.Errorf("result %s, want %s", out.Result, tt.result)
			}
			for _, s := range tt.says {
				if !strings.Contains(x.Error, s) {
					t.Errorf("error %q doesn't say %q", x.Error, s)
				}
			}
			for _, s := range tt.silent {
				if strings.Contains(x.Error, s) {
					t.Errorf("error %q says %q", x.Error, s)
				}
			}
			if tt.line != 0 && x.ErrorLine != tt.line {
				t.Errorf("line %d, want %d", x.ErrorLine, tt.line)
			}
			if !strings.HasPrefix(x.Manifest.Python, "3.") || x.Manifest.Runtime == "" || x.Backend != bubblewrap.Name {
				t.Errorf("%+v", x)
			}
		})
	}
}

// newMark returns a number of seconds for sleep that nobody else on this machine uses.
func newMark() string { return fmt.Sprintf("98765.%d", time.Now().UnixNano()) }

// marked counts processes whose command line or environment holds text.
func marked(t *testing.T, text string) int {
	t.Helper()
	n := 0
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		if strings.Contains(f, "/proc/"+strconv.Itoa(os.Getpid())+"/") {
			continue
		}
		if line, err := os.ReadFile(f); err == nil && bytes.Contains(line, []byte(text)) {
			n++
		}
	}
	return n
}

func TestRealTreesDie(t *testing.T) {
	t.Parallel()
	w := realWorld(t)
	mark := newMark()
	script := fmt.Sprintf("import subprocess\nfor i in range(5): subprocess.Popen(['sleep', '%s'], "+
		"start_new_session=True)\nprint('up', flush=True)\n", mark)
	ends := []struct {
		name   string
		tail   string
		status app.Status
		end    func(x app.Execution)
	}{
		{name: "exit", tail: "set_result(1)", status: app.StatusCompleted},
		{name: "timeout", tail: "while True: pass", status: app.StatusTimeout},
		{name: "cancel", tail: "import time; time.sleep(1000)", status: app.StatusCancelled,
			end: func(x app.Execution) {
				_, err := w.Controller.Cancel(t.Context(), x.ID, enginetest.Agent)
				w.Must(err)
			}},
		{name: "cancel while waiting", tail: "llm.complete('x')", status: app.StatusCancelled,
			end: func(x app.Execution) {
				w.Until(x, app.StatusAwaitingLLM)
				_, err := w.Controller.Cancel(t.Context(), x.ID, enginetest.Agent)
				w.Must(err)
			}},
	}
	for _, tt := range ends {
		t.Run(tt.name, func(t *testing.T) {
			x, _, err := w.Submitter.Submit(t.Context(),
				executions.Submission{ProfileID: w.Profile.ID, Script: script + tt.tail, Timeout: new(2.0),
					By: enginetest.Agent})
			w.Must(err)
			w.UntilPrinted(x, "up")
			if tt.end != nil {
				tt.end(x)
			}
			w.UntilStatus(x, tt.status)
			if n := marked(t, mark); n != 0 {
				t.Errorf("%d processes are left", n)
			}
		})
	}
}

// The script and its threads wait frozen and get the exact answers.
func TestRealQuestions(t *testing.T) {
	t.Parallel()
	w := realWorld(t)
	x := w.Send(`
import threading, time
ticks = 0
def tick():
    global ticks
    while True:
        ticks += 1
        time.sleep(0.01)
threading.Thread(target=tick, daemon=True).start()
time.sleep(0.1)
before = ticks
a = llm.complete("first")
after = ticks
b = llm.complete("second", model="big")
set_result({"a": a, "b": b, "ticks": after - before})
`)
	asked := w.Until(x, app.StatusAwaitingLLM)
	if asked.Request.Prompt != "first" {
		t.Fatalf("%+v", asked.Request)
	}
	time.Sleep(time.Second) // 100 ticks, were it not frozen
	first, second := "exact \u2028 \"text\"\n\x00 "+enginetest.SecretValue, strings.Repeat("long ", 100_000)
	_, err := w.Controller.Respond(t.Context(), x.ID,
		runner.Answer{RequestID: asked.Request.RequestID, Text: first, By: enginetest.Agent})
	w.Must(err)
	asked = w.Until(x, app.StatusAwaitingLLM)
	if asked.Request.Prompt != "second" || asked.Request.Model != "big" {
		t.Fatalf("%+v", asked.Request)
	}
	_, err = w.Controller.Respond(t.Context(), x.ID, runner.Answer{Text: second, By: enginetest.Agent})
	w.Must(err)
	x = w.Until(x, app.StatusCompleted)
	out, err := w.Reader.Output(t.Context(), x.Handle)
	w.Must(err)
	masked := strings.ReplaceAll(first, enginetest.SecretValue, "[REDACTED...6789]")
	var got struct {
		A, B  string
		Ticks int
	}
	w.Must(json.Unmarshal(out.Result, &got))
	if got.A != masked || got.B != second {
		t.Errorf("a %q, b of %d bytes", got.A, len(got.B))
	}
	if got.Ticks > 30 {
		t.Errorf("a thread ran on for %d ticks", got.Ticks)
	}
}

func TestRealNetwork(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(rw, "token "+r.Header.Get("Authorization"))
	}))
	t.Cleanup(server.Close)
	local := server.Listener.Addr().(*net.TCPAddr).AddrPort()
	w := realWorld(t, func(c *engine.Config) {
		c.Gateway = egress.New(egress.Config{LocalServices: map[string]netip.AddrPort{"data.example.com:80": local}})
	})
	w.Profile = w.NewProfile("data.example.com:80")
	x, out := w.Finished(`
import urllib.request, socket
r = urllib.request.Request("http://data.example.com/", headers={"Authorization": settings.get("API_KEY")})
print(urllib.request.urlopen(r, timeout=10).read().decode())
for host, port in [("data.example.com", 443), ("other.example.com", 80), ("127.0.0.1", `+strconv.Itoa(int(local.Port()))+`)]:
    try:
        socket.create_connection((host, port), timeout=5).close()
        print("reached", host, port)
    except OSError as e:
        print("not", host)
raise SystemExit(1)
`, app.StatusError)
	if want := "token [REDACTED...6789]\nnot data.example.com\nnot other.example.com\nnot 127.0.0.1\n"; out.Stdout != want {
		t.Errorf("stdout %q, want %q; stderr %q", out.Stdout, want, out.Stderr)
	}
	network, err := w.Reader.Network(t.Context(), x.Handle)
	w.Must(err)
	if len(network) == 0 || network[0].Verdict != app.VerdictAllowed || network[0].BytesDown == 0 {
		t.Errorf("network %+v", network)
	}
}

// An unlisted name fails to resolve, and the error gives the next step.
func TestRealUnknownName(t *testing.T) {
	t.Parallel()
	w := realWorld(t)
	x, _ := w.Finished("import urllib.request; urllib.request.urlopen('http://other.example.com/')", app.StatusError)
	for _, want := range []string{"URLError", "other.example.com is not on this profile's host list",
		"What to do is in the execution's network list."} {
		if !strings.Contains(x.Error, want) {
			t.Errorf("%q is not in the error %q", want, x.Error)
		}
	}
	rows, err := w.Reader.Network(t.Context(), x.Handle)
	w.Must(err)
	if len(rows) != 1 || rows[0].Host != "other.example.com" || rows[0].Verdict != app.VerdictDenied ||
		rows[0].Rule != rules.NotListed {
		t.Errorf("ledger %+v", rows)
	}
}

// Revocation ends a running script within a moment, also from another process.
func TestRealRevoke(t *testing.T) {
	t.Parallel()
	w := realWorld(t)
	running, waiting := w.Send("print('up', flush=True)\nwhile True: pass"), w.Send("llm.complete('x')")
	w.UntilPrinted(running, "up")
	w.Until(waiting, app.StatusAwaitingLLM)
	w.Elsewhere(func(a *access.Parts) error {
		_, err := a.Lifecycle.Revoke(t.Context(), enginetest.Person, w.Profile.Handle)
		return err
	})
	w.UntilStatus(running, app.StatusCancelled)
	w.UntilStatus(waiting, app.StatusCancelled)
}

// Files of an ended script were searched for minutes after its profile was revoked. Output and result
// are still checked, and its status stays.
func TestHoleH5RevokedAfterTheScriptsEnd(t *testing.T) {
	t.Parallel()
	looks, gate := make(chan struct{}, 9), make(chan struct{})
	w := realWorld(t, func(c *engine.Config) {
		c.Patterns = func(text string) []redact.Match {
			if strings.HasPrefix(text, "dearly") {
				looks <- struct{}{}
				<-gate
			}
			return nil
		}
	})
	x := w.Send("save_file('a.txt', 'dearly')\nsave_file('b.txt', 'dearly')\nkey = settings.get('API_KEY')\nprint(key)\nset_result([key])")
	<-looks // the first file has its turn
	_, err := w.Access.Lifecycle.Revoke(t.Context(), enginetest.Person, w.Profile.Handle)
	w.Must(err)
	w.Runner.ApplyRevocations() // the hub's news of it may still be under way
	close(gate)
	x = w.UntilStatus(x, app.StatusCompleted)
	out, err := w.Reader.Output(t.Context(), x.Handle)
	if w.Must(err); out.Stdout != "[REDACTED...6789]\n" || string(out.Result) != `["[REDACTED...6789]"]` {
		t.Errorf("%+v", out)
	}
	files, err := w.Reader.Artifacts(t.Context(), x)
	w.Must(err)
	for _, f := range files {
		if f.SHA256 != "" || f.Withheld != "The execution was cancelled before it was checked and stored." {
			t.Errorf("%+v", f)
		}
	}
	if len(files) != 2 || len(looks) > 0 {
		t.Errorf("%d files, %d more were looked at", len(files), len(looks))
	}
}

// A hundred executions leave no process, cgroup or goroutine (see newWorld).
func TestRealHundred(t *testing.T) {
	t.Parallel()
	mark, instance := newMark(), "engine-"+app.NewID()
	w := newUnstarted(t)
	w.StartEngine(withBubblewrap(t, instance))
	scripts := []struct {
		script string
		status app.Status
	}{
		{"set_result(1)", app.StatusCompleted},
		{"raise RuntimeError('x')", app.StatusError},
		{"import time; time.sleep(1000)", app.StatusTimeout},
		{"llm.complete('x'); set_result(2)", app.StatusCompleted},
		{"import os; os.kill(os.getpid(), 9)", app.StatusError},
		{"import subprocess; subprocess.Popen(['sleep', '" + mark + "'])", app.StatusCompleted},
	}
	var list []app.Execution
	for i := range 100 {
		x, _, err := w.Submitter.Submit(t.Context(),
			executions.Submission{ProfileID: w.Profile.ID, Script: scripts[i%len(scripts)].script,
				Timeout: new(1.5),
				By:      enginetest.Agent})
		w.Must(err)
		list = append(list, x)
	}
	for i, x := range list {
		x = w.UntilTerminal(x)
		if want := scripts[i%len(scripts)].status; x.Status != want {
			t.Errorf("%q ended as %s, want %s: %s", scripts[i%len(scripts)].script, x.Status, want, x.Error)
		}
	}
	w.Must(w.Close(t.Context()))
	if n := marked(t, mark); n != 0 {
		t.Errorf("%d processes are left", n)
	}
	for _, pattern := range []string{"/sys/fs/cgroup/*" + instance + "/*/", "/sys/fs/cgroup/*/*" + instance + "/*/"} {
		if dirs, _ := filepath.Glob(pattern); len(dirs) != 0 {
			t.Errorf("cgroups are left: %v", dirs)
		}
	}
}

// A killed or hanging plugin takes its boxes with it. The execution says so, and the next one runs
// after a new proof.
func TestRealPluginLost(t *testing.T) {
	t.Parallel()
	for name, signal := range map[string]syscall.Signal{"killed": syscall.SIGKILL, "hung": syscall.SIGSTOP} {
		t.Run(name, func(t *testing.T) {
			mark, w := newMark(), newUnstarted(t)
			change, client := withPlugin(t, "engine-"+app.NewID(),
				func(c *plugins.HostConfig) { c.Patience = 5 * time.Second })
			w.StartEngine(change)
			x := w.Send("print('up', flush=True)\nimport subprocess; subprocess.run(['sleep', '" + mark + "'])")
			w.UntilPrinted(x, "up")
			pid := client.PID()
			w.Must(syscall.Kill(pid, signal))
			x = w.UntilStatus(x, app.StatusError)
			if !strings.Contains(x.Error, "the sandbox was lost") {
				t.Errorf("error %q", x.Error)
			}
			w.AwaitHealth("a backend in use", func(h engine.Health) bool { return h.Ready })
			w.Finished("set_result(1)", app.StatusCompleted)
			if n := marked(t, mark); n != 0 || client.PID() == pid {
				t.Errorf("%d processes are left; plugin %d, was %d", n, client.PID(), pid)
			}
		})
	}
}
