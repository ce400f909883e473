package hostile_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
	"github.com/computclaw/airlock/plugins/sandboxtest/hostile"
	"github.com/computclaw/airlock/plugins/ssh/sshtest"
)

var matrix = flag.Bool("matrix", false,
	"run every hostile script on every backend, also those that Airlock itself decides alike on all, and "+
		"try every exit code")

// TestHostileScripts runs every hostile script in a world full of canaries. Boxes are cold, so
// after each case nothing at all may be left.
func TestHostileScripts(t *testing.T) {
	if !e2e.InNamespaces(t) {
		return
	}
	besiege(t, newSiege(t, "AIRLOCK_BOX=fresh"), wholeMatrix)
}

// TestHostileScriptsFromATemplate does the same with boxes that are forked.
func TestHostileScriptsFromATemplate(t *testing.T) {
	if !e2e.InNamespaces(t) {
		return
	}
	besiege(t, newSiege(t, "AIRLOCK_SANDBOX=bubblewrap", "AIRLOCK_BOX=template"), cmp.Or(wanted(), decidedByBackends))
}

// TestHostileScriptsOverSSH does the same on another machine, in its own network namespace. It
// skips what a box sees of its machine.
func TestHostileScriptsOverSSH(t *testing.T) {
	if !e2e.InNamespaces(t) {
		return
	}
	m := sshtest.New(t, sshtest.Options{})
	besiege(t, siegeOf(t, func(env ...string) place {
		in := e2e.StartInstance(t, slices.Concat(env, e2e.SSHSettings(m), []string{"AIRLOCK_SANDBOX=ssh"})...)
		return place{in, kinds{"processes": m.Boxes}} // the machine delegates no control group
	}), cmp.Or(wanted(), beyondTheBox))
}

// TestHostileScriptsOverLandlock does the same in boxes that share this host's namespaces. Cases
// name the weaker promises.
func TestHostileScriptsOverLandlock(t *testing.T) {
	if !e2e.InNamespaces(t) {
		return
	}
	besiege(t, siegeOf(t, func(env ...string) place {
		in := e2e.StartInstance(t, append(env, "AIRLOCK_SANDBOX=landlock")...)
		return place{in, kinds{"processes": in.Descendants}}
	}), cmp.Or(wanted(), decidedByBackends))
}

// TestHostileScriptsOverDocker does the same in containers. The backend's own suite tests what they
// see of the host.
func TestHostileScriptsOverDocker(t *testing.T) {
	if !e2e.InNamespaces(t) {
		return
	}
	engine, settings := e2e.DockerSettings(t)
	besiege(t, siegeOf(t, func(env ...string) place {
		return place{e2e.StartInstance(t, slices.Concat(env, settings, []string{"AIRLOCK_SANDBOX=docker"})...), kinds{
			"processes":  engine.Processes,
			"containers": func() []string { return engine.Containers(t, "airlock.instance") },
			"control groups": func() []string {
				return e2e.GroupsWith(t, func(path string) bool { return filepath.Base(filepath.Dir(path)) == engine.Name() })
			},
		}}
	}), cmp.Or(wanted(), beyondTheBox))
}

// TestHostileScriptsInContainer does the same with the whole program in a container, under the
// shipped profile. There is no writable control group.
func TestHostileScriptsInContainer(t *testing.T) {
	if !e2e.InNamespaces(t) {
		return
	}
	besiege(t, siegeOf(t, func(env ...string) place {
		c := runInFull(t, e2e.NewImage(t), "siege", env...)
		if got := c.Isolation(); got != "bubblewrap full" {
			t.Fatalf("isolation is %q", got)
		}
		return place{c.Instance, kinds{"processes": func() []string { return e2e.BoxesUnder(t, c.ServerPID()) }}}
	}), cmp.Or(wanted(), decidedByBackends))
}

// imageUID is the serving user in a container that starts as root, as in cmd/airlock.
const imageUID = 10001

// runInFull runs an image in full isolation with env. The test's temporary files, data and log have
// the same paths inside and outside.
func runInFull(t *testing.T, i *e2e.Image, name string, env ...string) *e2e.Container {
	t.Helper()
	data, shared := t.TempDir(), filepath.Dir(t.TempDir())
	e2e.Must(t, os.Chown(data, imageUID, imageUID))
	e2e.Must(t, os.Chmod(shared, 0o755)) // the server is not who runs the test
	options := append(e2e.InFull(t), "-v", data+":/data", "-v", shared+":"+shared+":ro")
	for _, setting := range env {
		options = append(options, "-e", setting)
	}
	c := i.Run(t, name, options...)
	c.Dir = data
	log, err := os.Create(c.Log)
	e2e.Must(t, err)
	defer log.Close()
	follow := exec.CommandContext(t.Context(), "docker", "-H", c.Host(), "logs", "-f", name)
	follow.Stdout, follow.Stderr = log, log
	e2e.Must(t, follow.Start())
	t.Cleanup(func() { _ = follow.Wait() })
	return c
}

// scope is which of the cases a siege has.
type scope int

const (
	_                 scope = iota
	wholeMatrix             // all
	decidedByBackends       // those whose outcome the backend may decide
	beyondTheBox            // of these, without files, processes and the kernel: the parts A, B and C
)

// wanted returns the command line's scope, or 0.
func wanted() scope {
	if *matrix {
		return wholeMatrix
	}
	return 0
}

