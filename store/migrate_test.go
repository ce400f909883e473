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
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
	"gorm.io/gorm/schema"

	"github.com/computclaw/airlock/app"
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

// Each start that was killed during its copy left one as large as the database.
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

// If several processes open a new database at once, none fails and each migration runs once.
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
	all, err := loadEmbedded()
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

// SQLite doesn't wait for a locked database that is not in WAL mode yet. Open does, until its
// caller gives up.
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

func rowTypes() []any {
	return []any{
		settingRow{}, credentialRow{}, credentialVersionRow{}, supersededValueRow{}, valueChangesRow{}, profileRow{},
		profileKeyRow{}, profileHostRow{}, policyRow{},
		adminSessionRow{}, personRow{}, invitationRow{}, auditEventRow{},
		executionRow{}, executionScriptRow{}, executionOutputRow{}, executionValueRow{}, llmExchangeRow{}, connectionRow{},
		redactionHitRow{}, idempotencyRow{}, executionStatsRow{}, pastBeatRow{},
		backupRow{}, auditArchiveRow{}, vaultLeaseRow{},
		blobRow{}, fileRow{}, executionFileRow{}, artifactRow{},
		approvalRow{},
		skillRow{}, skillVersionRow{}, skillProfileRow{},
	}
}

// column is what a row type and a table must agree on.
type column struct {
	Name     string
	Type     string
	Nullable bool
	Primary  bool
}

func TestSchemaMatchesModels(t *testing.T) {
	s := open(t)
	var tables []string
	if err := s.reader.Raw("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name " +
		"<> 'schema_migrations' AND name NOT LIKE 'execution_words%'").Scan(&tables).Error; err != nil {
		t.Fatal(err)
	}
	for _, row := range rowTypes() {
		parsed, err := schema.Parse(row, &sync.Map{}, schema.NamingStrategy{})
		if err != nil {
			t.Fatal(err)
		}
		i := slices.Index(tables, parsed.Table)
		if i < 0 {
			t.Errorf("%T: no table %s", row, parsed.Table)
			continue
		}
		tables = slices.Delete(tables, i, i+1)
		if diff := cmp.Diff(tableColumns(t, s, parsed.Table), modelColumns(parsed)); diff != "" {
			t.Errorf("%s: table (-) and row type (+) differ:\n%s", parsed.Table, diff)
		}
	}
	if len(tables) > 0 {
		t.Errorf("tables without a row type: %v", tables)
	}
}

func tableColumns(t *testing.T, s *Store, table string) []column {
	t.Helper()
	var info []struct {
		Name    string
		Type    string
		Notnull bool
		Pk      int
	}
	if err := s.reader.Raw(fmt.Sprintf("PRAGMA table_info(%s)", table)).Scan(&info).Error; err != nil {
		t.Fatal(err)
	}
	var columns []column
	for _, c := range info {
		columns = append(columns, column{c.Name, c.Type, !c.Notnull && c.Pk == 0, c.Pk > 0})
	}
	return columns
}

func modelColumns(s *schema.Schema) []column {
	var columns []column
	for _, f := range s.Fields {
		kind := map[schema.DataType]string{schema.String: "TEXT", schema.Int: "INTEGER", schema.Bool: "INTEGER",
			schema.Bytes: "BLOB"}[f.DataType]
		columns = append(columns, column{f.DBName, kind, nullable[s.Table+"."+f.DBName], f.PrimaryKey})
	}
	return columns
}

// nullable lists the columns where NULL has a meaning. Their row fields are pointers or byte
// slices.
var nullable = map[string]bool{
	"credential_versions.value":  true,
	"profile_keys.credential_id": true,
	"executions.profile_id":      true,
	"execution_files.blob_id":    true,
	"artifacts.blob_id":          true,
	"skill_versions.blob_id":     true,
	"execution_scripts.inputs":   true,
	"execution_outputs.result":   true,
	"llm_exchanges.answer":       true,
	"llm_exchanges.asked":        true,
}

