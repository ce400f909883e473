package hostile_test

import (
	"bytes"
	"crypto/rand"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
	"github.com/computclaw/airlock/plugins/sandboxtest"
	"github.com/computclaw/airlock/plugins/sandboxtest/hostile"
)

// kinds lists the parts of boxes on this host, by kind.
type kinds map[string]func() []string

// place is a server and where its boxes show.
type place struct {
	in    *e2e.Instance
	boxes kinds
}

// siege is a server under attack.
type siege struct {
	place
	t        *testing.T
	w        *e2e.World
	tls      *e2e.TLSWorld
	profiles map[string]string
	secrets  []string
	sealed   map[string]string // values of the sealed credentials by name
	mounts   int
}

// newSiege besieges bubblewrap.
func newSiege(t *testing.T, settings ...string) *siege {
	return siegeOf(t, func(env ...string) place {
		in := e2e.StartInstance(t, append(env, settings...)...)
		return place{in, withGroups(t, in, kinds{"processes": in.Descendants})}
	})
}

// siegeOf besieges a server started with these settings.
func siegeOf(t *testing.T, start func(env ...string) place) *siege {
	w := e2e.NewWorld(t)
	s := &siege{t: t, w: w, tls: e2e.NewTLSWorld(t), profiles: map[string]string{}, sealed: map[string]string{}}
	s.place = start("AIRLOCK_POOL=0", "AIRLOCK_LLM_WAIT=3s", "AIRLOCK_LOCAL_SERVICES="+w.Services+","+s.tls.Services,
		"AIRLOCK_EXTRA_CA="+s.tls.Roots)
	s.newSecret()
	s.seal("SEALED", "--host", "echo.test", "--host", "badcert.test", "--host", "wrongname.test", "--host", "h2.test",
		"--header", "Authorization", "--header", "X-Key", "--header", "Cookie")
	s.seal("SEALED_BODY", "--host", "body.test:443", "--place", "path", "--place", "query", "--place", "body")
	s.in.Admin(filepath.Join(w.Dir, "canary.txt"), "credential", "set", "CANARY_FILE", "--mode", "plain")
	s.in.Admin(e2e.HostAddress+","+e2e.MetadataAddress, "credential", "set", "HOST_ADDRESSES", "--mode", "plain")
	s.in.Admin(e2e.CanaryPorts, "credential", "set", "CANARY_PORTS", "--mode", "plain")
	s.mounts = mounts(t)
	s.seeBox()
	return s
}

// newSecret rotates the injected credential for each case.
func (s *siege) newSecret() {
	secret := rand.Text() + "-" + rand.Text()[:5]
	s.secrets = append(s.secrets, secret)
	s.in.Admin(secret, "credential", "set", "INJECTED", "--mode", "injected")
}

func (s *siege) seal(name string, args ...string) {
	value := "sk-" + rand.Text() + "/+" + rand.Text()
	s.secrets, s.sealed[name] = append(s.secrets, value), value
	s.in.Admin(value, append([]string{"credential", "set", name, "--mode", "sealed"}, args...)...)
}

func (s *siege) restricted() bool {
	var health struct {
		Isolation string `json:"isolation"`
	}
	s.in.Call(http.MethodGet, "/health", nil, &health)
	return health.Isolation == "restricted"
}

// sealedWentOnlyHome asserts that sealed values reached only their hosts, and all of these after a
// whole siege.
func (s *siege) sealedWentOnlyHome(all bool) {
	for host, own := range map[string]string{"echo.test": "SEALED", "body.test": "SEALED_BODY", "other.test": "",
		"badcert.test": "", "wrongname.test": "", "h2.test": "", "ssh.test": ""} {
		sent := s.tls.SentTo(host)
		for name, value := range s.sealed {
			if got := strings.Contains(sent, value); got && name != own || all && !got && name == own {
				s.t.Errorf("%s got the value of %s: %v", host, name, name != own)
			}
		}
		if strings.Contains(sent, "smuggled") || strings.Contains(sent, "marker-of-d24") {
			s.t.Errorf("%s got what should have been refused:\n%.2000s", host, sent)
		}
	}
}

func (s *siege) profile(name string, hosts []string) string {
	name += " " + strings.Join(hosts, " ")
	if id, ok := s.profiles[name]; ok {
		return id
	}
	args := []string{"profile", "create", "--description", "siege " + name}
	for _, key := range []string{"INJECTED", "CANARY_FILE", "HOST_ADDRESSES", "CANARY_PORTS", "SEALED", "SEALED_BODY"} {
		args = append(args, "--key", key)
	}
	for _, host := range hosts {
		args = append(args, "--host", host)
	}
	s.profiles[name] = s.in.Admin("", args...)
	s.in.Admin("", "profile", "lock", s.profiles[name])
	return s.profiles[name]
}

// run runs cases at the same time.
func (s *siege) run(cases ...hostile.Case) []e2e.Execution {
	var running []e2e.Execution
	var within time.Duration
	for _, c := range cases {
		running = append(running, s.in.Submit(s.profile(c.Profile, c.Hosts), c.Script, c.Timeout))
		within = max(within, c.Within)
	}
	return s.await(within, running...)
}

func (s *siege) judge(c hostile.Case, x e2e.Execution) {
	if strings.Contains(x.Stdout, "BREACH") || bytes.Contains(x.Result, []byte("breach")) {
		s.t.Errorf("%s: %s\n%s", c.Title, x.Result, x.Stdout)
		return
	}
	if !slices.Contains(c.Status, x.Status) {
		s.t.Errorf("%s ended as %s, want %v: %s\n%.2000s", c.Title, x.Status, c.Status, x.Error, x.Stderr)
	}
	if !strings.Contains(x.Error, c.Error) || (c.Not != "" && strings.Contains(x.Error, c.Not)) {
		s.t.Errorf("%s: the error is %q; it should say %q and not %q", c.Title, x.Error, c.Error, c.Not)
	}
	if slices.Equal(c.Status, []string{"completed"}) && len(x.Result) == 0 {
		s.t.Errorf("%s completed without a result", c.Title)
	}
}

