package hostile_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// stateScript returns a process's state, without what always differs.
const stateScript = `
import gc, os, resource, signal, sys, threading, time
import fcntl, multiprocessing, socket, ctypes  # of these a template has some, hidden from scripts

def read(path):
    with open(path) as file:
        return file.read()

def deepest(n=0):
    try:
        return deepest(n + 1)
    except RecursionError:
        return n

def descriptor(fd):
    return os.readlink("/proc/self/fd/" + fd).partition(":")[0], os.get_inheritable(int(fd))

first = threading.main_thread()
listed = [fd for fd in sorted(os.listdir("/proc/self/fd"), key=int) if os.path.exists("/proc/self/fd/" + fd)]
status = dict(line.split(":\t", 1) for line in read("/proc/self/status").splitlines() if ":\t" in line)
points = [line.split() for line in read("/proc/self/mountinfo").splitlines()]
set_result({
    "arguments": [sys.argv, sys.path, sys.flags, sys.warnoptions, sys.executable, sys.orig_argv[:-1]],
    "hash": [hash("airlock"), hash(b"airlock")],
    "depth": deepest(), "collections": [gc.get_threshold(), gc.isenabled()],
    "first thread": [first is threading.current_thread(), first.native_id == os.getpid(),
        threading.get_native_id() == os.getpid(), len(threading.enumerate()), len(os.listdir("/proc/self/task"))],
    "parent": [os.getppid(), os.getsid(0) == os.getpid(), os.getpgrp() == os.getpid()],
    "processes": len([p for p in os.listdir("/proc") if p.isdigit()]),
    "descriptors": {fd: descriptor(fd) for fd in listed if int(fd) < 5}, "count": len(listed),
    "blocking": [os.get_blocking(fd) for fd in range(3)], "end": sys.stdin.read(),
    "streams": [[s.encoding, s.errors, s.line_buffering, s.isatty(), s.newlines, s.name, s.mode]
        for s in (sys.stdin, sys.stdout, sys.stderr)],
    "environment": sorted(os.environ), "order": [k for k in os.environ if k.endswith("THREADS")],
    "signals": {s.name: str(signal.getsignal(s)) for s in signal.Signals}, "mask": len(signal.pthread_sigmask(0, [])),
    "alarm": signal.getitimer(signal.ITIMER_REAL), 
    "limits": [line for line in read("/proc/self/limits").splitlines() if "Max processes" not in line],  # one is bwrap
    "places": [os.getcwd(), sorted(os.listdir(".")), sorted(os.listdir("/")), sorted(os.listdir("/etc"))],
    "modes": [oct(os.stat(p).st_mode) for p in ("/", "/etc", "/tmp", "/dev/shm", ".")],
    "mounts": sorted([m[4], m[5], m[m.index("-") + 1]] for m in points),
    "filesystems": [[os.statvfs(p).f_blocks, os.statvfs(p).f_flag] for p in ("/tmp", "/dev/shm")],
    "ids": [os.getresuid(), os.getresgid(), os.getgroups(), read("/proc/self/setgroups")],
    "status": {k: status[k] for k in status if k.startswith(("Cap", "Sig", "Shd", "Sec", "NoNew", "Umask", "NS"))
        and k not in ("NSpid", "NSpgid", "NStgid", "NSsid", "SigQ")},
    "pid 1": [read("/proc/1/cmdline"), os.path.exists("/proc/1/cwd/tmp")],
    "groups": read("/proc/self/cgroup"), "host": socket.gethostname(), "score": read("/proc/self/oom_score_adj"),
    "low ports": read("/proc/sys/net/ipv4/ip_unprivileged_port_start"), "buffers": read("/proc/sys/net/ipv4/tcp_rmem"),
    "processor": time.process_time() < 1, "usage": resource.getrusage(resource.RUSAGE_CHILDREN)[:2],
    "name": read("/proc/self/comm"), "priority": os.getpriority(os.PRIO_PROCESS, 0),
    "hidden": [name in sys.modules for name in ("_ctypes.x", "template")],
    "ctypes": ctypes.CDLL(None).getpid() == os.getpid(),
})`

