package recovery_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
	"github.com/computclaw/airlock/plugins/docker/dockertest"
	"github.com/computclaw/airlock/plugins/ssh/sshtest"
)

var everyMoment = flag.Bool("every-moment", false,
	"TestHoleM4UnluckyStops: each 50 ms of the first 3 s after a start and after a SIGTERM, on all backends")

// stopKind is how the program is stopped.
type stopKind struct {
	name    string
	signal  syscall.Signal
	plugins bool // too
	after   bool // a SIGTERM that came before
}

// leavesToOthers reports whether no survivor can clear away.
func (k stopKind) leavesToOthers() bool { return k.plugins && k.signal == unix.SIGKILL }

func stopKinds() []stopKind {
	return []stopKind{
		{"SIGTERM", unix.SIGTERM, false, false},
		{"SIGKILL", unix.SIGKILL, false, false},
		{"SIGTERM of the plugins too", unix.SIGTERM, true, false},
		{"SIGKILL of the plugins too", unix.SIGKILL, true, false},
		{"a second SIGTERM", unix.SIGTERM, false, true},
		{"SIGKILL after SIGTERM", unix.SIGKILL, false, true},
		{"SIGKILL after SIGTERM, of the plugins too", unix.SIGKILL, true, true},
	}
}

// TestHoleM4UnluckyStops stops the program at unlucky moments of its start, proof and end. A
// survivor must clear what is left. Without one, the next Airlock on this host must, with any data
// directory. See the Makefile's unlucky-stops for all moments and backends.
func TestHoleM4UnluckyStops(t *testing.T) {
	backends := e2e.Backends()[:1]
	starting, stopping := []time.Duration{300 * time.Millisecond, 600 * time.Millisecond},
		[]time.Duration{100 * time.Millisecond}
	if *everyMoment {
		backends, starting = e2e.Backends(), nil
		for moment := time.Duration(0); moment <= 3*time.Second; moment += 50 * time.Millisecond {
			starting = append(starting, moment)
		}
		stopping = starting
	}
	for _, backend := range backends {
		t.Run(backend, func(t *testing.T) {
			if !e2e.InNamespaces(t) {
				return
			}
			e2e.Must(t, unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)) // who loses its parent comes to us
			u := newUnluckyStops(t, backend)
			for _, kind := range stopKinds() {
				moments := starting
				if kind.after {
					moments = stopping
				}
				for _, moment := range moments {
					if !u.stop(kind, moment) {
						break // it ends by itself before that
					}
				}
			}
			u.Finish()
		})
	}
}

// unluckyStops are those of one backend.
type unluckyStops struct {
	t       *testing.T
	backend string
	engine  *dockertest.Engine // nil for backends that need none
	machine *sshtest.Machine   // likewise
	env     []string
	tmp     string              // the program's directory for temporary files
	labels  []string            // of all instances
	files   []string            // that a data directory has after an ordinary end
	before  map[string]int      // counts
	seen    map[string]int      // what there was to leave at the moment of a stop, by kind of trace
	left    map[string][]string // what those left that nobody outlived, by kind of trace
	stops   int
}

func newUnluckyStops(t *testing.T, backend string) *unluckyStops {
	e2e.Shell(t, "ip", "link", "set", "lo", "up")
	tmp, err := os.MkdirTemp("", "stops-") // a socket's path has to be short
	e2e.Must(t, err)
	t.Cleanup(func() { os.RemoveAll(tmp) })
	u := &unluckyStops{t: t, backend: backend, seen: map[string]int{}, left: map[string][]string{}, tmp: tmp}
	u.env = []string{"AIRLOCK_SANDBOX=" + backend, "AIRLOCK_DRAIN=1s", "AIRLOCK_LIMIT_MEMORY=128MiB",
		"AIRLOCK_LIMIT_TMP=8MiB", "TMPDIR=" + u.tmp}
	switch backend {
	case "docker":
		engine, env := e2e.DockerSettings(t)
		u.engine, u.env = engine, append(u.env, env...)
	case "ssh":
		u.machine = sshtest.New(t, sshtest.Options{})
		u.env = append(u.env, e2e.SSHSettings(u.machine)...)
	}
	u.files = u.ordinary()
	u.before = u.counts()
	return u
}

// ordinary starts and ends the program in a new data directory, and returns the files left.
func (u *unluckyStops) ordinary() []string {
	u.t.Helper()
	in := e2e.NewInstance(u.t, u.env...)
	u.t.Cleanup(in.Stop)
	files := u.again(in)
	in.PlaceProfile(u.backend) // a command makes a file of its own there
	return append(files, dataFiles(u.t, in.Dir)...)
}