// hostileSources submits texts that are no scripts (E20).
func (s *siege) hostileSources() {
	profile := s.profile("", nil)
	for what, c := range map[string]struct {
		script string
		code   int
	}{
		"50 MB":         {strings.Repeat("x = 1\n", 50<<20/6), http.StatusRequestEntityTooLarge},
		"a NUL":         {"print(1)\x00", http.StatusBadRequest},
		"nested source": {strings.Repeat("(", 200_000), http.StatusAccepted},
		"nested lists": {"x = " + strings.Repeat("[", 90) + strings.Repeat("]", 90) + "\nset_result(1)",
			http.StatusAccepted},
		"deep operators": {"x = " + strings.Repeat("-", 500_000) + "1", http.StatusAccepted},
	} {
		var x e2e.Execution
		var answer any // a refusal has another shape
		if c.code == http.StatusAccepted {
			answer = &x
		}
		if code := s.in.Call(http.MethodPost, "/execute", map[string]any{"profile_id": profile, "script": c.script},
			answer); code != c.code {
			s.t.Errorf("%s: status %d, want %d", what, code, c.code)
			continue
		}
		if c.code == http.StatusAccepted {
			s.await(90*time.Second, x)
		}
		s.afterwards()
	}
}

// await waits for the end of all executions. Then no script is alive; what held it may go a moment
// later.
func (s *siege) await(within time.Duration, running ...e2e.Execution) (ended []e2e.Execution) {
	s.t.Helper()
	for _, x := range running {
		ended = append(ended, s.in.Await(x, within))
	}
	for _, line := range s.scripts() {
		s.t.Errorf("the end of a script was told while it was alive: %s", line)
	}
	return ended
}

// scripts lists the boxes' processes, but for those that hold a box.
func (s *siege) scripts() []string {
	return slices.DeleteFunc(s.boxes["processes"](), func(line string) bool {
		pid, command, _ := strings.Cut(line, " ")
		name, _, _ := strings.Cut(command, " ")
		if name == "" { // it is ending, or has ended
			comm, _ := os.ReadFile(filepath.Join("/proc", pid, "comm"))
			name = strings.TrimSpace(string(comm))
		}
		return name == "" || slices.Contains([]string{"bwrap", "airlock-init"}, filepath.Base(name))
	})
}

// afterwards asserts the invariants after a case, and runs another execution.
func (s *siege) afterwards() {
	s.nothingLeft()
	x := s.in.Await(s.in.Submit(s.profile("", nil), "set_result(6 * 7)", 10*time.Second), 30*time.Second)
	if x.Status != "completed" || string(x.Result) != "42" {
		s.t.Errorf("the next execution: %s %s %s", x.Status, x.Result, x.Error)
	}
}

// nothingLeft asserts what has to hold after every case.
func (s *siege) nothingLeft() {
	if n := s.w.Touched.Load(); n != 0 {
		s.t.Errorf("a canary was touched %d times", n)
		s.w.Touched.Store(0)
	}
	for kind, list := range s.boxes { // the end of an execution is told a moment before its box is gone
		e2e.Eventually(s.t, 20*time.Second, "no "+kind+" of boxes are left", func() bool { return len(list()) == 0 })
	}
	// fewer: a mount point removed on the host is gone here too
	if n := mounts(s.t); n > s.mounts {
		s.t.Errorf("%d mounts, %d before", n, s.mounts)
	}
	if code := s.in.Call(http.MethodGet, "/health", nil, nil); code != http.StatusOK {
		s.t.Errorf("/health answered %d", code)
	}
}

func mounts(t *testing.T) int {
	text, err := os.ReadFile("/proc/self/mountinfo")
	e2e.Must(t, err)
	return bytes.Count(text, []byte("\n"))
}

// seeBox asserts that a box and its script show wherever leftovers are sought. It leaves no box.
func (s *siege) seeBox() {
	const script = "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'import time; time.sleep(60)', " +
		"'started-by-a-script'])"
	started := func() bool { return strings.Contains(strings.Join(s.scripts(), "\n"), "started-by-a-script") }
	x := s.in.Submit(s.profile("", nil), script, 90*time.Second)
	for kind, list := range s.boxes {
		e2e.Eventually(s.t, 20*time.Second, kind+" of a running box are seen", func() bool { return len(list()) > 0 })
	}
	e2e.Eventually(s.t, 30*time.Second, "what a script started is seen", started)
	if code := s.in.Call(http.MethodPost, "/executions/"+x.ID+"/cancel", nil, nil); code != http.StatusOK {
		s.t.Fatalf("cancel: status %d", code)
	}
	s.in.Await(x, 30*time.Second)
	if started() { // at the start there are other boxes besides, which prove the sandbox
		s.t.Error("the end of a script was told while what it had started was alive")
	}
	for kind, list := range s.boxes {
		e2e.Eventually(s.t, 20*time.Second, "no "+kind+" of boxes are left at the start", func() bool {
			return len(list()) == 0
		})
	}
}

// withGroups adds the boxes' control groups, where the host has writable ones.
func withGroups(t *testing.T, in *e2e.Instance, boxes kinds) kinds {
	if sandboxtest.FindGroups(t).Version != 0 {
		label := e2e.LabelOf(t, in)
		boxes["control groups"] = func() []string {
			return e2e.GroupsWith(t,
				func(path string) bool { return e2e.OfBox(path, label) })
		}
	}
	return boxes
}
