package recovery_test

import (
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
	"github.com/computclaw/airlock/cmd/airlock/internal/instance"
)

const movingWords = "five random words for a move"

// A person moves everything from one running instance to another. The agent's ids, of profile and
// runs, work there. The old instance runs nothing more.
func TestMovingToAnotherMachine(t *testing.T) {
	t.Parallel()
	old, fresh := e2e.StartInstance(t, "AIRLOCK_POOL=1"), e2e.StartInstance(t, "AIRLOCK_POOL=1")
	old.Admin("moved-secret-value-0123456789", "credential", "set", "TOKEN", "--mode", "injected")
	profile := old.Admin("", "profile", "create", "--description", "moves", "--key", "TOKEN")
	old.Admin("", "profile", "lock", profile)
	script := "import hashlib\nanswer = llm.complete('which word?')\nset_result({'word': answer, 'digest': " +
		"hashlib.sha256(settings.get('TOKEN').encode()).hexdigest()})"
	run := func(in *e2e.Instance) e2e.Execution {
		x := in.Submit(profile, script, 30*time.Second)
		e2e.Eventually(t, 30*time.Second, "the script asks", func() bool {
			var now e2e.Execution
			in.Call(http.MethodGet, "/executions/"+x.ID, nil, &now)
			return now.Status == "awaiting_llm" || now.Terminal()
		})
		in.Call(http.MethodPost, "/executions/"+x.ID+"/respond", map[string]any{"response": "seven"}, nil)
		return in.Await(x, 30*time.Second)
	}
	before := run(old)
	if before.Status != "completed" {
		t.Fatalf("%+v", before)
	}

	// The old instance stops first, so that nothing that happens there is missing here.
	old.Admin("", "retire")
	var refused struct {
		Error struct{ Code, Hint string }
	}
	if code := old.Call(http.MethodPost, "/execute", map[string]any{"profile_id": profile, "script": "set_result(1)"},
		&refused); code != http.StatusGone || refused.Error.Code != "instance_retired" {
		t.Errorf("the old instance answers %d %+v", code, refused)
	}
	file := filepath.Join(t.TempDir(), "instance.airlock")
	old.Admin(movingWords+"\n", "export", file)
	if text, err := os.ReadFile(file); err != nil || strings.Contains(string(text), "moved-secret") ||
		strings.Contains(string(text), profile) {
		t.Errorf("the file shows what is in it: %v", err)
	}
	if shown := fresh.Admin(movingWords+"\n", "import", "--preview", file); !strings.Contains(shown, "credential:TOKEN") ||
		!strings.Contains(shown, "Key TOKEN gets: TOKEN") || strings.Contains(shown, profile) {
		t.Errorf("preview: %s", shown)
	}
	if code := fresh.Call(http.MethodGet, "/profiles/"+profile, nil, nil); code != http.StatusNotFound {
		t.Errorf("a preview changed something: %d", code)
	}
	if said := fresh.Admin(movingWords+"\n", "import", file); !strings.Contains(said,
		"admin restore --replace before-import-") {
		t.Errorf("the import doesn't say how to go back: %s", said)
	}

	// The old instance's audit log is there, apart.
	listed := strings.Fields(fresh.Admin("", "audit", "archived"))
	if len(listed) != 8 { // a head of four words, and one log
		t.Fatalf("archived logs: %v", listed)
	}
	if log := fresh.Admin("", "audit", "archived", "--of", listed[4]); !strings.Contains(log, "profile.lock") ||
		strings.Count(log, "\n") < 3 {
		t.Errorf("the archived log: %s", log)
	}

	// What the agent did is there under the old id, and what it does goes on.
	var seen e2e.Execution
	if code := fresh.Call(http.MethodGet, "/executions/"+before.ID, nil, &seen); code != http.StatusOK ||
		string(seen.Result) != string(before.Result) || seen.Stdout != before.Stdout {
		t.Errorf("the old execution: %d %+v", code, seen)
	}
	if after := run(fresh); after.Status != "completed" || string(after.Result) != string(before.Result) {
		t.Errorf("the same script there: %+v, here: %+v", before, after)
	}
	// A re-run finds the answer that was given on the other host.
	var again e2e.Execution
	if code := fresh.Call(http.MethodPost, "/executions/"+before.ID+"/rerun", map[string]any{},
		&again); code != http.StatusAccepted {
		t.Fatalf("rerun: %d", code)
	}
	if again = fresh.Await(again, 30*time.Second); again.Status != "completed" ||
		string(again.Result) != string(before.Result) {
		t.Errorf("the re-run: %+v", again)
	}
	// The profile is revoked at the old place. An import by command brings that along and stops its
	// runs.
	running := fresh.Submit(profile, "import time; time.sleep(600)", 10*time.Minute)
	e2e.Eventually(t, time.Minute, "it runs", func() bool {
		var now e2e.Execution
		fresh.Call(http.MethodGet, "/executions/"+running.ID, nil, &now)
		return now.Status == "running"
	})
	old.Admin("", "profile", "revoke", profile)
	file = filepath.Join(t.TempDir(), "revoked.airlock")
	old.Admin(movingWords+"\n", "export", file)
	_, key, _ := strings.Cut(fresh.Admin(movingWords+"\n", "import", "--preview", file), "NEEDS --yes ")
	key, _, _ = strings.Cut(key, ": ")
	fresh.Admin(movingWords+"\n", "import", file, "--yes", key)
	e2e.Eventually(t, time.Minute, "what the revoked profile ran is stopped",
		func() bool { return fresh.Count("SELECT count(*) FROM executions WHERE completed_at = 0") == 0 })
	profile = old.Admin("", "profile", "create", "--description", "stays")
	old.Admin("", "profile", "lock", profile)
	old.Admin("", "retire", "--undo")
	if x := old.Await(old.Submit(profile, "set_result(1)", 30*time.Second), 30*time.Second); x.Status != "completed" {
		t.Errorf("taken back: %+v", x)
	}
	for _, in := range []*e2e.Instance{old, fresh} {
		in.Admin("", "audit", "verify")
	}
}

