package guest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/plugins/wire"
)

func TestOutputFlood(t *testing.T) {
	j := job("import os, sys\nfor _ in range(500): os.write(1, b'o' * 100_000)\nfor _ in range(50): os.write(2, b'e' * " +
		"10_000)\nset_result('done')")
	j.MaxOutput = 1_000_000
	f := execute(t, j, &recorder{})
	if f.err != nil || string(f.Result) != `"done"` || len(f.stdout) != 1_000_000 ||
		f.Exited.DroppedStdout != 49_000_000 {
		t.Errorf("%v %s %d %d", f.err, f.Result, len(f.stdout), f.Exited.DroppedStdout)
	}
	if len(f.stderr) != 500_000 || f.Exited.DroppedStderr > 0 {
		t.Errorf("%d %v", len(f.stderr), f.Exited.DroppedStderr)
	}
}

func TestSlowReaderHoldsTheScriptBack(t *testing.T) {
	release := make(chan struct{})
	r := &recorder{}
	h := r.handler()
	write := h.Stdout
	h.Stdout = func(p []byte) { <-release; write(p) }
	j := job("import os\nfor n in range(100): os.write(1, b'x' * 100_000)")
	j.MaxOutput = 10_000_000
	done := make(chan error, 1)
	s := open(t)
	go func() {
		_, err := s.Run(context.Background(), j, h)
		done <- err
	}()
	select {
	case err := <-done:
		t.Fatalf("ended before its output was taken: %v", err)
	case <-time.After(300 * time.Millisecond):
	}
	close(release)
	if err := <-done; err != nil || r.stdout.Len() != 10_000_000 {
		t.Errorf("%v, %d bytes", err, r.stdout.Len())
	}
}

