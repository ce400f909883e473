package main

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

	"golang.org/x/sys/unix"
)

// worked is what an agent got back from one of its executions.
type worked struct {
	x     agentView
	ended time.Time
}

// TestABackupBesideRunningExecutions makes backups while agents work without a pause, and restores
// the last one elsewhere: it is one moment. All that had ended before it began is there as the
// agents saw it, nothing is there without what came before it, nothing is half there, and what it
// counts is what it has.
func TestABackupBesideRunningExecutions(t *testing.T) {
	t.Parallel()
	in := startInstance(t, "AIRLOCK_POOL=2")
	in.admin("moved-secret-value-0123456789", "credential", "set", "TOKEN", "--mode", "injected")
	var profiles []string
	for range 3 {
		p := in.admin("", "profile", "create", "--description", "works", "--key", "TOKEN")
		in.admin("", "profile", "lock", p)
		profiles = append(profiles, p)
	}
	target, person := t.TempDir(), in.person()
	post := func(path string, fields url.Values) int {
		t.Helper()
		response, err := person.client.PostForm(in.url+path, fields)
		must(t, err)
		must(t, response.Body.Close())
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
				x := in.await(in.submit(profile,
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
	eventually(t, time.Minute, "the agents work", func() bool { return steps() >= 6 })
	var began time.Time
	for n := range 3 {
		had := steps()
		eventually(t, time.Minute, "a backup begins", func() bool { // the one before may have its last page to show
			began = time.Now()
			return post("/ui/settings/backups/now", nil) == http.StatusOK
		})
		eventually(t, time.Minute, "the backup has ended",
			func() bool { return in.count("SELECT count(*) FROM backups WHERE finished_at > 0") == n+1 })
		eventually(t, time.Minute, "the agents work on", func() bool { return steps() > had+3 })
	}
	close(stop)
	agents.Wait()
	if n := in.count("SELECT count(*) FROM backups WHERE status = 'verified'"); n != 3 {
		t.Errorf("%d of 3 backups are verified", n)
	}
	if page := person.get(in, "/ui/settings/backups"); strings.Count(page, "Verified") < 3 {
		t.Errorf("the page does not show three verified backups")
	}

	files, err := filepath.Glob(filepath.Join(target, "*.airlock"))
	must(t, err)
	if len(files) != 3 {
		t.Fatalf("%v", files)
	}
	fresh := newInstance(t, "AIRLOCK_POOL=1")
	words := filepath.Join(t.TempDir(), "words")
	must(t, os.WriteFile(words, []byte(movingWords+"\n"), 0o600))
	fresh.admin("", "restore", files[2], "--passphrase-file", words) // names hold the time: the last one
	fresh.start()
	t.Cleanup(fresh.stop)
	fresh.admin("", "audit", "verify")
	whole := 0
	for a, list := range done {
		there := true
		for n, w := range list {
			if w.x.Status != "completed" {
				t.Fatalf("agent %d step %d: %+v", a, n, w.x)
			}
			var now agentView
			code := fresh.call(http.MethodGet, "/executions/"+w.x.ID, nil, nil)
			if code == http.StatusOK {
				fresh.call(http.MethodGet, "/executions/"+w.x.ID, nil, &now)
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
		if n := fresh.count(query); n != whole {
			t.Errorf("%d %s, the agents find %d", n, what, whole)
		}
	}
	var result struct{ Size int }
	x := fresh.await(fresh.submit(profiles[0], "set_result({'size': len(settings.get('TOKEN'))})", 30*time.Second),
		time.Minute)
	if must(t, json.Unmarshal(x.Result, &result)); result.Size != len("moved-secret-value-0123456789") {
		t.Errorf("%+v", x)
	}
}

// With a key of one's own, a command that is begun in an environment from before, while a rotation
// is under way, would seal with a key that nobody has in the end. It is refused.
func TestACommandWithTheOldKeyIsRefusedDuringARotation(t *testing.T) {
	t.Parallel()
	const before, after = "AIRLOCK_SECRET_KEY=the key of one's own before the rotation",
		"AIRLOCK_SECRET_KEY=the key of one's own after the rotation"
	in := startInstance(t, "AIRLOCK_POOL=0", before)
	in.stop()
	old := in.env
	run := func(env []string, args ...string) *exec.Cmd {
		command := exec.Command(in.binary, append([]string{"admin"}, args...)...)
		command.Env = env
		return command
	}
	early := run(old, "credential", "set", "EARLY", "--mode", "injected") // holds the rotation up: it waits for its value
	from, value, err := os.Pipe()
	must(t, err)
	early.Stdin = from
	must(t, early.Start())
	must(t, from.Close())
	_, err = value.WriteString("a value that came ")
	must(t, err)
	eventually(t, 20*time.Second, "the command has opened the instance and reads", func() bool {
		unread, err := unix.IoctlGetInt(int(value.Fd()), unix.TIOCINQ)
		must(t, err)
		return unread == 0
	})

	in.env = append(old[:len(old):len(old)], after,
		"AIRLOCK_SECRET_KEY_OLD="+strings.TrimPrefix(before, "AIRLOCK_SECRET_KEY="))
	rotated := make(chan string, 1)
	go func() { rotated <- in.admin("", "key", "rotate") }()
	refused := ""
	eventually(t, 20*time.Second, "a command with the old key is refused", func() bool {
		late := run(old, "credential", "set", "LATE", "--mode", "injected")
		late.Stdin = strings.NewReader("a value that is sealed with the old key")
		out, err := late.CombinedOutput()
		refused = string(out)
		return err != nil
	})
	if !strings.Contains(refused, "set the instance key") || !strings.Contains(refused, "rotated") {
		t.Errorf("it says %s", refused)
	}
	// with both keys everything goes on
	in.admin("a value that is sealed with the new key", "credential", "set", "BETWEEN", "--mode", "injected")
	_, err = value.WriteString("late 0123456789")
	must(t, err)
	must(t, value.Close())
	must(t, early.Wait())
	if said := <-rotated; !strings.Contains(said, "sealed") {
		t.Errorf("the rotation said %q", said)
	}
	in.env = append(old[:len(old):len(old)], after)
	// it opens everything with the new key alone
	in.admin(movingWords, "export", filepath.Join(t.TempDir(), "house.airlock"))
	if listed := in.admin("", "credential", "list"); !strings.Contains(listed, "EARLY") ||
		!strings.Contains(listed, "BETWEEN") {
		t.Errorf("%s", listed)
	}
}

// By the command line a part is exported, with or without its history, weak passphrases are refused
// with advice, and what would let a profile do more is written only by a yes to it.
func TestExportAndImportByChoice(t *testing.T) {
	t.Parallel()
	old, fresh := startInstance(t, "AIRLOCK_POOL=1"), startInstance(t, "AIRLOCK_POOL=0")
	fresh.stop()
	handles := map[string]string{}
	for _, name := range []string{"MINE", "OTHER"} {
		old.admin("value-of-"+name+"-0123456789", "credential", "set", name, "--mode", "injected")
		p := old.admin("", "profile", "create", "--description", name, "--key", name)
		old.admin("", "profile", "lock", p, "--expires", "30d")
		old.await(old.submit(p, "set_result(1)", 30*time.Second), 30*time.Second)
		handles[name] = p
	}
	old.stop()
	dir := t.TempDir()
	weak := exec.Command(old.binary, "admin", "export", filepath.Join(dir, "weak.airlock"))
	weak.Env, weak.Stdin = old.env, strings.NewReader("password1234\n")
	out, failed := weak.CombinedOutput()
	if _, err := os.Stat(filepath.Join(dir, "weak.airlock")); failed == nil || !strings.Contains(string(out), "words") ||
		err == nil {
		t.Errorf("a weak passphrase: %v %s, %v", failed, out, err)
	}
	part, bare := filepath.Join(dir, "part.airlock"), filepath.Join(dir, "bare.airlock")
	old.admin(movingWords+"\n", "export", part, "--profile", handles["MINE"])
	old.admin(movingWords+"\n", "export", bare, "--no-history")
	for file, want := range map[string][]string{part: {"credential:MINE", "1 executions"},
		bare: {"credential:MINE", "credential:OTHER", "0 executions"}} {
		shown := fresh.admin(movingWords+"\n", "import", "--preview", file)
		for _, w := range want {
			if !strings.Contains(shown, w) {
				t.Errorf("%s: no %q in %s", file, w, shown)
			}
		}
		if file == part && strings.Contains(shown, "OTHER") {
			t.Errorf("what was not chosen came along: %s", shown)
		}
	}
	fresh.admin(movingWords+"\n", "import", part, "--no-history")
	fresh.admin(movingWords+"\n", "import", bare, "--no", "credential:OTHER")
	if fresh.count("SELECT count(*) FROM executions") != 0 || fresh.count("SELECT count(*) FROM credentials") != 1 ||
		fresh.count("SELECT count(*) FROM profiles") != 2 {
		t.Errorf("what was not wanted was imported, or what was is missing")
	}
	// The file's profile never expires any more: --overwrite alone does not extend the one here.
	end := func() int { return fresh.count("SELECT expires_at FROM profiles WHERE description = 'MINE'") }
	before := end()
	old.admin("", "profile", "expire", handles["MINE"], "never")
	longer := filepath.Join(dir, "longer.airlock")
	old.admin(movingWords+"\n", "export", longer, "--profile", handles["MINE"], "--no-history")
	shown := fresh.admin(movingWords+"\n", "import", longer, "--overwrite")
	_, key, found := strings.Cut(shown, "NEEDS --yes ")
	key, _, _ = strings.Cut(key, ": ")
	if end() != before || before == 0 || !found || !strings.HasPrefix(key, "profile:") {
		t.Fatalf("it was extended without a yes, or nothing says how: %s", shown)
	}
	fresh.admin(movingWords+"\n", "import", longer, "--yes", key)
	if end() != 0 {
		t.Error("a yes extended nothing")
	}
}
