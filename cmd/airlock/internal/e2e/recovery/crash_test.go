package recovery_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
	"github.com/computclaw/airlock/plugins/docker/dockertest"
	"github.com/computclaw/airlock/plugins/ssh/sshtest"
)

var (
	rounds = flag.Int("rounds", 24, "faults of TestNothingAcceptedIsLost")
	seed   = flag.Uint64("seed", 0, "of TestNothingAcceptedIsLost; 0: another one each time")
)

// restEvery is the number of faults between checks at rest.
const restEvery = 100

// mostMisses bounds the ratio of misses to hits of a fault.
const mostMisses = 8

// TestNothingAcceptedIsLost breaks the whole program at random moments under load, in every way of
// faults. Promises: an execution with a 202 ends, its script starts at most once, its end never
// changes. Files with a 201 and artifacts can be read, contents without a row are collected,
// credentials stay as set. The database is sound, and nothing is left on the host. See the
// Makefile's crash for a long run.
func TestNothingAcceptedIsLost(t *testing.T) {
	if !e2e.InNamespaces(t) {
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
		c.look()
		start := time.Now()
		c.striking.Store(&one)
		hit := one.strike(c)
		e2e.Eventually(t, 90*time.Second, "it works again after: "+one.name, c.works)
		c.struck.Store(time.Now().UnixNano())
		c.striking.Store(nil)
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
			c.in.Start()
			c.load.begin()
			c.filesLoad.begin()
		}
	}
	c.calm()
	c.rest()
	c.again()
	c.report()
}

type crash struct {
	t          *testing.T
	in         *e2e.Instance
	machine    *sshtest.Machine
	engine     *dockertest.Engine
	tmp        string // for temporary files of the server and of boxes
	random     *rand.Rand
	load       *crashLoad
	filesLoad  *filesLoad
	strayFiles int // contents without a row that were found
	witness    *e2e.Witness
	profiles   map[string]string // by backend
	label      string
	mounts     int
	files      []string       // in the data directory
	hits       map[string]int // by fault
	misses     map[string]int
	orphans    []string        // containers that outlived their server
	engineless bool            // the engine died with the server, so that nobody ended what runs in containers
	unattended map[int]bool    // what ran in them then, or while there was no engine
	halfMade   map[string]bool // processes of containers that a killed engine left
	seen       map[string]int  // how often there was something that may not be left, by what
	striking   atomic.Pointer[fault]
	struck     atomic.Int64 // when the last fault was over
	noFaults   atomic.Bool  // any more: see calm
}

func newCrash(t *testing.T) *crash {
	// What loses its parent becomes ours, so that nothing gets out of sight.
	e2e.Must(t, unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
	c := &crash{t: t, random: rand.New(rand.NewPCG(*seed, 1)), profiles: map[string]string{}, hits: map[string]int{},
		misses: map[string]int{}, seen: map[string]int{}, unattended: map[int]bool{}, halfMade: map[string]bool{}}
	e2e.NewWorld(t)
	c.machine = sshtest.New(t, sshtest.Options{})
	var docker []string
	c.engine, docker = e2e.DockerSettings(t)
	c.witness = e2e.NewWitness(t)
	c.tmp = e2e.PublicDir(t)
	c.in = e2e.NewInstance(t, append(append(docker, e2e.SSHSettings(c.machine)...), "TMPDIR="+c.tmp,
		"AIRLOCK_PLUGIN_LANDLOCK_TMP="+c.tmp, "AIRLOCK_SANDBOX="+strings.Join(e2e.Backends(), ","),
		"AIRLOCK_LOCAL_SERVICES="+c.witness.Services,
		"AIRLOCK_BOX="+*boxes, "AIRLOCK_POOL=1", "AIRLOCK_WORKERS=4", "AIRLOCK_LLM_WAIT=5s", "AIRLOCK_TIMEOUT_DEFAULT=20s",
		"AIRLOCK_TIMEOUT_MAX=20s", "AIRLOCK_LIMIT_MEMORY=128MiB", "AIRLOCK_LIMIT_TMP=8MiB")...)
	e2e.Shell(t, "mount", "-t", "tmpfs", "-o", "mode=700,"+roomy, "airlock-crash", c.in.Dir)
	t.Cleanup(func() { _ = syscall.Unmount(c.in.Dir, syscall.MNT_DETACH) })
	c.mounts = e2e.Lines(t, "/proc/self/mountinfo")
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s", c.logTail())
		}
		c.in.Stop()
	})
	c.in.Start()
	c.label = e2e.LabelOf(t, c.in)
	c.setToken()
	c.in.AllReady(e2e.Backends()...)
	for _, name := range e2e.Backends() {
		c.profiles[name] = c.in.PlaceProfile(name, "--key", "TOKEN", "--host", "witness.test:80")
	}
	c.files = c.dataFiles()
	c.load = newLoad(c, *seed)
	c.load.begin()
	t.Cleanup(c.load.end)
	c.filesLoad = &filesLoad{c: c}
	c.filesLoad.begin()
	t.Cleanup(c.filesLoad.end)
	return c
}

