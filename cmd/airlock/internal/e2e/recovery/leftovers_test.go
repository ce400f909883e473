package recovery_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
	"github.com/computclaw/airlock/plugins/docker/dockertest"
	"github.com/computclaw/airlock/plugins/ssh/sshtest"
)

var (
	runs  = flag.Int("runs", 40, "executions of TestNothingIsLeft")
	boxes = flag.String("box", "template",
		"how bubblewrap makes the boxes of TestNothingIsLeft and TestNothingAcceptedIsLost: template or fresh")
)

// messes returns scripts that end in every way and leave what they can, with their expected ends.
func messes() []mess {
	return []mess{
		{"ends well", "print('x' * 10000)\nset_result(1)", 20, `^completed 1$`},
		{"fails", "raise ValueError('no')", 20, `^error ValueError: no$`},
		{"leaves daemons", "import os, time\nfor _ in range(3):\n    if os.fork() == 0:\n        os.setsid()\n        if " +
			"os.fork() == 0: time.sleep(1000)\n        os._exit(0)\nset_result(1)", 20, `^completed 1$`},
		{"takes all memory", "x = []\nwhile True: x.append(bytearray(b'1') * (8 << 20))", 20, `^error .*[mM]emory`},
		{"never ends", "while True: pass", 1, `^timeout the script ran longer than its timeout of 1 s `},
		{"sleeps", "import time\ntime.sleep(1000)", 1, `^timeout the script ran longer than its timeout of 1 s `},
		{"is cancelled", "import os, time\nos.fork()\ntime.sleep(1000)", 60, `^cancelled cancelled by the agent$`},
		{"asks", "set_result(llm.complete('go on?'))", 20, `^completed "yes"$`},
		{"asks in vain", "llm.complete('never answered')", 20, `^timeout no answer came to the question `},
		{"fills tmp", "i = 0\nwhile True:\n    open(str(i), 'wb').write(b'x' * (1 << 20))\n    i += 1", 20,
			`^error .*(Errno 28|temporary files)`},
		{"leaves files", "import os\nfor i in range(500):\n    os.makedirs('d%d/e' % i)\n    open('d%d/e/f' % i, " +
			"'w').write('x')\nos.chmod('d1', 0)\nset_result(1)", 20, `^completed 1$`},
		{"kills itself", "import os\nos.kill(os.getpid(), 9)", 20, `^error the script was ended by signal 9 `},
		{"forks without end", "import os\nwhile True: os.fork()", 5, `^(error|timeout) `},
		{"floods", "while True: print('x' * 100000)", 20, `^error the script printed more than `},
		{"holds connections", "import socket, threading, time\nheld = [socket.create_connection(('allowed.test', 8080), " +
			"10) for _ in range(5)]\nset_result(len(held))", 20, `^completed 5$`},
		{"closes everything", "import os\nos.closerange(0, 256)\nos._exit(0)", 20, `^(completed null$|error )`},
		{"leaves pairs and pipes",
			"import os, socket\nheld = [socket.socketpair() for _ in range(10)] + [os.pipe() for _ in range(10)]\nset_result(1)",
			20, `^completed 1$`},
	}
}

type mess struct {
	name, script string
	timeout      time.Duration // in seconds
	ends         string        // what its status and then its result or error are like
}

// TestNothingIsLeft runs many executions in random order on all backends at once. Afterwards no
// process, mount, control group, container, socket or temporary file is new. Server and plugins
// hold no more descriptors, nor much memory. See the Makefile's leftovers for a long run.
func TestNothingIsLeft(t *testing.T) {
	if !e2e.InNamespaces(t) {
		return
	}
	w := e2e.NewWorld(t)
	engine, env := e2e.DockerSettings(t)
	machine := sshtest.New(t, sshtest.Options{})
	env = append(append(env, e2e.SSHSettings(machine)...), "AIRLOCK_LOCAL_SERVICES="+w.Services,
		"AIRLOCK_SANDBOX="+strings.Join(e2e.Backends(), ","),
		"AIRLOCK_BOX="+*boxes, "AIRLOCK_POOL=0", "AIRLOCK_WORKERS=4", "AIRLOCK_LLM_WAIT=2s", "AIRLOCK_LIMIT_MEMORY=128MiB", "AIRLOCK_LIMIT_TMP=8MiB")
	h := &environment{in: e2e.StartInstance(t, env...), engine: engine, machine: machine}
	h.label = e2e.LabelOf(t, h.in)
	h.in.AllReady(e2e.Backends()...)
	profiles := map[string]string{}
	for _, name := range e2e.Backends() {
		profiles[name] = h.in.PlaceProfile(name, "--host", "allowed.test:8080")
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, seed))
	type task struct {
		mess
		backend string
	}
	var tasks []task
	for i := range max(*runs, 20) {
		// 17 and 4 have no divisor in common
		tasks = append(tasks, task{messes()[i%len(messes())], e2e.Backends()[i%len(e2e.Backends())]})
	}
	random.Shuffle(len(tasks), func(i, j int) { tasks[i], tasks[j] = tasks[j], tasks[i] })
	do := func(tasks []task) {
		next := make(chan task)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for one := range next {
					x := h.run(profiles[one.backend], one.mess)
					if end := fmt.Sprintf("%s %s%s", x.Status, x.Result, x.Error); !regexp.MustCompile(one.ends).MatchString(end) {
						t.Errorf("%s on %s: %.500s", one.name, one.backend, end)
					}
				}
			})
		}
		for _, one := range tasks {
			next <- one
		}
		close(next)
		wg.Wait()
	}
	warmUp := len(tasks) / 4
	do(tasks[:warmUp])
	before := h.count(t)
	start := time.Now()
	do(tasks[warmUp:])
	t.Logf("%d executions in %s", len(tasks)-warmUp, time.Since(start).Round(time.Second))
	after := h.count(t)
	for what, n := range after {
		slack := 0
		switch {
		case strings.HasPrefix(what, "memory"):
			// KiB: cached database pages, and memory that the allocator holds back
			slack = 48 << 10
		case strings.HasPrefix(what, "descriptors"), what == "Unix sockets":
			// idle connections to the Docker engine: two sockets each, with the engine's own
			slack = 8
		}
		t.Logf("%-28s %8d, was %8d", what, n, before[what])
		if n > before[what]+slack {
			t.Errorf("%s: %d, %d before", what, n, before[what])
		}
	}
}