// TestAForkedInterpreterIsAsAFreshOne compares fresh boxes with boxes from a template, cold and
// warm.
func TestAForkedInterpreterIsAsAFreshOne(t *testing.T) {
	if !e2e.InNamespaces(t) {
		return
	}
	e2e.NewWorld(t)
	in := e2e.StartInstance(t, "AIRLOCK_SANDBOX=bubblewrap", "AIRLOCK_BOX=fresh", "AIRLOCK_POOL=0")
	in.AllReady("bubblewrap")
	profile := in.PlaceProfile("bubblewrap")
	state := func() (found map[string]any) {
		x := complete(t, in, profile, stateScript)
		e2e.Must(t, json.Unmarshal(x.Result, &found))
		return found
	}
	fresh := state()
	for _, pool := range []string{"AIRLOCK_POOL=0", "AIRLOCK_POOL=2"} {
		in.Stop()
		in.Env = append(in.Env, "AIRLOCK_BOX=template", pool)
		in.Start()
		forked(t, in)
		for range 3 {
			if diff := cmp.Diff(fresh, state()); diff != "" {
				t.Errorf("fresh -, template +, %s: %s", pool, diff)
			}
		}
	}
}

var same = flag.Int("same", 10, "executions of TestSameResultFromATemplate, cold and again warm")

// TestSameResultFromATemplate alternates fresh and forked boxes, cold and warm: the result hash is
// the same.
func TestSameResultFromATemplate(t *testing.T) {
	if !e2e.InNamespaces(t) {
		return
	}
	w := e2e.NewWorld(t)
	in := e2e.StartInstance(t, "AIRLOCK_LOCAL_SERVICES="+w.Services, "AIRLOCK_SANDBOX=bubblewrap", "AIRLOCK_BOX=fresh",
		"AIRLOCK_POOL=0")
	in.AllReady("bubblewrap")
	in.Admin("a word", "credential", "set", "WORD", "--mode", "plain")
	profile := in.PlaceProfile("bubblewrap", "--key", "WORD", "--host", "allowed.test:8080")
	fresh := in.PlaceProfile("bubblewrap", "--fresh", "--key", "WORD", "--host", "allowed.test:8080")
	want := runSteady(in, profile).Manifest.Result
	for _, pool := range []string{"AIRLOCK_POOL=0", "AIRLOCK_POOL=2"} {
		in.Stop()
		in.Env = append(in.Env, "AIRLOCK_BOX=template", pool,
			"AIRLOCK_TEMPLATE_IMPORTS=concurrent.futures,email.message,numpy,pandas,ssl,urllib.request")
		in.Start()
		awaitLoaded(t, in, profile, "numpy")
		for i := range *same {
			if x := runSteady(in, []string{profile, fresh}[i%2]); x.Status != "completed" || x.Manifest.Result != want {
				t.Errorf("%s: %s %s %s", pool, x.Status, x.Error, x.Result)
			}
		}
	}
}

// TestATemplateThatDiesCostsNoExecution: the next script runs in a fresh box. Log, metrics and
// Sandbox page say so.
func TestATemplateThatDiesCostsNoExecution(t *testing.T) {
	if !e2e.InNamespaces(t) {
		return
	}
	in, profile := startForked(t, 0)
	for range 2 { // one that died, and none
		for _, pid := range templates(in) {
			e2e.Must(t, syscall.Kill(pid, syscall.SIGKILL))
		}
		complete(t, in, profile, "set_result(1)")
	}
	person := in.Person()
	const sentence = "Boxes start from nothing: the template is not ready."
	if !strings.Contains(in.Monitor("/metrics"), "\nairlock_template_ready 0\n") ||
		!strings.Contains(person.Get(in, "/ui/sandbox"), sentence) {
		t.Error("neither metrics nor page tell of the template")
	}
	e2e.Eventually(t, time.Minute, "the next template is ready", func() bool {
		in.Await(in.Submit(profile, "set_result(1)", time.Minute), time.Minute)
		return strings.Contains(in.Monitor("/metrics"), "\nairlock_template_ready 1\n")
	})
	if strings.Contains(person.Get(in, "/ui/sandbox"), sentence) {
		t.Error("the page says that the template is not ready")
	}
	log, err := os.ReadFile(in.Log)
	e2e.Must(t, err)
	if got := strings.Count(string(log), "a template failed; boxes are opened afresh for 10s"); got != 1 {
		t.Errorf("the log says %d times that a template failed:\n%s", got, log)
	}
}

