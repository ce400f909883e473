package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"gorm.io/gorm"
	"modernc.org/sqlite"

	"github.com/computclaw/airlock/app"
)

var migrated = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "store-test-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	s, err := openWith(context.Background(), dir, nil, unsynced)
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(dir, FileName))
})

// create puts a new database into dir unless there is one.
func create(t testing.TB, dir string) {
	t.Helper()
	file, err := migrated()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, FileName)
	if _, err := os.Stat(path); err == nil {
		return
	}
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T) *Store { t.Helper(); return openIn(t, t.TempDir()) }

// openIn opens or creates the database in dir without waiting for the disk.
func openIn(t *testing.T, dir string) *Store {
	t.Helper()
	create(t, dir)
	return closing(t)(openWith(t.Context(), dir, slog.New(slog.NewTextHandler(t.Output(), nil)), unsynced))
}

func openReal(t *testing.T, dir string) *Store {
	t.Helper()
	return closing(t)(Open(t.Context(), dir, slog.New(slog.NewTextHandler(t.Output(), nil))))
}

func closing(t *testing.T) func(*Store, error) *Store {
	return func(s *Store, err error) *Store {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		return s
	}
}

const sqliteReadonly = 8 // a result code of SQLite

func sqliteCode(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

func TestWriteTransactionsAreImmediate(t *testing.T) {
	s := open(t)
	other, err := sql.Open("sqlite",
		strings.Replace(dsn(s.path), "busy_timeout(10000)", "busy_timeout(0)", 1)+"&_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	err = s.Write(t.Context(), func(*Tx) error { // has not written anything yet
		tx, err := other.BeginTx(t.Context(), nil)
		if err == nil {
			_ = tx.Rollback()
			t.Error("a second immediate transaction began")
		} else if code := sqliteCode(err); code != sqliteBusy {
			t.Errorf("second BEGIN: %v (code %d), want SQLITE_BUSY", err, code)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A submission got an internal error, though it only had to try again.
func TestAnotherProcessKeepsTheDatabase(t *testing.T) {
	s := open(t)
	if err := s.writer.Exec("PRAGMA busy_timeout = 1").Error; err != nil { // it has one connection
		t.Fatal(err)
	}
	other, err := sql.Open("sqlite", dsn(s.path)+"&_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	kept, err := other.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	write := func() error {
		return s.Write(t.Context(), func(tx *Tx) error {
			return tx.Settings.Set(t.Context(), time.Now(), Setting{Key: "a", Value: []byte("b")})
		})
	}
	if err := write(); app.CodeOf(err) != app.CodeStorageBusy || sqliteCode(err) != sqliteBusy {
		t.Errorf("while it is kept: %v", err)
	} else if s.keptAt.Load() == nil {
		t.Error("those who wait would not learn of it")
	}
	if err := kept.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := write(); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// Each waiter behind a process that kept the database waited ten seconds, one after the other.
func TestWaitersAreToldTogether(t *testing.T) {
	s := open(t)
	nothing := func(*Tx) error { return nil }
	writing, done := make(chan struct{}), make(chan struct{})
	go func() {
		_ = s.Write(t.Context(), func(*Tx) error {
			close(writing)
			<-done
			return nil
		})
	}()
	<-writing
	const waiters = 20
	answers := make(chan error, waiters)
	var begun sync.WaitGroup
	for range waiters {
		begun.Add(1)
		go func() {
			begun.Done()
			answers <- s.Write(t.Context(), nothing)
		}()
	}
	begun.Wait()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Write(gone, nothing); !errors.Is(err, context.Canceled) {
		t.Errorf("who left: %v", err)
	}
	later := time.Now().Add(time.Minute) // of all waiters, also the one that has only just begun
	s.keptAt.Store(&later)
	close(done)
	for range waiters {
		if err := <-answers; app.CodeOf(err) != app.CodeStorageBusy {
			t.Errorf("who waited was told %v", err)
		}
	}
	past := time.Now()
	s.keptAt.Store(&past)
	if err := s.Write(t.Context(), nothing); err != nil {
		t.Errorf("who came afterwards: %v", err)
	}
}

// One waiter finds out that another process keeps the database. The others learn it before their
// turn.
func TestOneWaitsForAll(t *testing.T) {
	s := open(t)
	if err := s.writer.Exec("PRAGMA busy_timeout = 3000").Error; err != nil {
		t.Fatal(err)
	}
	pool, err := s.writer.DB()
	if err != nil {
		t.Fatal(err)
	}
	other, err := sql.Open("sqlite", dsn(s.path)+"&_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	kept, err := other.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = kept.Rollback() }()
	const writers = 8
	answers := make(chan error, writers)
	for range writers {
		go func() { answers <- s.Write(t.Context(), func(*Tx) error { return nil }) }()
	}
	tried := 0
	for range writers {
		err := <-answers
		if app.CodeOf(err) != app.CodeStorageBusy {
			t.Errorf("who waited was told %v", err)
		}
		if sqliteCode(err) == sqliteBusy {
			tried++
		}
	}
	if waited := pool.Stats().WaitCount; tried != 1 || waited != writers-1 {
		t.Errorf("%d tried, and %d waited for them", tried, waited)
	}
}

func TestReadersCannotWrite(t *testing.T) {
	s := open(t)
	err := s.Read(t.Context(), func(tx *Tx) error {
		return tx.Settings.Set(t.Context(), time.Now(), Setting{Key: "a", Value: []byte("b")})
	})
	if code := sqliteCode(err); code != sqliteReadonly {
		t.Errorf("write in Read: %v (code %d), want SQLITE_READONLY", err, code)
	}
}

func TestEveryConnectionHasItsPragmas(t *testing.T) {
	s := openReal(t, t.TempDir())
	want := map[string]string{"foreign_keys": "1", "journal_mode": "wal", "busy_timeout": "10000", "synchronous": "2",
		"temp_store": "2"}
	for name, db := range map[string]*gorm.DB{"writer": s.writer, "reader": s.reader, "urgent": s.urgent} {
		pool, err := db.DB()
		if err != nil {
			t.Fatal(err)
		}
		for i := range pool.Stats().MaxOpenConnections { // held until the end, so that each is another one
			conn, err := pool.Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			for pragma, value := range want {
				var got string
				if err := conn.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil || got != value {
					t.Errorf("%s %d: %s = %s (%v), want %s", name, i, pragma, got, err, value)
				}
			}
		}
	}
}

func TestSQLiteIsRecent(t *testing.T) {
	var version string
	if err := open(t).read(t.Context()).Raw("SELECT sqlite_version()").Scan(&version).Error; err != nil {
		t.Fatal(err)
	}
	if version < "3.53" {
		t.Errorf("SQLite %s: go.mod must name a newer modernc.org/sqlite", version)
	}
}

func TestLibcIsTheOneThatSQLiteWants(t *testing.T) {
	run := func(args ...string) string {
		out, err := exec.Command("go", args...).Output()
		if err != nil {
			t.Fatalf("go %v: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	const libc = "modernc.org/libc"
	have := run("list", "-m", "-f", "{{.Version}}", libc)
	mod, err := os.ReadFile(run("list", "-m", "-f", "{{.GoMod}}", "modernc.org/sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(mod), libc+" "+have+"\n") {
		t.Errorf("go.mod has %s %s; modernc.org/sqlite was built against another", libc, have)
	}
}

func TestWritersQueueAndReadersGoOn(t *testing.T) {
	s := open(t)
	const writers, rounds = 4, 50
	add := func(ctx context.Context) error {
		return s.Write(ctx, func(tx *Tx) error {
			set, _, err := tx.Settings.Get(ctx, "n")
			if err != nil {
				return err
			}
			return tx.Settings.Set(ctx, time.Now(), Setting{Key: "n", Value: append(set.Value, 'x')})
		})
	}
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range rounds {
				if err := add(t.Context()); err != nil {
					t.Error(err)
					return
				}
			}
		})
		wg.Go(func() {
			for range rounds {
				if err := s.Read(t.Context(),
					func(tx *Tx) error { _, _, err := tx.Settings.Get(t.Context(), "n"); return err }); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	_ = s.Read(t.Context(), func(tx *Tx) error {
		if set, _, err := tx.Settings.Get(t.Context(), "n"); err != nil || len(set.Value) != writers*rounds {
			t.Errorf("%d increments arrived (%v), want %d", len(set.Value), err, writers*rounds)
		}
		return nil
	})
}

// TestUrgentReadsWaitForNobody: however many others read.
func TestUrgentReadsWaitForNobody(t *testing.T) {
	s := open(t)
	release := make(chan struct{})
	var busy, done sync.WaitGroup
	for range max(4, runtime.NumCPU()) {
		busy.Add(1)
		done.Go(func() {
			_ = s.Read(t.Context(), func(*Tx) error {
				busy.Done()
				<-release
				return nil
			})
		})
	}
	busy.Wait()
	if err := s.Read(Urgent(t.Context()), func(tx *Tx) error {
		_, _, err := tx.Queue.Count(t.Context(), "")
		return err
	}); err != nil {
		t.Error(err)
	}
	close(release)
	done.Wait()
}

func TestReadIsASnapshot(t *testing.T) {
	s := open(t)
	set := func(v string) error {
		return s.Write(t.Context(), func(tx *Tx) error {
			return tx.Settings.Set(t.Context(), time.Now(), Setting{Key: "k", Value: []byte(v)})
		})
	}
	if err := set("old"); err != nil {
		t.Fatal(err)
	}
	err := s.Read(t.Context(), func(tx *Tx) error {
		for range 2 {
			got, _, err := tx.Settings.Get(t.Context(), "k")
			if err != nil || string(got.Value) != "old" {
				t.Errorf("read %q (%v) in one transaction, want old", got.Value, err)
			}
			if err := set("new"); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestDataVersionSeesOtherProcessesOnly(t *testing.T) {
	dir := t.TempDir()
	ours, theirs := openIn(t, dir), openIn(t, dir)
	version := func() int64 {
		v, err := ours.DataVersion(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	write := func(s *Store, value string) { // always another value: writing what is there changes no page
		if err := s.Write(t.Context(), func(tx *Tx) error {
			return tx.Settings.Set(t.Context(), time.Now(), Setting{Key: "k", Value: []byte(value)})
		}); err != nil {
			t.Fatal(err)
		}
	}
	start := version()
	write(ours, "1")
	if v := version(); v != start {
		t.Errorf("our own write moved the version from %d to %d", start, v)
	}
	write(theirs, "2")
	if v := version(); v == start {
		t.Error("another process's write did not move the version")
	}
}

func TestLoggerNeverSeesValues(t *testing.T) {
	var logged strings.Builder
	s, err := Open(t.Context(), t.TempDir(),
		slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug})))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const planted = "planted-value-93f1"
	if err := s.read(t.Context()).Exec("INSERT INTO settings (key, value, updated_at) VALUES (?, ?, 1)", planted,
		planted).Error; err == nil {
		t.Fatal("the reader wrote")
	}
	err = s.Read(t.Context(), func(tx *Tx) error {
		_, err := tx.insert(t.Context(), "INSERT INTO settings (value, key, updated_at) VALUES (?, ?, 1)", planted, planted)
		return err
	})
	if err == nil {
		t.Fatal("the reader wrote past the object mapper")
	}
	err = s.Read(t.Context(), func(tx *Tx) error {
		none := func(func(...any) error) error { return nil }
		return tx.rows(t.Context(), none, "INSERT INTO settings (updated_at, key, value) VALUES (1, ?, ?) RETURNING key",
			planted, planted)
	})
	if err == nil {
		t.Fatal("the reader wrote with a statement that returns rows")
	}
	for _, statement := range []string{"(key, value", "(value, key", "(updated_at, key"} {
		if !strings.Contains(logged.String(), "query failed") || !strings.Contains(logged.String(), statement) {
			t.Errorf("the failed query with %s was not logged", statement)
		}
	}
	if strings.Contains(logged.String(), planted) {
		t.Errorf("the log has a value: %s", logged.String())
	}
}

func TestErrorsAreTranslated(t *testing.T) {
	s := open(t)
	err := s.Write(t.Context(), func(tx *Tx) error {
		c := app.Credential{ID: "1", Name: "A", Mode: app.ModePlain, Source: app.SourceLocal, CreatedAt: time.Now(),
			UpdatedAt: time.Now()}
		if err := tx.Credentials.Insert(t.Context(), c); err != nil {
			return err
		}
		c.ID = "2"
		return tx.Credentials.Insert(t.Context(), c)
	})
	if app.CodeOf(err) != app.CodeConflict {
		t.Errorf("a taken name: %v, want conflict", err)
	}
}

// BenchmarkCommit measures a small transaction in the temporary directory, with an fsync per commit
// and without.
func BenchmarkCommit(b *testing.B) {
	for _, level := range []string{"NORMAL", "FULL"} {
		b.Run(level, func(b *testing.B) {
			s, err := Open(b.Context(), b.TempDir(), nil)
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = s.Close() }()
			if err := s.writer.Exec("PRAGMA synchronous = " + level).Error; err != nil {
				b.Fatal(err)
			}
			value := bytes.Repeat([]byte("x"), 1000)
			for i := 0; b.Loop(); i++ {
				err := s.Write(b.Context(), func(tx *Tx) error {
					return tx.Settings.Set(b.Context(), time.Now(), Setting{Key: fmt.Sprint(i % 1000), Value: value})
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