// besiege runs the cases of the scope.
func besiege(t *testing.T, s *siege, scope scope) {
	cases, err := hostile.Cases()
	e2e.Must(t, err)
	all := scope == wholeMatrix
	cases = slices.DeleteFunc(cases, func(c hostile.Case) bool {
		return !all && c.Decider != "" || scope == beyondTheBox && strings.Contains("abc", c.Name[:1])
	})
	for i, c := range cases {
		cases[i] = c.For(s.restricted())
	}
	paired := map[string]bool{}
	for _, c := range cases {
		paired[c.Pair] = true
	}
	for _, c := range cases {
		if paired[c.Name] {
			continue // runs beside its partner
		}
		t.Run(c.Name, func(t *testing.T) {
			s.t = t
			s.in.T = t
			s.newSecret()
			together := []hostile.Case{c}
			if c.Pair != "" {
				together = append(together, cases[slices.IndexFunc(cases, func(o hostile.Case) bool { return o.Name == c.Pair })])
			}
			for i, x := range s.run(together...) {
				s.judge(together[i], x)
			}
			if all {
				s.afterwards()
			} else {
				s.nothingLeft() // the next case shows that the next execution works
			}
		})
	}
	if all {
		s.wasWholeSiege(t)
	}
	s.t, s.in.T = t, t
	s.afterwards()
	s.sealedWentOnlyHome(all)
	detect(s.in, s.secrets, "--whole") // E13 prints nearly all of one, D16 asks for hosts whose names are parts
}

// wasWholeSiege ends a siege by all cases (E20), and checks what was tried.
func (s *siege) wasWholeSiege(t *testing.T) {
	t.Run("e20_sources", func(t *testing.T) {
		s.t, s.in.T = t, t
		s.hostileSources()
	})
	for _, name := range []string{"internal-0.test.", "mixed.test.", "rebind.test."} {
		if s.w.Resolver.CountAsked(name) == 0 {
			t.Errorf("%s was never looked up, so the addresses behind it were not tried", name)
		}
	}
}

// TestEveryExitIsToldExactly ends scripts by exit codes (all with -matrix) and every signal (B14).
func TestEveryExitIsToldExactly(t *testing.T) {
	if !e2e.InNamespaces(t) {
		return
	}
	s := newSiege(t)
	type end struct{ script, want string }
	var ends []end
	for code := 1; code < 256; code++ {
		if !*matrix && !telling(code) {
			continue
		}
		ends = append(ends, end{fmt.Sprintf("import os\nos._exit(%d)", code), fmt.Sprintf("exit code %d", code)})
	}
	for signal := 1; signal < 65; signal++ {
		if slices.Contains([]int{17, 18, 19, 20, 21, 22, 23, 28, 32, 33}, signal) {
			continue // these don't end a process, or belong to the C library
		}
		ends = append(ends, end{fmt.Sprintf(
			"import os, signal\nsignal.signal(%d, signal.SIG_DFL) if %d not in (9,) else 0\nos.kill(os.getpid(), %d)", signal,
			signal, signal), fmt.Sprintf("signal %d", signal)})
	}
	profile := s.profile("", nil)
	for batch := range slices.Chunk(ends, 8) {
		running := make([]e2e.Execution, len(batch))
		for i, e := range batch {
			running[i] = s.in.Submit(profile, e.script, 20*time.Second)
		}
		ended := s.await(60*time.Second, running...)
		for i, e := range batch {
			x := ended[i]
			if x.Status != "error" || !strings.Contains(x.Error+" ", e.want) || strings.Contains(x.Error, "memory") {
				t.Errorf("%q: %s %q, want %q", e.script, x.Status, x.Error, e.want)
			}
		}
	}
	s.afterwards()
}

// telling reports whether shells or backends give a code a meaning, or it is sampled.
func telling(code int) bool {
	return code <= 8 || code >= 120 && code <= 144 || code >= 250 || code%16 == 0
}

// TestKillNineLeavesNothing kills the plugin and then the server during runs (G11, G12). The runs
// end in error, no box is left, and the next execution works.
func TestKillNineLeavesNothing(t *testing.T) {
	if !e2e.InNamespaces(t) {
		return
	}
	s := newSiege(t)
	const script = "import subprocess, time\nsubprocess.Popen(['/bin/sleep', '98765'])\ntime.sleep(60)"
	for victim, kill := range map[string]func(){
		"plugin": func() {
			for _, p := range s.in.Processes() {
				if strings.Contains(p.Line, " plugin ") {
					_ = syscall.Kill(p.PID, syscall.SIGKILL)
				}
			}
		},
		"server": func() {
			_ = s.in.Server.Process.Kill()
			_ = s.in.Server.Wait()
		},
	} {
		x := s.in.Submit(s.profile("", nil), script, 50*time.Second)
		e2e.Eventually(t, 20*time.Second, "the script runs in a box", func() bool {
			return strings.Contains(strings.Join(s.in.Descendants(), "\n"), "sleep 98765")
		})
		before := s.in.Processes()
		kill()
		e2e.Eventually(t, 20*time.Second, "the boxes of the killed "+victim+" are gone", func() bool {
			return !slices.ContainsFunc(before, func(p e2e.Process) bool {
				return p.PID != s.in.Server.Process.Pid && p.IsAlive() && !strings.Contains(p.Line, " plugin ")
			})
		})
		if victim == "server" {
			s.in.Start()
		}
		if x = s.in.Await(x, 30*time.Second); x.Status != "error" {
			t.Errorf("%s: the execution ended as %s: %s", victim, x.Status, x.Error)
		}
		e2e.Eventually(t, 30*time.Second, "the sandbox is back", func() bool {
			y := s.in.Await(s.in.Submit(s.profile("", nil), "set_result(1)", 10*time.Second), 30*time.Second)
			return y.Status == "completed"
		})
		s.afterwards()
	}
}