func TestLeftovers(t *testing.T) {
	for name, text := range map[string]string{
		"child holds stdout": "import os, time\nif os.fork() == 0: time.sleep(1000)\nprint('bye')",
		"daemon holds all": "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0: " +
			"time.sleep(1000)\n    os._exit(0)\nprint('bye')",
		"ignores signals": "import os, signal, time\nif os.fork() == 0:\n    for s in range(1, 32):\n        try: " +
			"signal.signal(s, signal.SIG_IGN)\n        except OSError: pass\n    time.sleep(1000)\nprint('bye')",
		"stopped child": "import os, signal\npid = os.fork()\nif pid == 0: os.kill(os.getpid(), " +
			"signal.SIGSTOP)\nos.waitpid(pid, os.WUNTRACED)\nprint('bye')",
		"forks for ever": "import os\npid = os.fork()\nif pid == 0:\n    while True:\n        try:\n            if " +
			"os.fork(): os._exit(0)\n        except OSError: pass\nprint('bye')",
		"50 zombies": "import os\nfor _ in range(50):\n    if os.fork() == 0: os._exit(0)\nprint('bye')",
		"orphans are reaped": "import os, time\nfor _ in range(50):\n    if os.fork() == 0:\n        if os.fork() == 0: " +
			"os._exit(0)\n        os._exit(0)\n    os.wait()\nwhile len([n for n in os.listdir('/proc') if n.isdigit()]) > 2: " +
			"time.sleep(.001)\nprint('bye')",
		"subprocess": "import subprocess\nprint(subprocess.run(['echo', 'bye'], capture_output=True, " +
			"text=True).stdout, end='')",
		"background process": "import subprocess\nsubprocess.Popen(['sleep', '1000'])\nprint('bye')",
		"signals to everyone": "import os, signal\nsignal.signal(signal.SIGUSR1, signal.SIG_IGN)\ntry: os.kill(-1, " +
			"signal.SIGUSR1)\nexcept ProcessLookupError: pass\nprint('bye')",
	} {
		t.Run(name, func(t *testing.T) {
			started := time.Now()
			f := script(t, text)
			if f.stdout != "bye\n" || f.Exited != (wire.Exited{}) {
				t.Errorf("%+v", f)
			}
			if took := time.Since(started); took > 5*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

// TestNoProcessesLeft: a script that uses up the box's processes must not break init, which needs
// threads.
func TestNoProcessesLeft(t *testing.T) {
	stdin, stdout, _ := stdio(t, "--rlimit", "nproc=24")
	s, err := Open(t.Context(), stdin, stdout, Boot{})
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{llm: func(ctx context.Context, _ wire.LLMRequest) (wire.LLMReply, error) {
		if err := errors.Join(s.Freeze(ctx, true), s.Freeze(ctx, false)); err != nil {
			return wire.LLMReply{}, err
		}
		return wire.LLMReply{Text: "frozen and thawed"}, nil
	}}
	j := job(`
import os, socket, time
read, write = os.pipe()
if os.fork() == 0:
    full = False
    while True:
        try: os.fork()
        except BlockingIOError:
            if not full: os.write(write, b"x"); full = True
        print("x" * 1000, flush=True)
os.read(read, 1)
for _ in range(5): llm.complete("?")
for _ in range(50):
    try: socket.create_connection(("h.example.com", 7), timeout=1).close()
    except OSError: pass
set_result("alive")`)
	j.Hosts = []wire.Host{{Name: "h.example.com", Ports: []int{7}}}
	outcome, err := s.Run(t.Context(), j, r.handler())
	if err != nil || string(outcome.Result) != `"alive"` ||
		outcome.Exited != (wire.Exited{DroppedStdout: outcome.Exited.DroppedStdout}) {
		t.Errorf("%v %+v", err, outcome)
	}
}

// TestInitIsOutOfReach: the script has init's user id, and still can neither read, trace, stop nor
// end it.
func TestInitIsOutOfReach(t *testing.T) {
	f := script(t, `
import ctypes, os, resource
found = {"caps": open("/proc/self/status").read().split("CapEff:")[1].split()[0], "uid": os.getuid() == os.stat("/tmp").st_uid}
for name in ("environ", "mem", "maps", "auxv", "io"):
    try: found[name] = len(open("/proc/1/" + name, "rb").read(1))
    except OSError as e: found[name] = e.strerror
for name in ("fd/0", "exe", "root", "cwd"):
    try: found[name] = os.readlink("/proc/1/" + name)
    except OSError as e: found[name] = e.strerror
libc = ctypes.CDLL(None, use_errno=True)
found["ptrace"] = [libc.ptrace(0x4206, 1, 0, 0), os.strerror(ctypes.get_errno())]
found["nnp"] = libc.prctl(39, 0, 0, 0, 0)
found["core"] = resource.getrlimit(resource.RLIMIT_CORE)
found["nofile"] = resource.getrlimit(resource.RLIMIT_NOFILE)
for _ in range(200):
    for s in range(1, 65):
        try: os.kill(1, s)
        except OSError as e: found["signal %d" % s] = e.strerror
set_result(found)`)
	want := `{"caps":"0000000000000000","uid":true,"environ":"Permission denied","mem":"Permission denied","maps":"Permission denied","auxv":"Permission denied","io":"Permission denied",` +
		`"fd/0":"Permission denied","exe":"Permission denied","root":"Permission denied","cwd":"Permission denied","ptrace":[-1,"Operation not permitted"],"nnp":1,"core":[0,0],"nofile":[256,256]}`
	if string(f.Result) != want {
		t.Errorf("%s %+v", f.Result, f.Failed)
	}
}

func TestEndOfStdinEndsTheBox(t *testing.T) {
	for name, text := range map[string]string{
		"waiting": "import time\nprint('up', flush=True)\ntime.sleep(1000)",
		"busy":    "print('up', flush=True)\nwhile True: pass",
		"daemon":  "import os, time\nif os.fork() == 0: os.setsid()\nprint('up', flush=True)\ntime.sleep(1000)",
		"full":    "import os\nwhile True: os.write(1, b'up' * 1000)",
	} {
		t.Run(name, func(t *testing.T) {
			stdin, stdout, cmd := stdio(t)
			s, err := Open(t.Context(), stdin, stdout, Boot{})
			if err != nil {
				t.Fatal(err)
			}
			up := make(chan struct{}, 1)
			r := &recorder{}
			h := r.handler()
			h.Stdout = func([]byte) {
				select {
				case up <- struct{}{}:
				default:
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			go func() { <-up; cancel() }()
			if _, err := s.Run(ctx, job(text), h); err != context.Canceled {
				t.Errorf("run: %v", err)
			}
			select {
			case <-s.Done():
			default:
				t.Error("the session isn't over")
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("the box: %v", err)
			}
		})
	}
}

// cpu returns the clock ticks of the interpreters among a process's descendants. airlock-init isn't
// frozen, so it doesn't count.
func cpu(t *testing.T, root int) int {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	parent, ticks := map[int]int{}, map[int]int{}
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		pid, _ := strconv.Atoi(strings.Split(path, "/")[2])
		name, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		parent[pid], _ = strconv.Atoi(fields[1])
		if !strings.Contains(name, "(python") {
			continue
		}
		user, _ := strconv.Atoi(fields[11])
		system, _ := strconv.Atoi(fields[12])
		ticks[pid] = user + system
	}
	sum := 0
	for pid := range ticks {
		for at := pid; at > 1; at = parent[at] {
			if at == root {
				sum += ticks[pid]
				break
			}
		}
	}
	return sum
}

func TestFreeze(t *testing.T) {
	stdin, stdout, cmd := stdio(t)
	s, err := Open(t.Context(), stdin, stdout, Boot{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r := &recorder{}
	r.llm = func(ctx context.Context, q wire.LLMRequest) (wire.LLMReply, error) {
		for range 3 {
			if err := s.Freeze(ctx, true); err != nil {
				return wire.LLMReply{}, err
			}
			before := cpu(t, cmd.Process.Pid)
			time.Sleep(300 * time.Millisecond)
			if after := cpu(t, cmd.Process.Pid); after-before > 1 {
				t.Errorf("frozen, and used %d ticks", after-before)
			}
			if err := s.Freeze(ctx, false); err != nil {
				return wire.LLMReply{}, err
			}
			before = cpu(t, cmd.Process.Pid)
			for cpu(t, cmd.Process.Pid) == before {
				time.Sleep(10 * time.Millisecond)
			}
		}
		return wire.LLMReply{Text: "thawed"}, nil
	}
	outcome, err := s.Run(t.Context(), job(`
import os, threading, time
def burn():
    while True: pass
for _ in range(3): threading.Thread(target=burn, daemon=True).start()
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        while True:
            if os.fork() == 0: os._exit(0)
            os.wait()
set_result(llm.complete("?"))`), r.handler())
	if err != nil || string(outcome.Result) != `"thawed"` {
		t.Errorf("%v %+v", err, outcome)
	}
}

func TestFreezeOfAnIdleBox(t *testing.T) {
	s := open(t)
	for _, on := range []bool{true, false, true, true, false} {
		if err := s.Freeze(t.Context(), on); err != nil {
			t.Fatal(err)
		}
	}
	if outcome, err := s.Run(t.Context(), job("set_result(1)"), (&recorder{}).handler()); err != nil ||
		string(outcome.Result) != "1" {
		t.Errorf("%v %+v", err, outcome)
	}
	if err := s.Freeze(t.Context(), true); err == nil {
		t.Error("froze a box that is gone")
	}
}

func TestOneRunPerSession(t *testing.T) {
	s := open(t)
	if _, err := s.Run(t.Context(), job("pass"), (&recorder{}).handler()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run(t.Context(), job("pass"), (&recorder{}).handler()); !errors.Is(err, ErrUsed) ||
		!errors.Is(err, ErrNotStarted) {
		t.Errorf("%v", err)
	}
}

func TestDoneTellsThatAnIdleBoxDied(t *testing.T) {
	stdin, stdout, cmd := stdio(t)
	s, err := Open(t.Context(), stdin, stdout, Boot{})
	if err != nil {
		t.Fatal(err)
	}
	_ = cmd.Process.Kill()
	select {
	case <-s.Done():
	case <-time.After(5 * time.Second):
		t.Error("nobody noticed")
	}
	s.Close()
	if _, err := s.Run(t.Context(), job("pass"), (&recorder{}).handler()); !errors.Is(err, ErrLost) ||
		!errors.Is(err, ErrNotStarted) {
		t.Errorf("%v", err)
	}
}

func TestBoxKilledWhileRunning(t *testing.T) {
	stdin, stdout, cmd := stdio(t)
	s, err := Open(t.Context(), stdin, stdout, Boot{})
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{}
	h := r.handler()
	// the question comes behind the result; output has a way of its own
	h.LLM = func(ctx context.Context, _ wire.LLMRequest) (wire.LLMReply, error) {
		_ = cmd.Process.Kill()
		<-ctx.Done()
		return wire.LLMReply{}, context.Cause(ctx)
	}
	outcome, err := s.Run(t.Context(), job("set_result(1)\nllm.complete('now')"), h)
	if err != ErrLost || errors.Is(err, ErrNotStarted) || string(outcome.Result) != "1" {
		t.Errorf("%v %+v", err, outcome)
	}
}

func TestReady(t *testing.T) {
	ready := open(t).Ready()
	again := open(t).Ready()
	for _, name := range []string{"json", "_io", "math", "yaml"} { // a package, a built-in module, a library, one of a distribution
		if !slices.Contains(ready.Modules, name) {
			t.Errorf("the module %s is not among %q", name, ready.Modules)
		}
	}
	if !reflect.DeepEqual(ready, again) || len(ready.Installed) == 0 || ready.Runner != RunnerDigest() ||
		!strings.HasPrefix(ready.Python, "3.") {
		t.Errorf("%+v, then %+v", ready, again)
	}
}

func TestRunnerIsCompiledOnce(t *testing.T) {
	compiler := openWith(t, Boot{Compile: true})
	code := compiler.Ready().Code
	if len(code) < 1000 {
		t.Fatalf("%d bytes of code", len(code))
	}
	if _, err := compiler.Run(t.Context(), job("pass"), (&recorder{}).handler()); !errors.Is(err, ErrUsed) {
		t.Errorf("a script for a box that compiled for others: %v", err)
	}
	other := bytes.Clone(code)
	other[0]++ // of another version of Python
	for name, tt := range map[string]struct {
		given    []byte
		compiled bool
	}{
		"nothing": {nil, true}, "its own": {code, false}, "another version's": {other, true},
		"cut": {code[:len(code)/2], true}, "a stump": {code[:4], true}, "too short": {code[:3], true},
	} {
		s := openWith(t, Boot{Code: tt.given})
		if got := s.Ready(); got.Compiled != tt.compiled || got.Code != nil || got.Runner != compiler.Ready().Runner {
			t.Errorf("%s: %v, %d bytes of code", name, got.Compiled, len(got.Code))
		}
		outcome, err := s.Run(t.Context(), job("import decimal\nset_result([inputs, decimal.Decimal('1.10')])"),
			(&recorder{}).handler())
		if err != nil || string(outcome.Result) != `[null,"1.10"]` {
			t.Errorf("%s: %v %+v", name, err, outcome)
		}
	}
}

// TestBoxThatCompilesTakesNoScript: airlock-init itself refuses a script, so no mistake of the
// engine can mix scripts with later boxes' code.
func TestBoxThatCompilesTakesNoScript(t *testing.T) {
	s := openWith(t, Boot{Compile: true})
	s.mu.Lock()
	s.state = waiting // an engine that forgot
	s.mu.Unlock()
	r := &recorder{}
	if outcome, err := s.Run(t.Context(), job("print('here')"), r.handler()); !errors.Is(err, ErrLost) ||
		r.stdout.String() != "" {
		t.Errorf("%v %q %+v", err, r.stdout.String(), outcome)
	}
}

func TestSecretsStayOutOfProc(t *testing.T) {
	f := script(t, `
import os
hits = []
for pid in filter(str.isdigit, os.listdir("/proc")):
    for name in ("cmdline", "environ"):
        try:
            if b"s3cr3t" in open("/proc/%s/%s" % (pid, name), "rb").read(): hits.append([pid, name])
        except OSError: pass
set_result([hits, os.listdir("/tmp")])`)
	if string(f.Result) != `[[],["script.py",".airlock"]]` {
		t.Errorf("%s", f.Result)
	}
}

func TestManyStatuses(t *testing.T) {
	for code := 0; code < 256; code += 17 {
		if f := script(t, fmt.Sprintf("import os\nos._exit(%d)", code)); f.Exited != (wire.Exited{Code: code}) {
			t.Errorf("%d: %+v", code, f.Exited)
		}
	}
	for _, signal := range []int{1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 31, 34, 64} {
		f := script(t, fmt.Sprintf("import os, signal\nsignal.signal(%d, signal.SIG_DFL) if %[1]d != 9 else "+
			"None\nos.kill(os.getpid(), %[1]d)\nimport time\ntime.sleep(10)", signal))
		if f.Exited != (wire.Exited{Code: -1, Signal: signal}) {
			t.Errorf("%d: %+v", signal, f.Exited)
		}
	}
}
