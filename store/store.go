package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/glebarez/sqlite"
	"golang.org/x/sys/unix"
	"gorm.io/gorm"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/sleep"
	"github.com/computclaw/airlock/store/internal/testonly"
)

// FileName is the database's name in the data directory.
const FileName = "airlock.db"

// Store is the database. It is safe for concurrent use.
type Store struct {
	path   string
	writer *gorm.DB
	reader *gorm.DB
	urgent *gorm.DB                  // reads too: see Urgent
	fullAt atomic.Pointer[time.Time] // when a write last found no room, by a clock that nobody sets; nil if none has
	keptAt atomic.Pointer[time.Time] // when a write last gave up since another process kept the database, as fullAt

	audited atomic.Pointer[func()] // see OnAudit
}

// busyTimeout is how long a connection waits for other processes' locks.
const busyTimeout = 10 * time.Second

// sqliteBusy is SQLite's code for another connection's lock:
// https://www.sqlite.org/rescode.html#busy.
const sqliteBusy = 5

// pragmas apply to every connection, behind the busy timeout, so that they wait too. connectWriter
// is for the one that doesn't. doc.go explains why synchronous is FULL.
const pragmas = "&_pragma=journal_mode(WAL)" +
	"&_pragma=synchronous(FULL)" +
	"&_pragma=foreign_keys(ON)" +
	"&_pragma=temp_store(MEMORY)" +
	"&_pragma=cache_size(-16000)" +
	"&_pragma=journal_size_limit(67108864)"

// Open opens the database in dir, creating it if needed, and updates its schema.
//
// The directory gets mode 0700, files 0600. It fails if the schema is newer than the program or a
// migration was changed.
func Open(ctx context.Context, dir string, log *slog.Logger) (*Store, error) {
	return openWith(ctx, dir, log, "")
}

// OpenVolatile opens the database as Open does, but commits without waiting for the disk. A power
// cut can damage the file. It is for tests; store/storetest holds the key.
func OpenVolatile(ctx context.Context, dir string, log *slog.Logger, _ testonly.Key) (*Store, error) {
	return openWith(ctx, dir, log, unsynced)
}

// unsynced overrides FULL, since the driver sets pragmas in alphabetical order.
const unsynced = "&_pragma=synchronous(OFF)"

// openWith opens the database with additional settings for every connection.
func openWith(ctx context.Context, dir string, log *slog.Logger, settings string) (*Store, error) {
	if err := prepareDir(dir); err != nil {
		return nil, err
	}
	path, err := filepath.Abs(filepath.Join(dir, FileName))
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	if err := prepareFile(path); err != nil {
		return nil, err
	}
	s := &Store{path: path}
	if s.writer, err = connectWriter(ctx, dsn(path)+settings, log); err != nil {
		return nil, addOpenCode(dir, err)
	}
	migrations, err := loadEmbedded()
	if err == nil {
		err = migrate(ctx, s.writer, dir, migrations, log)
	}
	if err == nil {
		s.reader, err = connect(dsn(path)+"&mode=ro", max(4, runtime.NumCPU()), log)
	}
	if err == nil {
		s.urgent, err = connect(dsn(path)+"&mode=ro", 2, log)
	}
	if err != nil {
		return nil, errors.Join(addOpenCode(dir, err), s.Close())
	}
	return s, nil
}

