package recovery_test

import (
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

// TestSIGTERMDrains stops the server while executions run, ask and queue. Those that end in time
// do, while the API answers. The others are marked; queued ones run after the next start.
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

// TestOtherSchemas: a missing migration is made and leaves a copy. Newer databases and other
// migrations are refused untouched. The program goes back to the copy as docs/upgrade.md says.
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
	in.Start()
	in.Stop()
	sqlite("DROP TRIGGER approvals_are_withdrawn; DROP TABLE approvals; DELETE FROM schema_migrations WHERE version = 8")
	in.Start()
	if got := sqlite("SELECT count(*) FROM approvals; PRAGMA integrity_check"); got != "0\nok" {
		t.Errorf("after the migration: %s", got)
	}
	in.Stop()
	copied := filepath.Join(in.Dir, "pre-migrate-7.db")
	if info, err := os.Stat(copied); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the copy: %v %v", info, err)
	}

	for change, says := range map[string]string{
		"UPDATE schema_migrations SET name = 'schema', checksum = 'x' WHERE version = 1": "start with an empty data directory",
		"INSERT INTO schema_migrations VALUES (99, 'future', 'x', 1)":                    "run the newer Airlock",
	} {
		whole, err := os.ReadFile(file)
		e2e.Must(t, err)
		sqlite(change)
		before, err := os.ReadFile(file)
		e2e.Must(t, err)
		for _, args := range [][]string{{"serve"}, {"admin", "profile", "list"}} {
			command := exec.Command(in.Binary, args...)
			command.Env = in.Env
			out, err := command.CombinedOutput()
			if err == nil || !strings.Contains(string(out), says) {
				t.Errorf("airlock %v after %s: %v %s", args, change, err, out)
			}
		}
		if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
			t.Error("a database that was refused was written to")
		}
		e2e.Must(t, os.WriteFile(file, whole, 0o600))
	}

	in.Admin("", "restore", "--replace", copied)
	in.Start()
	if got := sqlite("SELECT count(*) FROM schema_migrations"); got != "8" {
		t.Errorf("after going back there are %s migrations", got)
	}
}