func (u *unluckyStops) again(in *e2e.Instance) []string {
	u.t.Helper()
	in.Launch()
	e2e.Eventually(u.t, 2*time.Minute, "the sandbox is ready", in.IsReady)
	in.Stop()
	u.note(in)
	u.cleared("an ordinary end")
	return dataFiles(u.t, in.Dir)
}

// note remembers an instance's label, if it has one.
func (u *unluckyStops) note(in *e2e.Instance) {
	if _, err := os.Stat(filepath.Join(in.Dir, "instance.key")); err == nil {
		if label := e2e.LabelOf(u.t, in); !slices.Contains(u.labels, label) {
			u.labels = append(u.labels, label)
		}
	}
}

// stop starts the program and stops it at that moment. It reports whether the stop came before its
// end.
func (u *unluckyStops) stop(kind stopKind, moment time.Duration) bool {
	u.t.Helper()
	what := fmt.Sprintf("%s at %s", kind.name, moment)
	in := e2e.NewInstance(u.t, u.env...)
	u.t.Cleanup(in.Stop)
	in.Launch()
	if kind.after {
		e2e.Eventually(u.t, 2*time.Minute, "the sandbox is ready", in.IsReady)
		profile := in.PlaceProfile(u.backend)
		x := in.Submit(profile, "import time\nwhile True: time.sleep(1)", time.Minute)
		e2e.Eventually(u.t, time.Minute, "it runs", func() bool {
			in.Call("GET", "/executions/"+x.ID, nil, &x)
			return x.Status == "running"
		})
		e2e.Must(u.t, in.Server.Process.Signal(unix.SIGTERM))
	}
	ended := make(chan error, 1)
	go func() { ended <- in.Server.Wait() }()
	select {
	case <-ended:
		if !kind.after {
			log, _ := os.ReadFile(in.Log)
			u.t.Fatalf("%s: it had ended by itself\n%s", what, log)
		}
		u.note(in)
		u.cleared(what)
		return false
	case <-time.After(moment):
	}
	u.stops++
	u.strike(kind, in)
	u.note(in)
	u.look()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		u.t.Errorf("%s: the server did not end", what)
		e2e.Must(u.t, in.Server.Process.Kill())
		<-ended
	}
	if kind.leavesToOthers() {
		u.orphaned(what)
		return true
	}
	// it may have made the sockets' directory, and not yet started whose they are
	if kind.signal == unix.SIGKILL && !kind.after {
		u.cleared(what, "temporary files")
	} else {
		u.cleared(what)
	}
	if kind.signal == unix.SIGKILL { // what is left in the data directory goes with its next start
		left := slices.DeleteFunc(u.again(in), func(name string) bool {
			// Kept: copies of a partly migrated database, and the lock for removing unfinished key
			// files.
			return slices.Contains(u.files, name) || strings.HasPrefix(name, "/pre-migrate-") || name == "/rotate.lock"
		})
		if len(left) > 0 {
			u.t.Errorf("%s, and a start after it: left in the data directory: %v", what, left)
		}
	}
	return true
}

// strike sends the signal, to plugins first, before the server's end tells them.
func (u *unluckyStops) strike(kind stopKind, in *e2e.Instance) {
	if kind.plugins {
		for _, p := range in.Processes() {
			if strings.Contains(p.Line, " plugin ") {
				_ = syscall.Kill(p.PID, kind.signal)
			}
		}
	}
	_ = in.Server.Process.Signal(kind.signal)
}

// traces lists everything that must go, by kind.
func (u *unluckyStops) traces() map[string][]string {
	found := map[string][]string{
		"processes": u.processes(),
		"control groups": e2e.GroupsWith(u.t, func(path string) bool {
			return slices.ContainsFunc(u.labels, func(label string) bool { return e2e.OfInstance(path, label) })
		}),
	}
	patterns := map[string][]string{"temporary files": {u.tmp + "/*"}}
	for _, label := range u.labels {
		patterns["directories of boxes"] = append(patterns["directories of boxes"], "/tmp/airlock."+label+".*")
	}
	if u.engine != nil {
		found["containers"] = u.engine.Containers(u.t, "airlock.instance")
		found["processes in containers"] = slices.Concat(u.engine.Processes(), u.engine.Shims())
		found["control groups"] = append(found["control groups"],
			e2e.GroupsWith(u.t, func(path string) bool { return filepath.Base(filepath.Dir(path)) == u.engine.Name() })...)
	}
	if u.machine != nil {
		patterns["uploads"] = []string{u.machine.Home() + "/.cache/airlock/*.part-*"}
	}
	for what, list := range patterns {
		for _, pattern := range list {
			paths, err := filepath.Glob(pattern)
			e2e.Must(u.t, err)
			found[what] = append(found[what], paths...)
		}
	}
	return found
}