func (c *crash) while(most time.Duration) {
	time.Sleep(time.Duration(c.random.Int64N(int64(most))))
}

func (c *crash) works() bool {
	answers, full := c.health()
	return answers && !full && c.in.IsReady()
}

// health returns whether the server answers, and whether its disk is full.
func (c *crash) health() (answers, full bool) {
	var health struct{ Full bool }
	answers = c.in.Call(http.MethodGet, "/health", nil, &health) == http.StatusOK
	return answers, health.Full
}

// calm runs the load without faults: everything must complete, on every backend. Otherwise constant
// losses would look like faults.
func (c *crash) calm() {
	c.t.Helper()
	c.in.AllReady(e2e.Backends()...)
	c.noFaults.Store(true)
	time.Sleep(8 * time.Second)
}

// rest ends the load, checks everything and stops the server.
func (c *crash) rest() {
	c.t.Helper()
	c.load.end()
	c.filesLoad.end()
	c.load.settle()
	c.filesLoad.judge()
	c.in.Admin("", "audit", "verify")
	c.check()
	c.useToken()
	c.swept()
	c.stop(unix.SIGTERM)
	c.nothingLeft()
}

// check asks SQLite about the file.
func (c *crash) check() {
	c.t.Helper()
	if bad := c.in.Count("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'"); bad > 0 {
		c.t.Errorf("the database has %d defects", bad)
	}
	if bad := c.in.Count("SELECT count(*) FROM pragma_foreign_key_check"); bad > 0 {
		c.t.Errorf("%d rows refer to nothing", bad)
	}
}

func (c *crash) stop(signal syscall.Signal) {
	c.t.Helper()
	ended := make(chan error, 1)
	_ = c.in.Server.Process.Signal(signal)
	go func() { ended <- c.in.Server.Wait() }()
	select {
	case err := <-ended:
		if signal == unix.SIGTERM && err != nil {
			c.t.Errorf("the server was told to end and ended with %v\n%s", err, c.logTail())
		}
	case <-time.After(90 * time.Second):
		_ = c.in.Server.Process.Kill()
		c.t.Fatalf("the server did not end\n%s", c.logTail())
	}
}

// logTail returns the log's end without its most frequent lines.
func (c *crash) logTail() string {
	log, _ := os.ReadFile(c.in.Log)
	var kept []string
	for line := range strings.Lines(string(log)) {
		if !strings.Contains(line, `"msg":"request","method"`) && !strings.Contains(line, `"msg":"execution ended"`) &&
			!strings.Contains(line, `"msg":"could not start an execution"`) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept[max(0, len(kept)-60):], "")
}

// failures are the log's messages of boxes that failed.
var failures = regexp.MustCompile(`"msg":"(could not start an execution|lost a sandbox|a session broke)"`)

