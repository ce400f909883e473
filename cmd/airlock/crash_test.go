package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins/docker/dockertest"
	"github.com/computclaw/airlock/plugins/ssh/sshtest"
)

var (
	rounds = flag.Int("rounds", 24, "faults of TestNothingAcceptedIsLost")
	seed   = flag.Uint64("seed", 0, "of TestNothingAcceptedIsLost; 0: another one each time")
)

// restEvery is after how many faults everything is brought to rest and looked at as a whole.
const restEvery = 100

// mostMisses is how often a fault may hit nothing more than it hits something.
const mostMisses = 8

// TestNothingAcceptedIsLost breaks the whole program at random moments under load, in every way that faults lists, each at least once in a run of as many rounds, and checks what it promised: an execution that got a 202 ends, its
// script is started at most once, its end never changes, credentials stay as they were set, the database is sound, and nothing is left on the host. See the Makefile's crash for a long run.
func TestNothingAcceptedIsLost(t *testing.T) {
	if !inNamespaces(t) {
		return
	}
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d", *seed)
	c := newCrash(t)
	var deck []fault
	for round := 0; round < *rounds && !t.Failed(); {
		if len(deck) == 0 { // so that each comes equally often
			deck = faults()
			c.random.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
		}
		one := deck[0]
		deck = deck[1:]
		c.while(500 * time.Millisecond)
		start := time.Now()
		hit := one.strike(c)
		eventually(t, 90*time.Second, "it works again after: "+one.name, c.works)
		t.Logf("round %d: %s, %s, hit: %t", round, one.name, time.Since(start).Round(time.Millisecond), hit)
		if !hit { // it is tried again, and does not count
			deck = append(deck, one)
			if c.misses[one.name]++; c.misses[one.name] > mostMisses+c.hits[one.name] {
				t.Errorf("%s: missed %d times, hit %d times", one.name, c.misses[one.name], c.hits[one.name])
			}
			continue
		}
		c.hits[one.name]++
		if round++; round%restEvery == 0 && round < *rounds {
			c.rest()
			c.in.start()
			c.load.begin()
		}
	}
	c.rest()
	c.report()
}

// crash is an instance that is broken again and again, with everything around it.
type crash struct {
	t          *testing.T
	in         *testServer
	machine    *sshtest.Machine
	engine     *dockertest.Engine
	tmp        string // for temporary files of the server and of boxes
	random     *rand.Rand
	load       *crashLoad
	witness    *witness
	profiles   map[string]string // by backend
	label      string
	mounts     int
	files      []string       // in the data directory
	hits       map[string]int // by fault
	misses     map[string]int
	orphans    []string // containers that outlived their server
	unattended bool     // the engine died with the server, so that nobody ended what runs in containers
}

func newCrash(t *testing.T) *crash {
	// What loses its parent becomes ours, so that nothing gets out of sight.
	must(t, unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
	c := &crash{t: t, random: rand.New(rand.NewPCG(*seed, 1)), profiles: map[string]string{}, hits: map[string]int{}, misses: map[string]int{}}
	newWorld(t)
	c.machine = sshtest.New(t, sshtest.Options{})
	var docker []string
	c.engine, docker = dockerSettings(t)
	c.witness = newWitness(t)
	c.tmp = publicDir(t)
	c.in = newInstance(t, append(append(docker, sshSettings(c.machine)...), "TMPDIR="+c.tmp, "AIRLOCK_PLUGIN_LANDLOCK_TMP="+c.tmp, "AIRLOCK_SANDBOX="+strings.Join(everywhere(), ","), "AIRLOCK_LOCAL_SERVICES="+c.witness.services,
		"AIRLOCK_POOL=1", "AIRLOCK_WORKERS=4", "AIRLOCK_LLM_WAIT=5s", "AIRLOCK_TIMEOUT_DEFAULT=20s", "AIRLOCK_TIMEOUT_MAX=20s", "AIRLOCK_LIMIT_MEMORY=128MiB", "AIRLOCK_LIMIT_TMP=8MiB")...)
	shell(t, "mount", "-t", "tmpfs", "-o", "mode=700,"+roomy, "airlock-crash", c.in.dir)
	t.Cleanup(func() { _ = syscall.Unmount(c.in.dir, syscall.MNT_DETACH) })
	c.mounts = lines(t, "/proc/self/mountinfo")
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s", c.logTail())
		}
		c.in.stop()
	})
	c.in.start()
	c.label = labelOf(t, c.in)
	c.setToken()
	c.in.allReady(everywhere()...)
	for _, name := range everywhere() {
		c.profiles[name] = c.in.placed(name, "--key", "TOKEN", "--host", "witness.test:80")
	}
	c.files = c.dataFiles()
	c.load = newLoad(c, *seed)
	c.load.begin()
	t.Cleanup(c.load.end)
	return c
}

