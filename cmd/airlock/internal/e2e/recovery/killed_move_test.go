package recovery_test

import (
	"bytes"
	"database/sql"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/backups"
	"github.com/computclaw/airlock/cmd/airlock/internal/config"
	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
	"github.com/computclaw/airlock/cmd/airlock/internal/instance"
)

// TestKillNineWhileMoving kills the program during an import, a key rotation, a restore and a
// backup. Everything is still there, and repeating works.
func TestKillNineWhileMoving(t *testing.T) {
	t.Parallel()
	in := e2e.StartInstance(t, "AIRLOCK_POOL=0")
	in.Stop()
	dir := t.TempDir()
	file, words, target := filepath.Join(dir, "instance.airlock"), filepath.Join(dir, "words"), filepath.Join(dir, "target")
	e2e.Must(t, os.WriteFile(words, []byte(filePassphrase+"\n"), 0o600))
	e2e.Must(t, os.Mkdir(target, 0o700))
	if _, err := generateFile(file,
		instanceSize{credentials: 20, profiles: 20, executions: 400, output: 16_000}); err != nil {
		t.Fatal(err)
	}
	profiles := func() int {
		in.Admin("", "audit", "verify")
		return strings.Count(in.Admin("", "profile", "list"), "profile ")
	}

	// The import is in its one transaction.
	killDuring(in, func() bool { return holdsFile(in, "before-import-*.db") && isWriting(in) }, "admin", "import", file,
		"--passphrase-file", words)
	if n := profiles(); n != 0 {
		t.Errorf("half an import: %d profiles", n)
	}
	in.Admin("", "import", file, "--passphrase-file", words)
	if n := profiles(); n != 20 {
		t.Errorf("%d profiles after the import was repeated", n)
	}

	// A command that began before would seal with a dropped key.
	held, err := instance.ShareKeys(in.Dir) // as every command does
	e2e.Must(t, err)
	command := exec.Command(in.Binary, "admin", "key", "rotate")
	command.Env = in.Env
	if out, err := command.CombinedOutput(); err == nil || !strings.Contains(string(out), "another airlock admin command") ||
		countLines(in, "instance.key") != 1 {
		t.Errorf("a rotation beside another command: %v %s", err, out)
	}
	e2e.Must(t, held.Close())

	// Some is sealed with the new key, and some with the old one.
	killDuring(in, func() bool { return countKeys(in) == 2 }, "admin", "key", "rotate")
	if n := countLines(in, "instance.key"); n != 2 || profiles() != 20 {
		t.Errorf("after a broken rotation: %d keys, %d profiles", n, profiles())
	}
	in.Admin("", "export", filepath.Join(dir, "between.airlock"), "--passphrase-file", words) // it opens everything
	in.Admin("", "key", "rotate")
	if n := countLines(in, "instance.key"); n != 1 || countKeys(in) != 1 {
		t.Errorf("after the rotation was repeated: %d keys in the file, %d in the database", n, countKeys(in))
	}

	// The new database is half-made beside the present one.
	restore := []string{"restore", file, "--replace", "--passphrase-file", words}
	killDuring(in, func() bool { return holdsFile(in, "restore-*/airlock.db") }, append([]string{"admin"}, restore...)...)
	if log := in.Admin("", "audit", "list"); profiles() != 20 || !strings.Contains(log, "key.rotated") {
		t.Errorf("after a broken restore: %d profiles, %s", profiles(), log)
	}
	in.Admin("", restore...)
	if log := in.Admin("", "audit", "list"); profiles() != 20 || !strings.Contains(log, "instance.restore") ||
		strings.Contains(log, "key.rotated") {
		t.Errorf("after the restore was repeated: %d profiles, %s", profiles(), log)
	}

	// The backup is stored, and half restored into its scratch database.
	scheduleBackup(in, target)
	killDuring(in, func() bool { return holdsFile(in, "backup-*/*-restored/airlock.db") }, "serve")
	in.Start()
	for _, left := range []string{"backup-*", "restore-*", "transfer-*", "*.tmp"} {
		if holdsFile(in, left) {
			t.Errorf("%s is left", left)
		}
	}
	if log := in.Admin("", "audit", "list"); !strings.Contains(log, "A backup was interrupted") {
		t.Errorf("nobody is told: %s", log)
	}
	in.Stop()
	i, err := instance.Open(t.Context(), config.Config{DataDir: in.Dir}, slog.New(slog.DiscardHandler))
	e2e.Must(t, err)
	defer func() { e2e.Must(t, i.Close()) }()
	b, err := i.Backups.BackUp(t.Context(), app.System())
	if err != nil {
		t.Errorf("the next backup: %+v, %v", b, err)
	}
}