const layoutScript = `
import json
with open("/proc/self/maps") as file:
    mapped = [line.split("-")[0] for line in file]
set_result([id(json.__doc__), mapped[0], mapped[-1]])`

// TestAProfileMayRequireFreshBoxes: one profile's boxes share the template's addresses, the other's
// are fresh.
func TestAProfileMayRequireFreshBoxes(t *testing.T) {
	if !e2e.InNamespaces(t) {
		return
	}
	in, profile := startForked(t, 1)
	layouts := func(profile string) (seen map[string]int) {
		seen = map[string]int{}
		for range 3 {
			x := complete(t, in, profile, layoutScript)
			seen[string(x.Result)]++
		}
		return seen
	}
	fresh := in.PlaceProfile("bubblewrap", "--fresh")
	if shown := in.Admin("", "profile", "show", fresh); !strings.Contains(shown, "in fresh boxes") {
		t.Errorf("profile show: %s", shown)
	}
	ofTemplate, ofNone := layouts(profile), layouts(fresh)
	if len(ofTemplate) != 1 || len(ofNone) != 3 {
		t.Errorf("layouts of boxes from a template %v, of fresh ones %v", ofTemplate, ofNone)
	}
	for layout := range ofNone {
		if ofTemplate[layout] > 0 {
			t.Errorf("a fresh box has the template's layout %s", layout)
		}
	}
	in.Admin("", "profile", "place", fresh)
	if got := layouts(fresh); len(got) != 1 || !cmp.Equal(got, ofTemplate) {
		t.Errorf("once nothing is required: %v, want %v", got, ofTemplate)
	}
}

// TestAStopLeavesNothingOfATemplate: neither its processes nor its control groups.
func TestAStopLeavesNothingOfATemplate(t *testing.T) {
	if !e2e.InNamespaces(t) {
		return
	}
	in, _ := startForked(t, 1)
	label, started := e2e.LabelOf(t, in), in.Processes()
	in.Stop()
	for _, p := range started {
		if p.IsAlive() {
			t.Errorf("%d %s outlives the server", p.PID, p.Line)
		}
	}
	for _, group := range e2e.GroupsWith(t, func(path string) bool { return e2e.OfInstance(path, label) }) {
		t.Errorf("%s is left", group)
	}
}

// startForked starts a server with a template and pool forked boxes. The profile is locked.
func startForked(t *testing.T, pool int, more ...string) (in *e2e.Instance, profile string) {
	t.Helper()
	e2e.NewWorld(t)
	in = e2e.StartInstance(t, append(more, "AIRLOCK_SANDBOX=bubblewrap", "AIRLOCK_BOX=template",
		fmt.Sprintf("AIRLOCK_POOL=%d", pool))...)
	in.AllReady("bubblewrap")
	forked(t, in)
	return in, in.PlaceProfile("bubblewrap")
}

// complete runs a script, which must complete.
func complete(t *testing.T, in *e2e.Instance, profile, script string) e2e.Execution {
	t.Helper()
	x := in.Await(in.Submit(profile, script, time.Minute), time.Minute)
	if x.Status != "completed" {
		t.Fatalf("%s: %s", x.Status, x.Error)
	}
	return x
}

func forked(t *testing.T, in *e2e.Instance) {
	t.Helper()
	e2e.Eventually(t, time.Minute, "there is a template", func() bool { return len(templates(in)) > 0 })
}

