package store

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"golang.org/x/sys/unix"
)

// steps makes migrations of SQL texts.
func steps(t *testing.T, texts ...string) []migration {
	t.Helper()
	fsys := fstest.MapFS{}
	for i, text := range texts {
		fsys["m/"+strings.Repeat("0", 3)+string(rune('1'+i))+"_step.sql"] = &fstest.MapFile{Data: []byte(text)}
	}
	all, err := loadMigrations(fsys, "m")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// bare opens a database without the product's schema.
func bare(t *testing.T) (*Store, string) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, FileName)
	if err := prepareFile(path); err != nil {
		t.Fatal(err)
	}
	db, err := connect(dsn(path)+"&_txlock=immediate", 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &Store{path: path, writer: db}
	t.Cleanup(func() { _ = s.Close() })
	return s, dir
}

func count(t *testing.T, s *Store, query string) (n int) {
	t.Helper()
	if err := s.writer.Raw(query).Scan(&n).Error; err != nil {
		t.Fatal(err)
	}
	return n
}

const (
	parents  = "CREATE TABLE parents (id INTEGER PRIMARY KEY, a TEXT, b TEXT) STRICT;"
	children = "CREATE TABLE children (id INTEGER PRIMARY KEY, parent INTEGER NOT NULL REFERENCES parents (id) ON " +
		"DELETE CASCADE) STRICT;"
	rebuild = "CREATE TABLE new (id INTEGER PRIMARY KEY, a TEXT) STRICT; INSERT INTO new SELECT id, a FROM parents; " +
		"DROP TABLE parents; ALTER TABLE new RENAME TO parents;"
)

func TestMigrateKeepsRowsAndLeavesACopy(t *testing.T) {
	s, dir := bare(t)
	if err := migrate(t.Context(), s.writer, dir, steps(t, parents+children), nil); err != nil {
		t.Fatal(err)
	}
	if found, _ := filepath.Glob(filepath.Join(dir, "pre-migrate-*")); len(found) > 0 {
		t.Errorf("an empty database was copied: %v", found)
	}
	if err := s.writer.Exec("INSERT INTO parents VALUES (1, 'x', 'y'); " +
		"INSERT INTO children VALUES (1, 1), (2, 1)").Error; err != nil {
		t.Fatal(err)
	}
	if err := migrate(t.Context(), s.writer, dir, steps(t, parents+children, rebuild), nil); err != nil {
		t.Fatal(err)
	}
	if n := count(t, s, "SELECT count(*) FROM children"); n != 2 {
		t.Errorf("%d children are left after a table rebuild, want 2", n)
	}
	if n := count(t, s, "PRAGMA foreign_keys"); n != 1 {
		t.Error("foreign keys are off after migrating")
	}
	checkCopy(t, filepath.Join(dir, "pre-migrate-1.db"))
}

// A start that was killed while it made its copy left one as large as the database, each time.
func TestAbandonedCopiesAreRemoved(t *testing.T) {
	s, dir := bare(t)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(migrate(t.Context(), s.writer, dir, steps(t, parents+children), nil))
	must(s.writer.Exec("INSERT INTO parents VALUES (1, 'x', 'y')").Error)
	files := map[string]*os.File{}
	for _, name := range []string{"abandoned", "new", "busy"} {
		f, err := os.Create(filepath.Join(dir, "pre-migrate-1.db."+name+".tmp"))
		must(err)
		defer f.Close()
		files[name] = f
	}
	old := time.Now().Add(-2 * abandonedAfter)
	must(os.Chtimes(files["abandoned"].Name(), old, old))
	must(os.Chtimes(files["busy"].Name(), old, old))
	must(unix.Flock(int(files["busy"].Fd()), unix.LOCK_EX))
	must(migrate(t.Context(), s.writer, dir, steps(t, parents+children, rebuild), nil))
	for name, f := range files {
		if _, err := os.Stat(f.Name()); os.IsNotExist(err) != (name == "abandoned") {
			t.Errorf("%s: %v", name, err)
		}
	}
	checkCopy(t, filepath.Join(dir, "pre-migrate-1.db"))
}

func checkCopy(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the copy has mode %o", info.Mode().Perm())
	}
	old, err := sql.Open("sqlite", "file:"+path+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	var b string
	if err := old.QueryRow("SELECT b FROM parents").Scan(&b); err != nil || b != "y" {
		t.Errorf("the copy has %q (%v), want the old schema's row", b, err)
	}
}