// A backup comes back on a host that has nothing but the passphrase.
func TestRestoringAnInstance(t *testing.T) {
	t.Parallel()
	in := e2e.StartInstance(t, "AIRLOCK_POOL=1")
	profile := in.Admin("", "profile", "create", "--description", "comes back")
	in.Admin("", "profile", "lock", profile)
	x := in.Await(in.Submit(profile, "set_result([1, 2])", 30*time.Second), 30*time.Second)
	file := filepath.Join(t.TempDir(), "instance.airlock")
	words := filepath.Join(t.TempDir(), "words")
	e2e.Must(t, os.WriteFile(words, []byte(movingWords+"\n"), 0o600))
	in.Admin("", "export", file, "--passphrase-file", words)
	refuse := func(want string, args ...string) {
		t.Helper()
		command := exec.Command(in.Binary, append([]string{"admin"}, args...)...)
		command.Env = in.Env
		if out, err := command.CombinedOutput(); err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%v: %v %s", args, err, out)
		}
	}
	refuse("another server uses", "restore", file, "--passphrase-file", words, "--replace")
	in.Stop()
	refuse("there is a database", "restore", file, "--passphrase-file", words)
	entries, err := os.ReadDir(in.Dir)
	e2e.Must(t, err)
	for _, e := range entries { // the disk is lost, and the key with it
		e2e.Must(t, os.RemoveAll(filepath.Join(in.Dir, e.Name())))
	}
	wrong := filepath.Join(t.TempDir(), "wrong")
	e2e.Must(t, os.WriteFile(wrong, []byte("other words than those it was made with\n"), 0o600))
	refuse("does not open the file", "restore", file, "--passphrase-file", wrong)
	if _, err := os.Stat(filepath.Join(in.Dir, "airlock.db")); err == nil {
		t.Error("a failed restore left a database")
	}
	if _, err := os.Lstat(filepath.Join(in.Dir, "instance.key")); err == nil {
		t.Error("a failed restore left an instance key")
	}
	in.Admin("", "restore", file, "--passphrase-file", words)
	in.Start()
	var seen e2e.Execution
	if code := in.Call(http.MethodGet, "/executions/"+x.ID, nil, &seen); code != http.StatusOK ||
		string(seen.Result) != "[1,2]" {
		t.Errorf("%d %+v", code, seen)
	}
	var now e2e.Execution
	if now = in.Await(in.Submit(profile, "set_result(3)", 30*time.Second), 30*time.Second); string(now.Result) != "3" {
		t.Errorf("%+v", now)
	}
	if log := in.Admin("", "audit", "list"); !strings.Contains(log, "instance.restore") ||
		!strings.Contains(log, "profile.lock") {
		t.Errorf("the audit log: %s", log)
	}
	in.Admin("", "audit", "verify")

	// The way back from an import works as it is printed, from any directory.
	said := in.Admin("", "import", file, "--passphrase-file", words)
	in.Stop()
	in.Admin("", "restore", "--replace", said[strings.LastIndex(said, " ")+1:])
	in.Start()
	in.Admin("", "audit", "verify")
}