func templates(in *e2e.Instance) (pids []int) {
	for _, p := range in.Processes() {
		if strings.HasSuffix(strings.TrimSpace(p.Line), "/airlock-init template") {
			pids = append(pids, p.PID)
		}
	}
	return pids
}

const chanceScript = `
import multiprocessing, os, random, secrets, ssl, tempfile, uuid
import numpy
set_result({
    "random": random.random(), "generator": random.Random().random(), "system": random.SystemRandom().random(),
    "secrets": secrets.token_hex(), "urandom": os.urandom(8).hex(), "ssl": ssl.RAND_bytes(8).hex(),
    "numpy": numpy.random.random(), "numpy generator": numpy.random.default_rng().random(),
    "numpy seed": str(numpy.random.mtrand._rand._bit_generator._seed_seq.entropy),
    "normal": random.gauss(0, 1), "numpy normal": numpy.random.normal(),
    "uuid": str(uuid.uuid4()), "multiprocessing": bytes(multiprocessing.current_process().authkey).hex(),
    "file": tempfile.mktemp(),
})`

// TestBoxesOfATemplateShareNoRandomness: boxes must not repeat a template's random numbers, with
// loaded modules or without.
func TestBoxesOfATemplateShareNoRandomness(t *testing.T) {
	if !e2e.InNamespaces(t) {
		return
	}
	in, profile := startForked(t, 0, "AIRLOCK_TEMPLATE_IMPORTS=none")
	seen := map[string]bool{}
	for i := range 6 {
		if i == 3 {
			in.Stop()
			in.Env = append(in.Env, "AIRLOCK_TEMPLATE_IMPORTS=multiprocessing,numpy,random,secrets,ssl,tempfile,uuid")
			in.Start()
			awaitLoaded(t, in, profile, "numpy")
		}
		var drawn map[string]json.RawMessage
		x := complete(t, in, profile, chanceScript)
		e2e.Must(t, json.Unmarshal(x.Result, &drawn))
		for from, value := range drawn {
			if key := from + string(value); seen[key] {
				t.Errorf("two boxes drew %s from %s", value, from)
			} else {
				seen[key] = true
			}
		}
	}
}

// reachScript waits at an address that all of a template's boxes have, or wakes the waiters there,
// in any box.
const reachScript = `
import ctypes, json, time
libc = ctypes.CDLL(None, use_errno=True)
address = (id(json.__doc__) + 67) & ~3  # within the text, on a page that boxes share until they write to it
value = ctypes.c_uint32.from_address(address).value
WAIT, WAKE, FUTEX = 0, 1, 202
woken = 0
if inputs["wait"]:
    limit = (ctypes.c_long * 2)(6, 0)
    if libc.syscall(FUTEX, ctypes.c_void_p(address), WAIT, ctypes.c_uint32(value), limit, None, 0) == 0:
        woken = 1
    elif ctypes.get_errno() != 110:
        raise OSError(ctypes.get_errno(), "it didn't wait")
else:
    print("begins", flush=True)
    until = time.monotonic() + 4
    while time.monotonic() < until:
        woken += libc.syscall(FUTEX, ctypes.c_void_p(address), WAKE, 1000, None, None, 0)
        time.sleep(0.01)
set_result({"address": address, "woken": woken})`

// TestBoxesOfATemplateWakeNobody: a futex at an address that they have in common is not in common.
func TestBoxesOfATemplateWakeNobody(t *testing.T) {
	if !e2e.InNamespaces(t) {
		return
	}
	in, profile := startForked(t, 2)
	var both []e2e.Execution
	for _, inputs := range []string{"{'wait': True}", "{'wait': False}"} {
		both = append(both, in.Submit(profile, "inputs = "+inputs+reachScript, time.Minute))
	}
	var found [2]struct{ Address, Woken int64 }
	for i, x := range both {
		x = in.Await(x, time.Minute)
		if x.Status != "completed" {
			t.Fatalf("%s: %s", x.Status, x.Error)
		}
		e2e.Must(t, json.Unmarshal(x.Result, &found[i]))
		if found[i].Woken != 0 {
			t.Errorf("box %d: %d were woken", i, found[i].Woken)
		}
	}
	if found[0].Address != found[1].Address {
		t.Errorf("the boxes are of different templates: %x, %x", found[0].Address, found[1].Address)
	}
}

