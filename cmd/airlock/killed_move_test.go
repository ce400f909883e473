package main

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
	"github.com/computclaw/airlock/app/transfer"
	"github.com/computclaw/airlock/cmd/airlock/internal/config"
	"github.com/computclaw/airlock/cmd/airlock/internal/instance"
)

// TestKillNineWhileMoving kills the program in the middle of an import, a rotation of the instance
// key, a restore and a backup. What was there before is there afterwards, and doing it again works.
func TestKillNineWhileMoving(t *testing.T) {
	t.Parallel()
	in := startInstance(t, "AIRLOCK_POOL=0")
	in.stop()
	dir := t.TempDir()
	file, words, target := filepath.Join(dir, "house.airlock"), filepath.Join(dir, "words"), filepath.Join(dir, "target")
	must(t, os.WriteFile(words, []byte(filePassphrase+"\n"), 0o600))
	must(t, os.Mkdir(target, 0o700))
	if _, err := generateFile(file,
		instanceSize{credentials: 20, profiles: 20, executions: 400, output: 16_000}); err != nil {
		t.Fatal(err)
	}
	profiles := func() int {
		in.admin("", "audit", "verify")
		return strings.Count(in.admin("", "profile", "list"), "profile ")
	}

	// The import is in its one transaction.
	in.kill(func() bool { return in.holds("before-import-*.db") && in.writing() }, "admin", "import", file,
		"--passphrase-file", words)
	if n := profiles(); n != 0 {
		t.Errorf("half an import: %d profiles", n)
	}
	in.admin("", "import", file, "--passphrase-file", words)
	if n := profiles(); n != 20 {
		t.Errorf("%d profiles after the import was repeated", n)
	}

	// Two at once would drop each other's keys.
	held, err := instance.LockRotation(in.dir)
	must(t, err)
	command := exec.Command(in.binary, "admin", "key", "rotate")
	command.Env = in.env
	if out, err := command.CombinedOutput(); err == nil || !strings.Contains(string(out), "another key rotation") ||
		in.lines("instance.key") != 1 {
		t.Errorf("a second rotation: %v %s", err, out)
	}
	must(t, held.Close())

	// Some is sealed with the new key, and some with the old one.
	in.kill(func() bool { return in.keys() == 2 }, "admin", "key", "rotate")
	if n := in.lines("instance.key"); n != 2 || profiles() != 20 {
		t.Errorf("after a broken rotation: %d keys, %d profiles", n, profiles())
	}
	in.admin("", "export", filepath.Join(dir, "between.airlock"), "--passphrase-file", words) // it opens everything
	in.admin("", "key", "rotate")
	if n := in.lines("instance.key"); n != 1 || in.keys() != 1 {
		t.Errorf("after the rotation was repeated: %d keys in the file, %d in the database", n, in.keys())
	}

	// The new database is half-made beside the present one.
	restore := []string{"restore", file, "--replace", "--passphrase-file", words}
	in.kill(func() bool { return in.holds("restore-*/airlock.db") }, append([]string{"admin"}, restore...)...)
	if log := in.admin("", "audit", "list"); profiles() != 20 || !strings.Contains(log, "key.rotated") {
		t.Errorf("after a broken restore: %d profiles, %s", profiles(), log)
	}
	in.admin("", restore...)
	if log := in.admin("", "audit", "list"); profiles() != 20 || !strings.Contains(log, "instance.restore") ||
		strings.Contains(log, "key.rotated") {
		t.Errorf("after the restore was repeated: %d profiles, %s", profiles(), log)
	}

	// The backup is stored, and half restored into its scratch database.
	in.scheduleBackup(target)
	in.kill(func() bool { return in.holds("backup-*/scratch/airlock.db") }, "serve")
	in.start()
	for _, left := range []string{"backup-*", "restore-*", "transfer-*", "*.tmp"} {
		if in.holds(left) {
			t.Errorf("%s is left", left)
		}
	}
	if log := in.admin("", "audit", "list"); !strings.Contains(log, "A backup was interrupted") {
		t.Errorf("nobody is told: %s", log)
	}
	in.stop()
	i, err := instance.Open(t.Context(), config.Config{DataDir: in.dir}, slog.New(slog.DiscardHandler))
	must(t, err)
	defer func() { must(t, i.Close()) }()
	b, err := i.Transfer.BackUp(t.Context(), app.System())
	if err != nil {
		t.Errorf("the next backup: %+v, %v", b, err)
	}
}

// kill runs the program on the instance's data directory and kills it as soon as it is in the
// middle. One that was faster is run again.
func (in *testServer) kill(middle func() bool, args ...string) {
	in.t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for range 40 {
		command := exec.Command(in.binary, args...)
		var out bytes.Buffer
		command.Env, command.Stdout, command.Stderr = in.env, &out, &out
		must(in.t, command.Start())
		ended := make(chan error, 1)
		go func() { ended <- command.Wait() }()
		for running := true; running; {
			select {
			case err := <-ended:
				if err != nil {
					in.t.Fatalf("%v: %v\n%s", args, err, out.String())
				}
				running = false
			case <-time.After(time.Millisecond):
				there := middle()
				if !there && time.Now().Before(deadline) {
					continue
				}
				if err := command.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
					in.t.Fatal(err)
				}
				if err := <-ended; err != nil && there {
					return
				}
				running = false
			}
		}
	}
	in.t.Fatalf("%v was always faster", args)
}

// holds reports whether the data directory has a file of that pattern.
func (in *testServer) holds(pattern string) bool {
	found, err := filepath.Glob(filepath.Join(in.dir, pattern))
	must(in.t, err)
	return len(found) > 0
}

// writing reports whether somebody is in a write transaction.
func (in *testServer) writing() bool {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(in.dir, "airlock.db")+"?_pragma=busy_timeout(0)&_txlock=immediate")
	must(in.t, err)
	defer db.Close()
	tx, err := db.BeginTx(in.t.Context(), nil)
	if err != nil {
		return strings.Contains(err.Error(), "locked")
	}
	must(in.t, tx.Rollback())
	return false
}

// keys is with how many instance keys ids and scripts are sealed.
func (in *testServer) keys() int {
	return in.count("SELECT count(*) FROM (SELECT substr(sealed_id, 2, 4) FROM profiles UNION SELECT substr(sealed_id, " +
		"2, 4) FROM executions UNION SELECT substr(script, 2, 4) FROM execution_scripts)")
}

func (in *testServer) lines(file string) int {
	text, err := os.ReadFile(filepath.Join(in.dir, file))
	must(in.t, err)
	return bytes.Count(text, []byte("\n"))
}

// scheduleBackup switches backups on, as of a month ago, so that one is due.
func (in *testServer) scheduleBackup(target string) {
	i, err := instance.Open(in.t.Context(), config.Config{DataDir: in.dir}, slog.New(slog.DiscardHandler))
	must(in.t, err)
	defer func() { must(in.t, i.Close()) }()
	then := func() time.Time { return time.Now().AddDate(0, -1, 0) }
	past := transfer.New(transfer.Config{Store: i.Store, Keyring: i.Keyring, Dir: in.dir, Instance: i.Label(), Now: then})
	must(in.t, past.SetBackupSettings(in.t.Context(), app.System(), transfer.BackupSettings{
		On: true, Every: transfer.Weekly, Keep: 3, Kind: transfer.ToDirectory, Directory: target,
		Passphrase: app.NewSecret(filePassphrase),
	}))
}