// processes lists those below this one, without an engine's or machine's.
func (u *unluckyStops) processes() (found []string) {
	for _, p := range e2e.Under(u.t, os.Getpid()) {
		fields, err := e2e.ReadStat(p.PID)
		own := u.engine != nil && (u.engine.Hosts(p.PID) || strings.HasPrefix(p.Line, "runc")) ||
			u.machine != nil && u.machine.Hosts(fmt.Sprint(p.PID)) && !strings.HasPrefix(p.Line, u.machine.Home()+"/")
		if err == nil && fields[0] != "Z" && !own {
			found = append(found, fmt.Sprintf("%d %s", p.PID, p.Line))
		}
	}
	return found
}

// look records what could be left: a test that meets nothing proves nothing.
func (u *unluckyStops) look() {
	for what, list := range u.traces() {
		if len(list) > 0 {
			u.seen[what]++
		}
	}
}

// cleared waits until nothing is left but what had no survivor, and what this stop may leave.
func (u *unluckyStops) cleared(what string, except ...string) {
	u.t.Helper()
	var left map[string][]string
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		left = u.traces()
		for _, kind := range except {
			u.left[kind] = slices.Clone(left[kind]) // what follows changes it
		}
		for kind := range left {
			left[kind] = slices.DeleteFunc(left[kind], func(one string) bool { return slices.Contains(u.left[kind], one) })
		}
		if len(slices.Concat(slices.Collect(maps.Values(left))...)) == 0 {
			return
		}
		if time.Now().After(deadline) {
			break
		}
	}
	for kind, list := range left {
		for _, one := range list {
			u.t.Errorf("%s: left of %s: %s", what, kind, one)
		}
		u.left[kind] = append(u.left[kind], list...) // told once
	}
}

// orphaned waits until leftovers are stable. None may contain a process.
func (u *unluckyStops) orphaned(what string) {
	u.t.Helper()
	var left map[string][]string
	e2e.Eventually(u.t, 30*time.Second, what+": what runs has ended", func() bool {
		left = u.traces()
		return len(left["processes"])+len(left["processes in containers"]) == 0
	})
	u.left = left
}

// Finish starts another Airlock, which has to clear everything, and compares with the beginning.
func (u *unluckyStops) Finish() {
	u.t.Helper()
	u.t.Logf("%s: %d stops; what there was to leave, and in how many: %v", u.backend, u.stops, u.seen)
	for what, list := range u.left {
		if len(list) > 0 {
			u.t.Logf("left to the next start of any Airlock: %d %s", len(list), what)
		}
	}
	if u.seen["processes"] == 0 || u.backend == "bubblewrap" && u.seen["control groups"] == 0 ||
		u.backend == "docker" && u.seen["containers"] == 0 || u.backend == "landlock" && u.seen["directories of boxes"] == 0 {
		u.t.Errorf("no stop met what could be left: %v", u.seen)
	}
	u.left = map[string][]string{}
	u.ordinary()
	for what, n := range u.counts() {
		slack := 0
		if u.engine != nil && what == "Unix sockets" {
			slack = 8 // an engine keeps some of each connection for a while
		}
		if n > u.before[what]+slack {
			u.t.Errorf("%s: %d, %d before", what, n, u.before[what])
		}
	}
}

// counts returns the number of nameless things, by kind.
func (u *unluckyStops) counts() map[string]int {
	counts := map[string]int{"mounts": e2e.Lines(u.t, "/proc/self/mountinfo"),
		"Unix sockets": e2e.Lines(u.t, "/proc/self/net/unix"), "network namespaces": len(u.networks())}
	if u.engine != nil {
		counts["mounts of the engine"] = e2e.Lines(u.t, fmt.Sprintf("/proc/%d/mountinfo", u.engine.PID()))
	}
	return counts
}

func (u *unluckyStops) networks() map[string]bool {
	found := map[string]bool{}
	for _, p := range e2e.Under(u.t, os.Getpid()) {
		if network, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/net", p.PID)); err == nil {
			found[network] = true
		}
	}
	return found
}

func dataFiles(t *testing.T, dir string) (names []string) {
	t.Helper()
	e2e.Must(t, filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		names = append(names, strings.TrimPrefix(path, dir))
		return err
	}))
	return names
}