// TestTheGuestsOfATemplateEndWithIt, and it with them: neither is left without the other.
func TestTheGuestsOfATemplateEndWithIt(t *testing.T) {
	if !e2e.InNamespaces(t) {
		return
	}
	in, profile := startForked(t, 1)
	before := in.Processes()
	for _, p := range before {
		if strings.HasSuffix(strings.TrimSpace(p.Line), "/airlock-init guests") {
			e2e.Must(t, syscall.Kill(p.PID, syscall.SIGKILL))
		}
	}
	e2e.Eventually(t, 20*time.Second, "the template and its boxes ended", func() bool {
		for _, p := range before {
			if strings.Contains(p.Line, "airlock-init") && p.IsAlive() {
				return false
			}
		}
		return true
	})
	complete(t, in, profile, "set_result(1)")
}

// TestHoleABoxTakesNoDescriptorsOfOthers: waiting resolver connections stay in the box, outside the
// shared process.
func TestHoleABoxTakesNoDescriptorsOfOthers(t *testing.T) {
	if !e2e.InNamespaces(t) {
		return
	}
	in, profile := startForked(t, 1)
	x := in.Submit(profile, `
import socket
opened = [socket.create_connection(("127.0.0.1", 53)) for _ in range(200)]
llm.complete("all are open")`, time.Minute)
	waits(t, in, x)
	if n := descriptors(t, guests(t, in)); n > 150 {
		t.Errorf("the guests have %d descriptors", n)
	}
}

// TestHoleAFailingBoxEndsNoOther: when no descriptor is left for a box, the others of its template
// go on.
func TestHoleAFailingBoxEndsNoOther(t *testing.T) {
	if !e2e.InNamespaces(t) {
		return
	}
	in, profile := startForked(t, 0)
	first := in.Submit(profile, `set_result(llm.complete("go on"))`, time.Minute)
	waits(t, in, first)
	serving := guests(t, in)
	none := unix.Rlimit{Cur: uint64(descriptors(t, serving)), Max: uint64(descriptors(t, serving))}
	e2e.Must(t, unix.Prlimit(serving, unix.RLIMIT_NOFILE, &none, nil))
	if x := in.Await(in.Submit(profile, "set_result(1)", time.Minute), time.Minute); x.Status != "completed" {
		t.Errorf("the box that fails: %s: %s", x.Status, x.Error)
	}
	in.Call(http.MethodPost, "/executions/"+first.ID+"/respond", map[string]string{"response": "yes"}, nil)
	if x := in.Await(first, time.Minute); x.Status != "completed" || string(x.Result) != `"yes"` {
		t.Errorf("the other: %s: %s, %s", x.Status, x.Error, x.Result)
	}
}

// waits returns when an execution waits for an answer.
func waits(t *testing.T, in *e2e.Instance, x e2e.Execution) {
	t.Helper()
	e2e.Eventually(t, time.Minute, "the script waits", func() bool {
		in.Call(http.MethodGet, "/executions/"+x.ID, nil, &x)
		return x.Status == "awaiting_llm" || x.Terminal()
	})
	if x.Terminal() {
		t.Fatalf("%s: %s", x.Status, x.Error)
	}
}

func guests(t *testing.T, in *e2e.Instance) int {
	t.Helper()
	for _, p := range in.Processes() {
		if strings.HasSuffix(strings.TrimSpace(p.Line), "/airlock-init guests") {
			return p.PID
		}
	}
	t.Fatal("there are no guests")
	return 0
}

func descriptors(t *testing.T, pid int) int {
	t.Helper()
	list, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	e2e.Must(t, err)
	return len(list)
}