// Export & import shows the command with the bare name of the restore point. It works in any
// directory, and keeps the present database.
func TestARestorePointComesBackByTheCommandThatIsShown(t *testing.T) {
	t.Parallel()
	in := e2e.StartInstance(t, "AIRLOCK_POOL=0")
	in.Admin("", "profile", "create", "--description", "from before")
	in.Stop()
	const name = "before-import-20260102T030405.000Z.db"
	database, err := os.ReadFile(filepath.Join(in.Dir, "airlock.db"))
	e2e.Must(t, errors.Join(err, os.WriteFile(filepath.Join(in.Dir, name), database, 0o600)))
	in.Admin("", "profile", "create", "--description", "since")
	in.Admin("", "restore", "--replace", name)
	if list := in.Admin("", "profile", "list"); !strings.Contains(list, "from before") || strings.Contains(list, "since") {
		t.Errorf("%s", list)
	}
	aside, err := filepath.Glob(filepath.Join(in.Dir, "before-restore-*.db"))
	if err != nil || len(aside) != 1 {
		t.Fatalf("set aside: %v, %v", aside, err)
	}

	// After a key rotation both open only with the old key. The command names them, and nothing
	// else.
	rotate := func() string {
		command := exec.Command(in.Binary, "admin", "key", "rotate")
		command.Env = in.Env
		said, err := command.CombinedOutput()
		e2e.Must(t, err)
		return string(said)
	}
	if said := rotate(); !strings.Contains(said, "instance key before only") || !strings.Contains(said, "\n  "+name) ||
		!strings.Contains(said, "\n  "+filepath.Base(aside[0])) {
		t.Errorf("the rotation said %s", said)
	}
	e2e.Must(t, errors.Join(os.Remove(aside[0]), os.Remove(filepath.Join(in.Dir, name))))
	if said := rotate(); strings.Contains(said, "before only") {
		t.Errorf("without copies the rotation said %s", said)
	}
}

// A command beside a restore would write into the database that is set aside. A rotation would drop
// the new database's key. So each excludes the others.
func TestARestoreIsAloneInItsDirectory(t *testing.T) {
	t.Parallel()
	in := e2e.StartInstance(t, "AIRLOCK_POOL=0")
	in.Stop()
	point := filepath.Join(t.TempDir(), "point.db")
	e2e.Must(t, os.Link(filepath.Join(in.Dir, "airlock.db"), point))
	other, err := instance.ShareKeys(in.Dir) // as every command does
	e2e.Must(t, err)
	restore := exec.Command(in.Binary, "admin", "restore", point, "--replace")
	restore.Env = in.Env
	if out, err := restore.CombinedOutput(); err == nil ||
		!strings.Contains(string(out), "another airlock admin command") {
		t.Errorf("%v %s", err, out)
	}
	e2e.Must(t, other.Close())
	in.Admin("", "restore", point, "--replace")

	alone, err := instance.LockAlone(in.Dir)
	e2e.Must(t, err)
	began := exec.Command(in.Binary, "admin", "credential", "list")
	began.Env = in.Env
	e2e.Must(t, began.Start())
	ended := make(chan error, 1)
	go func() { ended <- began.Wait() }()
	e2e.Eventually(t, 20*time.Second, "the command waits for the lock", func() bool {
		select {
		case err := <-ended:
			t.Fatalf("it ran beside the restore: %v", err)
		default:
		}
		locks, err := os.ReadFile("/proc/locks")
		e2e.Must(t, err)
		return strings.Contains(string(locks), "-> FLOCK  ADVISORY  READ "+strconv.Itoa(began.Process.Pid)+" ")
	})
	e2e.Must(t, alone.Close())
	e2e.Must(t, <-ended)
}

// The instance key is replaced. Afterwards the old one is gone, and everything is found.
func TestInstanceKeyIsRotated(t *testing.T) {
	t.Parallel()
	in := e2e.StartInstance(t, "AIRLOCK_POOL=1")
	in.Admin("rotated-secret-value-0123456789", "credential", "set", "TOKEN", "--mode", "injected")
	profile := in.Admin("", "profile", "create", "--key", "TOKEN")
	in.Admin("", "profile", "lock", profile)
	script := "import hashlib\nset_result(hashlib.sha256(settings.get('TOKEN').encode()).hexdigest())"
	before := in.Await(in.Submit(profile, script, 30*time.Second), 30*time.Second)
	keyFile := filepath.Join(in.Dir, "instance.key")
	old, err := os.ReadFile(keyFile)
	e2e.Must(t, err)
	in.Stop()
	named := in.Admin("", "key", "rotate")
	in.Start()
	name := named[strings.LastIndex(strings.TrimSpace(named), " ")+1:]
	if page := in.Person().Get(in, "/ui/settings/move"); !strings.Contains(page, strings.TrimSpace(name)) {
		t.Errorf("the page names another key than the command, which said %q", named)
	}
	now, err := os.ReadFile(keyFile)
	e2e.Must(t, err)
	if strings.Contains(string(now), strings.TrimSpace(string(old))) || strings.Count(string(now), "\n") != 1 {
		t.Error("the old key is still in the key file")
	}
	for range 2 {
		if x := in.Await(in.Submit(profile, script, 30*time.Second),
			30*time.Second); string(x.Result) != string(before.Result) || x.Status != "completed" {
			t.Errorf("%+v", x)
		}
		if code := in.Call(http.MethodGet, "/executions/"+before.ID, nil, nil); code != http.StatusOK {
			t.Errorf("the execution before: %d", code)
		}
		in.Stop()
		in.Admin("", "key", "rotate") // and once more
		in.Start()
	}
	in.Admin("", "audit", "verify")
}