// Close closes every connection. The last process to close folds the write-ahead log into the file.
func (s *Store) Close() error {
	var errs []error
	for _, db := range []*gorm.DB{s.reader, s.urgent, s.writer} { // the writer last: only it may checkpoint
		if db == nil {
			continue
		}
		pool, err := db.DB()
		if err == nil {
			err = pool.Close()
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// dsn escapes the path: a directory's name may hold any character.
func dsn(path string) string {
	return fmt.Sprintf("file:%s?_pragma=busy_timeout(%d)", (&url.URL{Path: path}).EscapedPath(),
		busyTimeout.Milliseconds()) + pragmas
}

// connectWriter opens the writing connection first and puts a new database into WAL mode.
//
// SQLite upgrades a read lock there and never waits, since two processes could deadlock. So
// connectWriter retries for the busy timeout.
func connectWriter(ctx context.Context, dsn string, log *slog.Logger) (*gorm.DB, error) {
	for deadline := time.Now().Add(busyTimeout); ; {
		db, err := connect(dsn+"&_txlock=immediate", 1, log)
		if err == nil || !isBusy(err) || time.Now().After(deadline) {
			return db, err
		}
		if ended := sleep.For(ctx, 5*time.Millisecond); ended != nil {
			return nil, errors.Join(err, ended)
		}
	}
}

func connect(dsn string, conns int, log *slog.Logger) (*gorm.DB, error) {
	pool := sql.OpenDB(connector{dsn})
	pool.SetMaxOpenConns(conns)
	pool.SetMaxIdleConns(conns)
	pool.SetConnMaxLifetime(0)
	db, err := gorm.Open(sqlite.Dialector{Conn: pool}, &gorm.Config{
		Logger:                 newLogger(log),
		NowFunc:                func() time.Time { return time.Now().UTC().Truncate(time.Millisecond) },
		SkipDefaultTransaction: true,
		TranslateError:         true,
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("store: open: %w", err), pool.Close())
	}
	return db, nil
}

// prepareDir makes dir private. It refuses sticky directories such as /tmp, which all users share.
func prepareDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("store: data directory: %w", err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("store: data directory: %w", err)
	}
	if info.Mode()&os.ModeSticky != 0 {
		return fmt.Errorf("store: data directory %s is shared by all users of this machine; choose a directory of its own",
			dir)
	}
	if info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	// Somebody else may own a mounted volume; the files' own modes still protect them.
	if err := os.Chmod(dir, 0o700); err != nil && !errors.Is(err, os.ErrPermission) {
		return fmt.Errorf("store: data directory: %w", err)
	}
	return nil
}

// prepareFile creates the file with its mode before SQLite does. The -wal and -shm files copy it.
func prepareFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	if err := errors.Join(f.Chmod(0o600), f.Close()); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return nil
}

// Read runs fn on a consistent snapshot and returns fn's error unchanged. Writing fails.
func (s *Store) Read(ctx context.Context, fn func(tx *Tx) error) error {
	return addCause(ctx, s.read(ctx).Transaction(func(db *gorm.DB) error { return fn(newTx(db)) }, &sql.TxOptions{}))
}

// Write runs fn alone among all writers and commits if it returns nil.
//
// Otherwise nothing happened, and fn's error is returned unchanged. CodeStorageFull if the disk had
// no room, CodeStorageBusy if another process kept the database longer than busyTimeout.
func (s *Store) Write(ctx context.Context, fn func(tx *Tx) error) error {
	var tx *Tx
	since := time.Now()
	err := s.writer.WithContext(ctx).Connection(func(turn *gorm.DB) error { // there is one
		if at := s.keptAt.Load(); at != nil && at.After(since) {
			// This write has waited for another process. Waiters in turn would each wait another
			// busyTimeout.
			return storageBusy(nil)
		}
		err := turn.Transaction(func(db *gorm.DB) error {
			tx = newTx(db)
			return fn(tx)
		}, &sql.TxOptions{})
		return s.addWriteCode(addCause(ctx, err)) // before the next one has its turn
	})
	if tell := s.audited.Load(); err == nil && tx.audited && tell != nil {
		(*tell)()
	}
	return err
}

// addCause adds the context's error if its end rolled back a transaction or interrupted a
// statement. database/sql and SQLite don't name the cause, which would look like a server fault.
func addCause(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	ended := errors.Is(err, sql.ErrTxDone) || strings.Contains(err.Error(), statementClosed)
	if ended || resultCode(err)&0xff == sqliteInterrupt {
		return fmt.Errorf("store: %w: %w", ctx.Err(), err)
	}
	return err
}

// statementClosed is database/sql's unnamed error for a transaction that ends before a prepared
// statement runs.
const statementClosed = "sql: statement is closed"

// sqliteInterrupt is SQLite's result code for an interrupted statement.
const sqliteInterrupt = 9

// OnAudit makes the store call tell after each commit to the audit log. It runs in the writing
// goroutine, so it must be quick. A later call replaces tell.
func (s *Store) OnAudit(tell func()) { s.audited.Store(&tell) }

// DataVersion returns a number that changes when another process changed the database.
//
// It uses the writer's connection, since our own commits look foreign to others. It waits for a
// running write.
func (s *Store) DataVersion(ctx context.Context) (int64, error) {
	var v int64
	if err := s.writer.WithContext(ctx).Raw("PRAGMA data_version").Scan(&v).Error; err != nil {
		return 0, fmt.Errorf("store: data version: %w", err)
	}
	return v, nil
}

// read is for single statements of this package that need no snapshot.
func (s *Store) read(ctx context.Context) *gorm.DB {
	if urgent, _ := ctx.Value(urgentKey{}).(bool); urgent {
		return s.urgent.WithContext(ctx)
	}
	return s.reader.WithContext(ctx)
}

type urgentKey struct{}

// Urgent marks a context whose reads don't queue with others. It is for people and monitoring,
// never for agents.
func Urgent(ctx context.Context) context.Context { return context.WithValue(ctx, urgentKey{}, true) }

// reserve must be free on the database's file system before the store accepts new work. Running
// executions can then end and people can work. A small file system reserves a tenth.
const reserve = 256 << 20

// fullFor is how long a failed write counts as a full disk. Quotas may report room. Then the store
// tries again.
const fullFor = 2 * time.Second

// logShare is the part of the reserve that the file system must have free. Reusable pages don't
// help the write-ahead log.
const logShare = 4

// FreeSpace is the room on the database's file system, in bytes.
type FreeSpace struct {
	Free     int64 // for this process
	Size     int64
	Reserve  int64
	Reusable int64 // pages of the database that hold nothing, which count as free; only looked at when it matters
	Full     bool  // less than the reserve is free, or a write just failed for want of room: nothing new is taken
}

// FreeSpace asks the file system, and the database if that has little room.
func (s *Store) FreeSpace(ctx context.Context) (FreeSpace, error) {
	return s.freeSpace(func() (int64, error) { return s.Reusable(ctx) })
}

func (s *Store) freeSpace(reusable func() (int64, error)) (FreeSpace, error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(filepath.Dir(s.path), &fs); err != nil {
		return FreeSpace{}, fmt.Errorf("store: free space: %w", err)
	}
	block := fs.Bsize
	r := FreeSpace{Free: int64(fs.Bavail) * block, Size: int64(fs.Blocks) * block}
	r.Reserve = min(reserve, r.Size/10)
	r.Full = r.Free < r.Reserve/logShare || s.justFull()
	if r.Full || r.Free >= r.Reserve {
		return r, nil
	}
	var err error
	if r.Reusable, err = reusable(); err != nil {
		return r, err
	}
	r.Full = r.Free+r.Reusable < r.Reserve
	return r, nil
}

// justFull reports whether a write found no room within fullFor.
func (s *Store) justFull() bool {
	at := s.fullAt.Load()
	return at != nil && time.Since(*at) < fullFor
}

// CheckFreeSpace returns nil if the store may accept new work, else CodeStorageFull. Running
// executions may end while SQLite finds room.
func (s *Store) CheckFreeSpace(ctx context.Context) error {
	r, err := s.FreeSpace(ctx)
	return checkFull(r, err)
}

// CheckFreeSpaceIn is CheckFreeSpace in a transaction. It uses no other connection: writers must
// not wait for readers.
func (s *Store) CheckFreeSpaceIn(ctx context.Context, tx *Tx) error {
	r, err := s.freeSpace(func() (int64, error) { return reusable(ctx, tx.db) })
	return checkFull(r, err)
}

func checkFull(r FreeSpace, err error) error {
	if err == nil && r.Full {
		return storageFull(nil)
	}
	return err
}

func storageFull(cause error) error {
	e := app.E(app.CodeStorageFull,
		"Airlock's disk is full or not writable, so it takes nothing new",
		"Try again in a few minutes. Ask the operator to make room: the Settings page of the UI says how much there is, "+
			"and it goes on by itself then.")
	e.Cause = cause
	return e
}

// SQLite's codes for a file that could not grow: https://www.sqlite.org/rescode.html.
const (
	sqliteFull    = 13
	sqliteWrite   = 10 | 3<<8  // IOERR_WRITE: what a quota makes of it
	sqliteShmSize = 10 | 19<<8 // IOERR_SHMSIZE
)

// addWriteCode adds a code to a write that failed for lack of room or a busy database. The
// transaction was rolled back; nothing is damaged.
func (s *Store) addWriteCode(err error) error {
	now := time.Now()
	switch {
	case isBusy(err):
		s.keptAt.Store(&now)
		return storageBusy(err)
	case !noRoom(err):
		return err
	}
	s.fullAt.Store(&now)
	return storageFull(err)
}

// addOpenCode adds a code to a failed open. The shared memory file and write-ahead log need room
// even to read.
func addOpenCode(dir string, err error) error {
	switch {
	case isBusy(err):
		return storageBusy(err)
	case !noRoom(err) && !errors.Is(err, unix.ENOSPC):
		return err
	}
	e := app.E(app.CodeStorageFull,
		fmt.Sprintf("there is no room on the disk of %s, not even for the little that Airlock writes when it starts", dir),
		"Make room on it or enlarge it, then start again. Nothing is damaged.")
	e.Cause = err
	return e
}

func storageBusy(cause error) error {
	e := app.E(app.CodeStorageBusy, "another program has kept Airlock's database for itself, so this was not stored",
		"Try again in a few seconds. If it stays, the person who runs Airlock looks for a program that has airlock.db "+
			"open: an airlock admin import, or a shell of SQLite in a transaction.")
	e.Cause = cause
	return e
}

func isBusy(err error) bool { return resultCode(err)&0xff == sqliteBusy }

// resultCode is SQLite's, 0 if the error is not from there.
func resultCode(err error) int {
	var failed interface{ Code() int }
	if err == nil || !errors.As(err, &failed) {
		return 0
	}
	return failed.Code()
}

func noRoom(err error) bool {
	switch resultCode(err) {
	case sqliteFull, sqliteWrite, sqliteShmSize:
		return true
	}
	return false
}
