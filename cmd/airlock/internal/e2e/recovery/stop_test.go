package recovery_test

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// TestSIGTERMDrains tells the server to end while executions run, wait for an answer and wait in
// the queue. Who comes to an end within the limit does, the API answering meanwhile; the others are
// marked; what waits in the queue runs after the next start.
func TestSIGTERMDrains(t *testing.T) {
	t.Parallel()
	in := e2e.StartInstance(t, "AIRLOCK_WORKERS=2", "AIRLOCK_POOL=0", "AIRLOCK_DRAIN=15s")
	profile := in.Admin("", "profile", "create", "--description", "drain")
	in.Admin("", "profile", "lock", profile)
	status := func(x e2e.Execution, want string) {
		t.Helper()
		e2e.Eventually(t, time.Minute, "the status is "+want, func() bool {
			var now e2e.Execution
			return in.Call(http.MethodGet, "/executions/"+x.ID, nil, &now) == http.StatusOK && now.Status == want
		})
	}
	asking := in.Submit(profile, "set_result(llm.complete('well?'))", time.Minute)
	status(asking, "awaiting_llm")
	endless := in.Submit(profile, "import time\nwhile True: time.sleep(1)", time.Minute)
	status(endless, "running")
	short := in.Submit(profile, "import time\ntime.sleep(3)\nset_result('done')", time.Minute)
	status(short, "running")
	queued := in.Submit(profile, "set_result('later')", time.Minute)
	e2e.Must(t, in.Server.Process.Signal(syscall.SIGTERM))
	e2e.Eventually(t, time.Minute, "nothing more is accepted", func() bool {
		var refused struct {
			Error struct{ Code, Message, Hint string }
		}
		code := in.Call(http.MethodPost, "/execute", map[string]any{"profile_id": profile, "script": "1"}, &refused)
		return code == http.StatusServiceUnavailable && strings.Contains(refused.Error.Message, "being stopped") &&
			strings.Contains(refused.Error.Hint, "started again")
	})
	var health struct {
		Sandbox struct{ Reason string }
	}
	if code := in.Call(http.MethodGet, "/health", nil, &health); code != http.StatusOK ||
		!strings.Contains(health.Sandbox.Reason, "being stopped") {
		t.Errorf("health while it drains: %d %q", code, health.Sandbox.Reason)
	}
	if code := in.Call(http.MethodPost, "/executions/"+asking.ID+"/respond", map[string]any{"response": "yes"},
		nil); code >= 300 {
		t.Errorf("an answer while it drains: status %d", code)
	}
	if err := in.Server.Wait(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
	in.Start()
	if x := in.Await(endless, time.Minute); x.Status != "error" ||
		!strings.Contains(x.Error, "Airlock was stopped while this ran") {
		t.Errorf("what never ends: %s %s", x.Status, x.Error)
	}
	if x := in.Await(short, time.Minute); x.Status != "completed" || string(x.Result) != `"done"` {
		t.Errorf("what needed a moment: %s %s %s", x.Status, x.Error, x.Result)
	}
	if x := in.Await(queued, time.Minute); x.Status != "completed" || string(x.Result) != `"later"` {
		t.Errorf("what was queued: %s %s %s", x.Status, x.Error, x.Result)
	}
	if x := in.Await(asking, time.Minute); x.Status != "completed" || string(x.Result) != `"yes"` {
		t.Errorf("what was answered meanwhile: %s %s %s", x.Status, x.Error, x.Result)
	}
}

// TestOtherSchemas starts the program on a database of an older one, which it migrates, leaving a
// copy; on one of a newer one, which it refuses without touching it; and goes back to the copy, as
// docs/upgrade.md says.
func TestOtherSchemas(t *testing.T) {
	t.Parallel()
	in := e2e.NewInstance(t, "AIRLOCK_POOL=0")
	t.Cleanup(in.Stop)
	file := filepath.Join(in.Dir, "airlock.db")
	sqlite := func(sql string) string {
		t.Helper()
		command := exec.Command("sqlite3", "-bail", file)
		command.Stdin = strings.NewReader(sql)
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%v %s", err, out)
		}
		return strings.TrimSpace(string(out))
	}
	sqlite(schemaOf(t, 3))
	rows, err := os.ReadFile("../../../../../store/testdata/rows-of-schema-1.sql")
	e2e.Must(t, err)
	for line := range strings.Lines(string(rows)) {
		if !strings.Contains(line, "audit_events") { // its made-up hashes would be found out
			sqlite(line)
		}
	}
	in.Start()
	if got := sqlite("SELECT count(*) FROM profiles; SELECT count(*) FROM credentials; PRAGMA " +
		"integrity_check"); got != "1\n1\nok" {
		t.Errorf("after the migration: %s", got)
	}
	in.Stop()
	copied := filepath.Join(in.Dir, "pre-migrate-3.db")
	if info, err := os.Stat(copied); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the copy: %v %v", info, err)
	}

	sqlite("INSERT INTO schema_migrations VALUES (99, 'future', 'x', 1)")
	before, err := os.ReadFile(file)
	e2e.Must(t, err)
	for _, args := range [][]string{{"serve"}, {"admin", "profile", "list"}} {
		command := exec.Command(in.Binary, args...)
		command.Env = in.Env
		out, err := command.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "run the newer Airlock") ||
			!strings.Contains(string(out), "restore") {
			t.Errorf("airlock %v on a newer database: %v %s", args, err, out)
		}
	}
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
		t.Error("a database that was refused was written to")
	}

	in.Admin("", "restore", "--replace", copied)
	in.Start()
	if got := sqlite("SELECT count(*) FROM profiles; SELECT count(*) FROM credentials; SELECT count(*) FROM " +
		"schema_migrations WHERE version = 99"); got != "1\n1\n0" {
		t.Errorf("after going back: %s", got)
	}
}

// schemaOf is what a program that knew so many migrations made of an empty file.
func schemaOf(t *testing.T, version int) string {
	t.Helper()
	text := "PRAGMA journal_mode = WAL; CREATE TABLE schema_migrations (version INTEGER NOT NULL PRIMARY KEY, name TEXT " +
		"NOT NULL, checksum TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT;\n"
	files, err := filepath.Glob("../../../../../store/migrations/*.sql")
	e2e.Must(t, err)
	for i, path := range files[:version] {
		migration, err := os.ReadFile(path)
		e2e.Must(t, err)
		_, name, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".sql"), "_")
		text += fmt.Sprintf("%s\n;INSERT INTO schema_migrations VALUES (%d, '%s', '%x', 1);\n", migration, i+1, name,
			sha256.Sum256(migration))
	}
	return text
}
