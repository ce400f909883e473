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
	"sync/atomic"
	"time"

	"github.com/glebarez/sqlite"
	"gorm.io/gorm"

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

// busyTimeout is how long a connection waits for the locks of other processes.
const busyTimeout = 10 * time.Second

// sqliteBusy is SQLite's result code for a lock that another connection holds:
// https://www.sqlite.org/rescode.html#busy.
const sqliteBusy = 5

// pragmas apply to every connection, behind the busy timeout, so that they wait too; connectWriter
// is for the one that doesn't. See doc.go for why synchronous is FULL.
const pragmas = "&_pragma=journal_mode(WAL)" +
	"&_pragma=synchronous(FULL)" +
	"&_pragma=foreign_keys(ON)" +
	"&_pragma=temp_store(MEMORY)" +
	"&_pragma=cache_size(-16000)" +
	"&_pragma=journal_size_limit(67108864)"

// Open opens the database in dir and brings its schema up to date.
// It creates both if need be: the directory with mode 0700, files with 0600.
// It fails if the schema is newer than the program, or if a migration was changed.
func Open(ctx context.Context, dir string, log *slog.Logger) (*Store, error) {
	return openWith(ctx, dir, log, "")
}

// OpenVolatile opens the database as Open does, but commits without waiting for the disk.
// A power cut can damage the file. It is for tests: see store/storetest, which holds the key.
func OpenVolatile(ctx context.Context, dir string, log *slog.Logger, _ testonly.Key) (*Store, error) {
	return openWith(ctx, dir, log, unsynced)
}

// unsynced overrides FULL, since the driver sets pragmas in alphabetical order.
const unsynced = "&_pragma=synchronous(OFF)"

// openWith opens the database with settings that are appended to those of every connection.
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
		return nil, unopened(dir, err)
	}
	migrations, err := embedded()
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
		return nil, errors.Join(unopened(dir, err), s.Close())
	}
	return s, nil
}

// Close closes every connection; the write-ahead log is folded into the file if nobody else has it
// open.
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

// connectWriter opens the writing connection, the first of all, and puts a new database into WAL
// mode. For that SQLite upgrades a read lock to a write lock, and never waits then, since two
// processes that did would wait for each other. So connectWriter retries for as long as the busy
// timeout.
func connectWriter(ctx context.Context, dsn string, log *slog.Logger) (*gorm.DB, error) {
	for deadline := time.Now().Add(busyTimeout); ; {
		db, err := connect(dsn+"&_txlock=immediate", 1, log)
		if err == nil || !busy(err) || time.Now().After(deadline) {
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

// prepareDir makes dir private. Sticky directories, such as /tmp, are refused: all users of the
// machine share them.
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
	// A mounted volume may belong to somebody else; the files' own modes still protect them then.
	if err := os.Chmod(dir, 0o700); err != nil && !errors.Is(err, os.ErrPermission) {
		return fmt.Errorf("store: data directory: %w", err)
	}
	return nil
}

// prepareFile makes the file with its mode before SQLite does; the -wal and -shm files copy it.
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