// logOfFailures returns the log's failures of boxes within a second of that moment.
func (c *crash) logOfFailures(at *time.Time) string {
	log, _ := os.ReadFile(c.in.Log)
	var kept strings.Builder
	for line := range strings.Lines(string(log)) {
		var said struct{ Time time.Time }
		if at != nil && failures.MatchString(line) &&
			json.Unmarshal([]byte(line), &said) == nil && said.Time.Sub(*at).Abs() < time.Second {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// nothingLeft checks the host after the server's end. It ignores shims and control groups that a
// killed engine loses.
func (c *crash) nothingLeft() {
	c.t.Helper()
	var left []string
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		left = slices.Concat(slices.Collect(maps.Values(c.traces()))...)
		if len(left) == 0 {
			break
		}
	}
	for _, what := range left {
		c.t.Errorf("left: %s", what)
	}
	if n := e2e.Lines(c.t, "/proc/self/mountinfo"); n > c.mounts {
		c.t.Errorf("%d mounts, %d before", n, c.mounts)
	}
	for _, name := range c.dataFiles() {
		if !slices.Contains(c.files, name) {
			c.t.Errorf("left in the data directory: %s", name)
		}
	}
}

// traces lists a running instance's traces on the host, with an engine's own.
func (c *crash) traces() map[string][]string {
	found := map[string][]string{
		"processes": c.strays(), "boxes on the machine": c.machine.Boxes(),
		"containers": c.engine.Containers(c.t, "airlock.instance"),
		"processes in containers": slices.DeleteFunc(c.engine.Processes(),
			func(process string) bool { return c.halfMade[process] }),
		"control groups": e2e.GroupsWith(c.t, func(path string) bool { return e2e.OfInstance(path, c.label) }),
	}
	for what, pattern := range map[string]string{"files of sandboxes": c.in.Dir + "/sandbox/*/*",
		"sockets": c.in.Dir + "/sockets/*", "temporary files": c.tmp + "/*",
		"files of uploads on the machine": c.machine.Home() + "/.cache/airlock/*.part-*"} {
		paths, err := filepath.Glob(pattern)
		e2e.Must(c.t, err)
		found[what] = paths
	}
	return found
}

// look records which traces occur. A trace that never occurs is sought in the wrong place.
func (c *crash) look() {
	if programs, err := filepath.Glob(c.machine.Home() + "/.cache/airlock/*"); err != nil || len(programs) == 0 {
		c.t.Errorf("uploads to the machine are not where they are looked for: %v", err)
	}
	for what, list := range c.traces() {
		if c.seen[what] += 0; len(list) > 0 {
			c.seen[what]++
		}
	}
}

// again restarts the server: nothing runs twice, and no end changes.
func (c *crash) again() {
	c.t.Helper()
	strays := c.filesLoad.ageStrays()
	c.strayFiles = len(strays)
	c.in.Start()
	c.filesLoad.collected(strays)
	c.in.AllReady(e2e.Backends()...)
	c.load.again()
	c.load.witnessed()
	c.filesLoad.judge()
	c.check()
	c.stop(unix.SIGTERM)
	c.nothingLeft()
}

// unwell reports whether a fault prevents writes, or just did.
func (c *crash) unwell() bool {
	one := c.striking.Load()
	return one != nil && one.disk || one == nil && time.Since(time.Unix(0, c.struck.Load())) < 5*time.Second
}

func (c *crash) dataFiles() []string {
	entries, err := os.ReadDir(c.in.Dir)
	e2e.Must(c.t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// strays returns processes below this test except the server's, the machine's and the engine's. It
// skips containers that only a later server can sweep, see swept. Nothing was started in them yet,
// or the engine died too.
func (c *crash) strays() []string {
	var found []string
	if c.engineless {
		c.noteUnattended()
	}
	for _, p := range e2e.Under(c.t, os.Getpid()) {
		fields, err := e2e.ReadStat(p.PID)
		if err != nil || fields[0] == "Z" || p.PID == c.in.Server.Process.Pid || c.machine.Hosts(fmt.Sprint(p.PID)) ||
			c.engine.Hosts(p.PID) || strings.HasPrefix(p.Line, "runc init") || c.unattended[p.PID] {
			continue
		}
		found = append(found, fmt.Sprintf("%d %s", p.PID, p.Line))
	}
	return found
}

// report prints the faults, and fails if one never hit.
func (c *crash) report() {
	c.t.Logf("hits: %v; misses: %v; seen: %v", c.hits, c.misses, c.seen)
	for what, n := range c.seen {
		if n == 0 && *rounds >= len(faults()) && !strings.HasPrefix(what, "files ") { // those come and go within milliseconds
			c.t.Errorf("no %s were ever seen, so none would have been if they had been left", what)
		}
	}
	for _, f := range faults() {
		if c.hits[f.name] == 0 && *rounds >= len(faults()) {
			c.t.Errorf("%s: never hit anything", f.name)
		}
	}
	c.load.report()
	c.filesLoad.report(c.strayFiles)
}