// environment is everything that executions could leave something in.
type environment struct {
	in      *e2e.Instance
	engine  *dockertest.Engine
	machine *sshtest.Machine
	label   string // in the names of what is this instance's
}

// run takes one execution to its end.
func (h *environment) run(profile string, m mess) e2e.Execution {
	x := h.in.Submit(profile, m.script, m.timeout*time.Second)
	switch m.name {
	case "is cancelled":
		e2e.Eventually(h.in.T, time.Minute, "it runs", func() bool {
			h.in.Call(http.MethodGet, "/executions/"+x.ID, nil, &x)
			return x.Status == "running" || x.Terminal()
		})
		h.in.Call(http.MethodPost, "/executions/"+x.ID+"/cancel", nil, nil)
	case "asks":
		e2e.Eventually(h.in.T, time.Minute, "it asks", func() bool {
			h.in.Call(http.MethodGet, "/executions/"+x.ID, nil, &x)
			if x.Status == "awaiting_llm" {
				h.in.Call(http.MethodPost, "/executions/"+x.ID+"/respond", map[string]any{"response": "yes"}, nil)
			}
			return x.Terminal()
		})
	}
	return h.in.Await(x, 3*time.Minute)
}

// count waits for short-lived things to go, and counts all possible leftovers.
func (h *environment) count(t *testing.T) map[string]int {
	t.Helper()
	var found []string
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		found = slices.Concat(h.in.Descendants(), h.machine.Boxes(), h.engine.Containers(t, "airlock.instance"),
			h.engine.Shims(), h.groups(t))
		for _, pattern := range []string{h.in.Dir + "/sandbox/*/*", "/tmp/airlock." + h.label + ".*",
			h.machine.Home() + "/.cache/airlock/*.part-*"} {
			paths, err := filepath.Glob(pattern)
			e2e.Must(t, err)
			found = append(found, paths...)
		}
		if len(found) == 0 || time.Now().After(deadline) {
			break
		}
	}
	for _, what := range found {
		t.Errorf("left: %s", what)
	}
	counts := map[string]int{
		"mounts":               e2e.Lines(t, "/proc/self/mountinfo"),
		"mounts of the engine": e2e.Lines(t, fmt.Sprintf("/proc/%d/mountinfo", h.engine.PID())),
		"Unix sockets":         e2e.Lines(t, "/proc/self/net/unix"), "listeners": h.listeners(t),
	}
	for _, p := range append(h.in.Processes(), e2e.Process{PID: h.in.Server.Process.Pid, Line: "serve"}) {
		name := strings.Join(strings.Fields(p.Line)[max(0, len(strings.Fields(p.Line))-2):], " ")
		fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.PID))
		e2e.Must(t, err)
		counts["descriptors of "+name], counts["memory of "+name] = len(fds), e2e.Resident(t, p.PID)
	}
	return counts
}

func (h *environment) groups(t *testing.T) []string {
	return e2e.GroupsWith(t, func(path string) bool {
		return e2e.OfBox(path, h.label) || filepath.Base(filepath.Dir(path)) == h.engine.Name()
	})
}

func (h *environment) listeners(t *testing.T) int {
	text, err := os.ReadFile("/proc/self/net/tcp")
	e2e.Must(t, err)
	return strings.Count(string(text), " 0A ")
}