func TestFailedMigrationChangesNothing(t *testing.T) {
	s, dir := bare(t)
	first := parents + children
	if err := migrate(t.Context(), s.writer, dir, steps(t, first), nil); err != nil {
		t.Fatal(err)
	}
	if err := s.writer.Exec("INSERT INTO parents VALUES (1, 'x', 'y'); " +
		"INSERT INTO children VALUES (1, 1)").Error; err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string]string{
		"syntax":  "DROP TABLE children; CREATE TABLE;",
		"orphans": "DELETE FROM parents;",
	} {
		if err := migrate(t.Context(), s.writer, dir, steps(t, first, bad), nil); err == nil {
			t.Errorf("%s: no error", name)
		}
		if n := count(t, s, "SELECT count(*) FROM children JOIN parents ON parents.id = parent"); n != 1 {
			t.Errorf("%s: %d rows are left, want 1", name, n)
		}
		if n := count(t, s, "SELECT count(*) FROM schema_migrations"); n != 1 {
			t.Errorf("%s: %d migrations are recorded, want 1", name, n)
		}
		if n := count(t, s, "PRAGMA foreign_keys"); n != 1 {
			t.Errorf("%s: foreign keys are off", name)
		}
	}
	if err := migrate(t.Context(), s.writer, dir, steps(t, first, rebuild), nil); err != nil {
		t.Errorf("the right migration after failed ones: %v", err)
	}
}

func TestOtherSchemasAreRefused(t *testing.T) {
	s, dir := bare(t)
	if err := migrate(t.Context(), s.writer, dir, steps(t, parents, children), nil); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		program []migration
		want    string
	}{
		"newer database":   {steps(t, parents), "newer Airlock"},
		"edited migration": {steps(t, parents+"-- edited", children), "start with an empty data directory"},
	} {
		if err := migrate(t.Context(), s.writer, dir, c.program, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", name, err, c.want)
		}
	}
}

func TestMigrationsAreNumberedInARow(t *testing.T) {
	for _, names := range [][]string{{"0002_a.sql"}, {"0001_a.sql", "0003_b.sql"}, {"1_a.sql"},
		{"0001_a.sql", "0001_b.sql"}, {"x.sql"}} {
		fsys := fstest.MapFS{}
		for _, n := range names {
			fsys["m/"+n] = &fstest.MapFile{}
		}
		if _, err := loadMigrations(fsys, "m"); err == nil {
			t.Errorf("%v: no error", names)
		}
	}
}

// TestProcessesMigrateOnce: of processes that open a new database at once none fails, and each
// migration is made by one of them.
func TestProcessesMigrateOnce(t *testing.T) {
	if dir := os.Getenv("AIRLOCK_TEST_OPENS"); dir != "" { // one of them
		fmt.Println("ready")
		_, _ = io.Copy(io.Discard, os.Stdin)
		s, err := Open(t.Context(), dir, slog.New(slog.NewTextHandler(os.Stderr, nil)))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		return
	}
	all, err := embedded()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	start, hold, err := os.Pipe() // they all begin when it is closed
	if err != nil {
		t.Fatal(err)
	}
	defer hold.Close()
	var others []*exec.Cmd
	var logs [4]bytes.Buffer
	for i := range logs {
		other := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestProcessesMigrateOnce$", "-test.count=1")
		other.Env, other.Stdin, other.Stderr = append(os.Environ(), "AIRLOCK_TEST_OPENS="+dir), start, &logs[i]
		out, err := other.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := other.Start(); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
			t.Fatalf("%q %v", line, err)
		}
		others = append(others, other)
	}
	start.Close()
	hold.Close()
	migrated := 0
	for i, other := range others {
		if err := other.Wait(); err != nil {
			t.Errorf("%v: %s", err, &logs[i])
		}
		migrated += strings.Count(logs[i].String(), "schema migrated")
	}
	if migrated != len(all) {
		t.Errorf("%d migrations were made, of %d that there are", migrated, len(all))
	}
}

// TestANewDatabaseIsWaitedFor: SQLite doesn't wait for whoever holds a database that is not in WAL
// mode yet, so Open does, until its caller gives up.
func TestANewDatabaseIsWaitedFor(t *testing.T) {
	dir := t.TempDir()
	other, err := sql.Open("sqlite", filepath.Join(dir, FileName)+"?_txlock=immediate&_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	held, err := other.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := Open(short, dir, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("opened a database that somebody holds, and was given up: %v", err)
	}
	timer := time.AfterFunc(200*time.Millisecond, func() { _ = held.Rollback() })
	defer timer.Stop()
	s, err := Open(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestProductSchemaReopensWithData(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Write(t.Context(), func(tx *Tx) error {
		return tx.Settings.Set(t.Context(), time.Now(), Setting{Key: "k", Value: []byte("v"), Sealed: true})
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again := openIn(t, dir)
	_ = again.Read(t.Context(), func(tx *Tx) error {
		if got, ok, err := tx.Settings.Get(t.Context(), "k"); err != nil || !ok || string(got.Value) != "v" || !got.Sealed {
			t.Errorf("read %+v %v %v", got, ok, err)
		}
		return nil
	})
}
