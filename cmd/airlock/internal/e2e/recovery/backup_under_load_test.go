package recovery_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

type worked struct {
	x     e2e.Execution
	ended time.Time
}

// TestABackupBesideRunningExecutions makes backups under load and restores the last one: it is one
// moment. Earlier ends are there as agents saw them. Nothing is partial, and counts agree.
func TestABackupBesideRunningExecutions(t *testing.T) {
	t.Parallel()
	in := e2e.StartInstance(t, "AIRLOCK_POOL=2")
	in.Admin("moved-secret-value-0123456789", "credential", "set", "TOKEN", "--mode", "injected")
	var profiles []string
	for range 3 {
		p := in.Admin("", "profile", "create", "--description", "works", "--key", "TOKEN")
		in.Admin("", "profile", "lock", p)
		profiles = append(profiles, p)
	}
	target, person := t.TempDir(), in.Person()
	post := func(path string, fields url.Values) int {
		t.Helper()
		response, err := person.Client.PostForm(in.URL+path, fields)
		e2e.Must(t, err)
		e2e.Must(t, response.Body.Close())
		return response.StatusCode
	}
	code := post("/ui/settings/backups",
		url.Values{"on": {"yes"}, "every": {"weekly"}, "keep": {"5"}, "kind": {"directory"}, "directory": {target},
			"passphrase": {movingWords}, "again": {movingWords}})
	if code != http.StatusOK {
		t.Fatalf("the settings of backups: %d", code)
	}

	var mu sync.Mutex
	done := make([][]worked, len(profiles))
	stop := make(chan struct{})
	var agents sync.WaitGroup
	for a, profile := range profiles {
		agents.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				x := in.Await(in.Submit(profile,
					fmt.Sprintf("print('agent %d step %d')\nset_result({'agent': %d, 'step': %d, 'size': len(settings.get('TOKEN'))})",
						a, n, a, n), 30*time.Second), time.Minute)
				mu.Lock()
				done[a] = append(done[a], worked{x, time.Now()})
				mu.Unlock()
			}
		})
	}
	steps := func() (n int) {
		mu.Lock()
		defer mu.Unlock()
		for _, list := range done {
			n += len(list)
		}
		return n
	}
	e2e.Eventually(t, time.Minute, "the agents work", func() bool { return steps() >= 6 })
	var began time.Time
	for n := range 3 {
		had := steps()
		e2e.Eventually(t, time.Minute, "a backup begins", func() bool { // the one before may have its last page to show
			began = time.Now()
			return post("/ui/settings/backups/now", nil) == http.StatusOK
		})
		e2e.Eventually(t, time.Minute, "the backup has ended",
			func() bool { return in.Count("SELECT count(*) FROM backups WHERE finished_at > 0") == n+1 })
		e2e.Eventually(t, time.Minute, "the agents work on", func() bool { return steps() > had+3 })
	}
	close(stop)
	agents.Wait()
	if n := in.Count("SELECT count(*) FROM backups WHERE status = 'verified'"); n != 3 {
		t.Errorf("%d of 3 backups are verified", n)
	}
	if page := person.Get(in, "/ui/settings/backups"); strings.Count(page, "Verified") < 3 {
		t.Errorf("the page does not show three verified backups")
	}

	files, err := filepath.Glob(filepath.Join(target, "*.airlock"))
	e2e.Must(t, err)
	if len(files) != 3 {
		t.Fatalf("%v", files)
	}
	fresh := e2e.NewInstance(t, "AIRLOCK_POOL=1")
	words := filepath.Join(t.TempDir(), "words")
	e2e.Must(t, os.WriteFile(words, []byte(movingWords+"\n"), 0o600))
	fresh.Admin("", "restore", files[2], "--passphrase-file", words) // names hold the time: the last one
	fresh.Start()
	t.Cleanup(fresh.Stop)
	fresh.Admin("", "audit", "verify")
	whole := 0
	for a, list := range done {
		there := true
		for n, w := range list {
			if w.x.Status != "completed" {
				t.Fatalf("agent %d step %d: %+v", a, n, w.x)
			}
			var now e2e.Execution
			code := fresh.Call(http.MethodGet, "/executions/"+w.x.ID, nil, nil)
			if code == http.StatusOK {
				fresh.Call(http.MethodGet, "/executions/"+w.x.ID, nil, &now)
			}
			switch {
			case code == http.StatusNotFound && w.ended.Before(began):
				t.Errorf("agent %d step %d had ended before the backup, and is not in it", a, n)
			case code == http.StatusNotFound:
				there = false
			case !there:
				t.Errorf("agent %d: step %d is in the backup, and the one before it is not", a, n)
			case code != http.StatusOK || now.Status != w.x.Status || string(now.Result) != string(w.x.Result) ||
				now.Stdout != w.x.Stdout || now.Duration != w.x.Duration:
				t.Errorf("agent %d step %d: %d %+v, was %+v", a, n, code, now, w.x)
			default:
				whole++
			}
		}
	}
	for what, query := range map[string]string{
		"executions": "SELECT count(*) FROM executions",
		"ended ones": "SELECT count(*) FROM executions WHERE status = 'completed' AND completed_at > 0",
		"outputs":    "SELECT count(*) FROM execution_outputs",
		"scripts":    "SELECT count(*) FROM execution_scripts", "values": "SELECT count(*) FROM execution_values",
		"counted": "SELECT sum(completed + error + timeout + cancelled) FROM execution_stats WHERE span = 86400",
	} {
		if n := fresh.Count(query); n != whole {
			t.Errorf("%d %s, the agents find %d", n, what, whole)
		}
	}
	var result struct{ Size int }
	x := fresh.Await(fresh.Submit(profiles[0], "set_result({'size': len(settings.get('TOKEN'))})", 30*time.Second),
		time.Minute)
	if e2e.Must(t, json.Unmarshal(x.Result, &result)); result.Size != len("moved-secret-value-0123456789") {
		t.Errorf("%+v", x)
	}
}