// killDuring runs the program on the data directory and kills it in the middle. It reruns one that
// was faster.
func killDuring(in *e2e.Instance, middle func() bool, args ...string) {
	in.T.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for range 40 {
		command := exec.Command(in.Binary, args...)
		var out bytes.Buffer
		command.Env, command.Stdout, command.Stderr = in.Env, &out, &out
		e2e.Must(in.T, command.Start())
		ended := make(chan error, 1)
		go func() { ended <- command.Wait() }()
		for running := true; running; {
			select {
			case err := <-ended:
				if err != nil {
					in.T.Fatalf("%v: %v\n%s", args, err, out.String())
				}
				running = false
			case <-time.After(time.Millisecond):
				there := middle()
				if !there && time.Now().Before(deadline) {
					continue
				}
				if err := command.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
					in.T.Fatal(err)
				}
				if err := <-ended; err != nil && there {
					return
				}
				running = false
			}
		}
	}
	in.T.Fatalf("%v was always faster", args)
}

func holdsFile(in *e2e.Instance, pattern string) bool {
	found, err := filepath.Glob(filepath.Join(in.Dir, pattern))
	e2e.Must(in.T, err)
	return len(found) > 0
}

// isWriting reports whether somebody is in a write transaction.
func isWriting(in *e2e.Instance) bool {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(in.Dir, "airlock.db")+"?_pragma=busy_timeout(0)&_txlock=immediate")
	e2e.Must(in.T, err)
	defer db.Close()
	tx, err := db.BeginTx(in.T.Context(), nil)
	if err != nil {
		return strings.Contains(err.Error(), "locked")
	}
	e2e.Must(in.T, tx.Rollback())
	return false
}

func countKeys(in *e2e.Instance) int {
	return in.Count("SELECT count(*) FROM (SELECT substr(sealed_id, 2, 4) FROM profiles UNION SELECT substr(sealed_id, " +
		"2, 4) FROM executions UNION SELECT substr(script, 2, 4) FROM execution_scripts)")
}

func countLines(in *e2e.Instance, file string) int {
	text, err := os.ReadFile(filepath.Join(in.Dir, file))
	e2e.Must(in.T, err)
	return bytes.Count(text, []byte("\n"))
}

// scheduleBackup makes a backup due.
func scheduleBackup(in *e2e.Instance, target string) {
	i, err := instance.Open(in.T.Context(), config.Config{DataDir: in.Dir}, slog.New(slog.DiscardHandler))
	e2e.Must(in.T, err)
	defer func() { e2e.Must(in.T, i.Close()) }()
	then := func() time.Time { return time.Now().AddDate(0, -1, 0) }
	past := backups.New(backups.Config{Store: i.Store, Keyring: i.Keyring, Dir: in.Dir, Instance: i.Label(), Now: then})
	e2e.Must(in.T, past.SetBackupSettings(in.T.Context(), app.System(), backups.BackupSettings{
		On: true, Every: backups.Weekly, Keep: 3, Kind: backups.ToDirectory, Directory: target,
		Passphrase: app.NewSecret(filePassphrase),
	}))
}