// publicDir makes a directory like /tmp.
func publicDir(t *testing.T) string {
	dir, err := os.MkdirTemp("/tmp", "crash-") // t.TempDir's parent is closed to the uids of boxes
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	must(t, os.Chmod(dir, 0o777|os.ModeSticky))
	return dir
}

// while lets the load go on for a random time.
func (c *crash) while(most time.Duration) {
	time.Sleep(time.Duration(c.random.Int64N(int64(most))))
}

// works reports whether the server answers and can run scripts.
func (c *crash) works() bool {
	answers, full := c.health()
	return answers && !full && c.in.ready()
}

// health is what the server says of itself: whether it does at all, and whether its disk is full.
func (c *crash) health() (answers, full bool) {
	var health struct{ Full bool }
	answers = c.in.call(http.MethodGet, "/health", nil, &health) == http.StatusOK
	return answers, health.Full
}

// rest ends the load, lets everything end and looks at it. The server is stopped afterwards.
func (c *crash) rest() {
	c.t.Helper()
	c.load.end()
	c.load.settle()
	c.in.admin("", "audit", "verify")
	c.check()
	c.useToken()
	c.swept()
	c.stop(unix.SIGTERM)
	c.nothingLeft()
}

// check asks SQLite about the file.
func (c *crash) check() {
	c.t.Helper()
	if bad := c.in.count("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'"); bad > 0 {
		c.t.Errorf("the database has %d defects", bad)
	}
	if bad := c.in.count("SELECT count(*) FROM pragma_foreign_key_check"); bad > 0 {
		c.t.Errorf("%d rows refer to nothing", bad)
	}
}

// stop ends the server, which has to obey within its own limits, and waits.
func (c *crash) stop(signal syscall.Signal) {
	c.t.Helper()
	ended := make(chan error, 1)
	_ = c.in.server.Process.Signal(signal)
	go func() { ended <- c.in.server.Wait() }()
	select {
	case err := <-ended:
		if signal == unix.SIGTERM && err != nil {
			c.t.Errorf("the server was told to end and ended with %v\n%s", err, c.logTail())
		}
	case <-time.After(90 * time.Second):
		_ = c.in.server.Process.Kill()
		c.t.Fatalf("the server did not end\n%s", c.logTail())
	}
}

// logTail is the end of the log without its requests.
func (c *crash) logTail() string {
	log, _ := os.ReadFile(c.in.log)
	var kept []string
	for line := range strings.Lines(string(log)) {
		if !strings.Contains(line, `"msg":"request","method"`) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept[max(0, len(kept)-60):], "")
}

// nothingLeft looks at the host after the server has ended. An engine that is killed loses shims, without a container in them, and their empty control groups: those are its own affair.
func (c *crash) nothingLeft() {
	c.t.Helper()
	var left []string
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		left = slices.Concat(c.strays(), c.machine.Boxes(), c.engine.Containers(c.t, "airlock.instance"), c.engine.Processes(), groupsWith(c.t, func(path string) bool { return ofInstance(path, c.label) }))
		for _, pattern := range []string{c.in.dir + "/sandbox/*/*", c.in.dir + "/sockets/*", c.tmp + "/*", c.machine.Home() + "/airlock-*"} {
			paths, err := filepath.Glob(pattern)
			must(c.t, err)
			left = append(left, paths...)
		}
		if len(left) == 0 {
			break
		}
	}
	for _, what := range left {
		c.t.Errorf("left: %s", what)
	}
	if n := lines(c.t, "/proc/self/mountinfo"); n > c.mounts {
		c.t.Errorf("%d mounts, %d before", n, c.mounts)
	}
	for _, name := range c.dataFiles() {
		if !slices.Contains(c.files, name) {
			c.t.Errorf("left in the data directory: %s", name)
		}
	}
}

func (c *crash) dataFiles() []string {
	entries, err := os.ReadDir(c.in.dir)
	must(c.t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// strays are all processes below this test but the server's own ones, the machine's and the engine's. A container in which nothing was started yet when its server died stays until
// the next server sweeps it, which swept sees to, and so does one that was just being started when the engine died too.
func (c *crash) strays() []string {
	var found []string
	var unattended []int
	if c.unattended {
		unattended = c.contained()
	}
	for _, p := range under(c.t, os.Getpid()) {
		fields, err := statOf(p.pid)
		if err != nil || fields[0] == "Z" || p.pid == c.in.server.Process.Pid || c.machine.Hosts(fmt.Sprint(p.pid)) || c.engine.Hosts(p.pid) || strings.HasPrefix(p.line, "runc init") || slices.Contains(unattended, p.pid) {
			continue
		}
		found = append(found, fmt.Sprintf("%d %s", p.pid, p.line))
	}
	return found
}

// report says what happened, and fails if a fault never hit anything.
func (c *crash) report() {
	c.t.Logf("hits: %v; misses: %v", c.hits, c.misses)
	for _, f := range faults() {
		if c.hits[f.name] == 0 && *rounds >= len(faults()) {
			c.t.Errorf("%s: never hit anything", f.name)
		}
	}
	c.load.report()
}