// An export may omit the history; weak passphrases are refused with advice. An import that lets a
// profile do more needs a yes.
func TestExportAndImportByChoice(t *testing.T) {
	t.Parallel()
	old, fresh := e2e.StartInstance(t, "AIRLOCK_POOL=1"), e2e.StartInstance(t, "AIRLOCK_POOL=0")
	fresh.Stop()
	handles := map[string]string{}
	for _, name := range []string{"MINE", "OTHER"} {
		old.Admin("value-of-"+name+"-0123456789", "credential", "set", name, "--mode", "injected")
		p := old.Admin("", "profile", "create", "--description", name, "--key", name)
		old.Admin("", "profile", "lock", p, "--expires", "30d")
		old.Await(old.Submit(p, "set_result(1)", 30*time.Second), 30*time.Second)
		handles[name] = p
	}
	old.Stop()
	dir := t.TempDir()
	weak := exec.Command(old.Binary, "admin", "export", filepath.Join(dir, "weak.airlock"))
	weak.Env, weak.Stdin = old.Env, strings.NewReader("password1234\n")
	out, failed := weak.CombinedOutput()
	if _, err := os.Stat(filepath.Join(dir, "weak.airlock")); failed == nil || !strings.Contains(string(out), "words") ||
		err == nil {
		t.Errorf("a weak passphrase: %v %s, %v", failed, out, err)
	}
	part, bare := filepath.Join(dir, "part.airlock"), filepath.Join(dir, "bare.airlock")
	old.Admin(movingWords+"\n", "export", part, "--profile", handles["MINE"])
	old.Admin(movingWords+"\n", "export", bare, "--no-history")
	for file, want := range map[string][]string{part: {"credential:MINE", "1 executions"},
		bare: {"credential:MINE", "credential:OTHER", "0 executions"}} {
		shown := fresh.Admin(movingWords+"\n", "import", "--preview", file)
		for _, w := range want {
			if !strings.Contains(shown, w) {
				t.Errorf("%s: no %q in %s", file, w, shown)
			}
		}
		if file == part && strings.Contains(shown, "OTHER") {
			t.Errorf("what was not chosen came along: %s", shown)
		}
	}
	fresh.Admin(movingWords+"\n", "import", part, "--no-history")
	fresh.Admin(movingWords+"\n", "import", bare, "--no", "credential:OTHER")
	if fresh.Count("SELECT count(*) FROM executions") != 0 || fresh.Count("SELECT count(*) FROM credentials") != 1 ||
		fresh.Count("SELECT count(*) FROM profiles") != 2 {
		t.Errorf("what was not wanted was imported, or what was is missing")
	}
	// The file's profile never expires: without a yes the one here keeps its expiry.
	end := func() int { return fresh.Count("SELECT expires_at FROM profiles WHERE description = 'MINE'") }
	before := end()
	old.Admin("", "profile", "expire", handles["MINE"], "never")
	longer := filepath.Join(dir, "longer.airlock")
	old.Admin(movingWords+"\n", "export", longer, "--profile", handles["MINE"], "--no-history")
	shown := fresh.Admin(movingWords+"\n", "import", longer)
	_, key, found := strings.Cut(shown, "NEEDS --yes ")
	key, _, _ = strings.Cut(key, ": ")
	if end() != before || before == 0 || !found || !strings.HasPrefix(key, "profile:") {
		t.Fatalf("it was extended without a yes, or nothing says how: %s", shown)
	}
	fresh.Admin(movingWords+"\n", "import", longer, "--yes", key)
	if end() != 0 {
		t.Error("a yes extended nothing")
	}
}