// plant inserts a locked profile with a linked key, policy, execution and audit event, in SQL.
func plant(t *testing.T, s *Store) {
	t.Helper()
	for _, sql := range []string{
		`INSERT INTO credentials (id, name, mode, created_at, updated_at)
			VALUES ('c', 'C', 'plain', 1, 1), ('d', 'D', 'plain', 1, 1)`,
		`INSERT INTO credential_versions VALUES ('c', 1, x'00', 'k', '{}', 1)`,
		`INSERT INTO profiles (id, lookup, sealed_id, handle, created_by, created_at, updated_at)
			VALUES (1, x'01', x'01', 'p', '{}', 1, 1)`,
		`INSERT INTO profile_keys (profile_id, name, position, credential_id, created_at) VALUES (1, 'C', 0, 'c', 1)`,
		`INSERT INTO policies VALUES ('p', 1, '{}', '', '{}', 1)`,
		`UPDATE profiles SET locked = 1, policy = 1`,
		`INSERT INTO executions (id, handle, lookup, sealed_id, profile_id, profile_handle, policy, timeout_ms, created_at)
			VALUES (1, 'x', x'01', x'01', 1, 'p', 1, 1, 1)`,
		`INSERT INTO idempotency VALUES (1, x'01', x'01', 1, 1)`,
	} {
		if err := s.writer.Exec(sql).Error; err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	if err := s.Write(t.Context(), func(tx *Tx) error {
		return tx.Audit(t.Context(), app.Event{At: time.UnixMilli(1), Actor: app.System(), Action: "a"})
	}); err != nil {
		t.Fatal(err)
	}
}

func TestDatabaseRefusesWhatMustNeverHappen(t *testing.T) {
	s := open(t)
	plant(t, s)
	if err := s.writer.Exec("UPDATE profiles SET revoked = 1").Error; err != nil {
		t.Fatal(err)
	}
	for sql, want := range map[string]string{
		`UPDATE policies SET body = '[]'`: "policy versions never change",
		`UPDATE profiles SET locked = 0`:  "never unlocks",
		`UPDATE profiles SET revoked = 0`: "stays revoked",
		`UPDATE profiles SET policy = 0`:  "CHECK",
		`INSERT INTO profile_keys (profile_id, name, position, created_at) VALUES (1, 'N', 0, 1)`: "keys of a locked profile",
		`DELETE FROM profile_keys`:                    "keys of a locked profile",
		`UPDATE profile_keys SET name = 'N'`:          "keys of a locked profile",
		`UPDATE profile_keys SET credential_id = 'd'`: "keys of a locked profile",
		`UPDATE profile_keys SET hosts = '[{}]'`:      "keys of a locked profile",
		`UPDATE profile_keys SET mode = 'plain'`:      "keys of a locked profile",
		`UPDATE audit_events SET detail = 'x'`:        "never change",
		`DELETE FROM audit_events`:                    "never deleted",
		`UPDATE executions SET status = 'nonsense'`:   "can not take that status",
		// without completed_at
		`UPDATE executions SET status = 'error'`:                                                       "CHECK",
		`UPDATE executions SET completed_at = 1`:                                                       "CHECK",
		`INSERT INTO profile_keys (profile_id, name, position, created_at) VALUES (99, 'N', 0, 1)`:     "foreign key",
		`INSERT INTO credential_versions VALUES ('c', 'one', x'00', 'k', '{}', 1)`:                     "cannot store TEXT",
		`INSERT INTO credentials (id, name, mode, created_at, updated_at) VALUES ('e','E','open',1,1)`: "CHECK",
		`INSERT INTO credentials (id, name, mode, hosts, created_at, updated_at)
			VALUES ('e','E','plain','no',1,1)`: "CHECK",
	} {
		if err := s.writer.Exec(sql).Error; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", sql, err, want)
		}
	}
}

func TestStatusesFollowTheArrowsOfTheStateMachine(t *testing.T) {
	s := open(t)
	plant(t, s)
	force := "PRAGMA ignore_check_constraints = ON; DROP TRIGGER executions_follow_arrows;"
	var trigger string
	if err := s.writer.Raw("SELECT sql FROM sqlite_schema WHERE name = 'executions_follow_arrows'").Scan(
		&trigger).Error; err != nil {
		t.Fatal(err)
	}
	for _, from := range app.Statuses() {
		for _, to := range app.Statuses() {
			if err := s.writer.Exec(force+"UPDATE executions SET status = ?;"+trigger, from).Error; err != nil {
				t.Fatal(err)
			}
			err := s.writer.Exec("UPDATE executions SET status = ?", to).Error
			if want := from == to || from.CanBecome(to); (err == nil) != want {
				t.Errorf("%s to %s: %v, allowed should be %v", from, to, err, want)
			}
		}
	}
}

func TestDeletingKeepsHistory(t *testing.T) {
	s := open(t)
	plant(t, s)
	if err := s.writer.Exec("DELETE FROM credentials WHERE id = 'c'").Error; err != nil {
		t.Fatalf("a credential of a locked profile: %v", err)
	}
	if n := count(t, s, "SELECT count(*) FROM profile_keys WHERE credential_id IS NULL"); n != 1 {
		t.Error("the key is still linked")
	}
	if n := count(t, s, "SELECT count(*) FROM credential_versions"); n != 0 {
		t.Error("values outlive their credential")
	}
	if err := s.writer.Exec("DELETE FROM profiles").Error; err != nil {
		t.Fatalf("a locked profile: %v", err)
	}
	for table, want := range map[string]int{"profile_keys": 0, "idempotency": 0, "policies": 1,
		"executions WHERE profile_id IS NULL AND profile_handle = 'p'": 1} {
		if n := count(t, s, "SELECT count(*) FROM "+table); n != want {
			t.Errorf("%s: %d rows, want %d", table, n, want)
		}
	}
}

func TestHotQueriesUseIndexes(t *testing.T) {
	s := open(t)
	for query, index := range map[string]string{
		"SELECT id FROM executions WHERE status = 'pending' ORDER BY id LIMIT 1": "executions_status",
		"SELECT id FROM executions WHERE profile_handle = 'p' AND id < 9 " +
			"ORDER BY id DESC LIMIT 50": "executions_profile",
		"SELECT id FROM executions WHERE profile_handle = 'p' AND status = 'error' AND id < 9 " +
			"ORDER BY id DESC LIMIT 50": "executions_profile_status",
		"SELECT id FROM executions WHERE status = 'error' AND id < 9 " +
			"ORDER BY id DESC LIMIT 50": "executions_status",
		"SELECT id FROM executions WHERE created_at BETWEEN 1 AND 2 " +
			"ORDER BY created_at DESC LIMIT 50": "executions_created",
		"SELECT * FROM executions WHERE lookup = x'00'":                       "sqlite_autoindex_executions",
		"SELECT * FROM profiles WHERE lookup = x'00'":                         "sqlite_autoindex_profiles",
		"SELECT * FROM llm_exchanges WHERE execution_id = 1 ORDER BY ordinal": "sqlite_autoindex_llm_exchanges",
		"SELECT * FROM audit_events WHERE seq < 9 ORDER BY seq DESC LIMIT 50": "PRIMARY KEY",
		"SELECT count(*) FROM profiles WHERE claimed_at = 0 AND revoked = 0 " +
			"AND json_extract(created_by, '$.kind')='agent'": "profiles_unclaimed",
	} {
		var plan []struct{ Detail string }
		if err := s.reader.Raw("EXPLAIN QUERY PLAN " + query).Scan(&plan).Error; err != nil {
			t.Fatal(err)
		}
		details := ""
		for _, p := range plan {
			details += p.Detail + "\n"
		}
		if !strings.Contains(details, index) || strings.Contains(details, "TEMP B-TREE") {
			t.Errorf("%s:\n%swant %s and no sorting", query, details, index)
		}
	}
}
