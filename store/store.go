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

	audited atomic.Pointer[func()] // see OnAudit
}

// pragmas apply to every connection. The busy timeout comes first, so that the others wait too. There is no _time_format
// beside them: the driver would then ignore _txlock. See doc.go for why synchronous is FULL.
const pragmas = "_pragma=busy_timeout(10000)" +
	"&_pragma=journal_mode(WAL)" +
	"&_pragma=synchronous(FULL)" +
	"&_pragma=foreign_keys(ON)" +
	"&_pragma=temp_store(MEMORY)" +
	"&_pragma=cache_size(-16000)" +
	"&_pragma=journal_size_limit(67108864)"

// Open opens the database in dir, creating both if need be (directory 0700, files 0600), and brings the schema up to date.
// It errors if the schema is newer than the program or was tampered with.
func Open(ctx context.Context, dir string, log *slog.Logger) (*Store, error) {
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
	if s.writer, err = connect(dsn(path)+"&_txlock=immediate", 1, log, false); err != nil {
		return nil, openedFull(dir, err)
	}
	migrations, err := embedded()
	if err == nil {
		err = migrate(ctx, s.writer, dir, migrations, log)
	}
	if err == nil {
		s.reader, err = connect(dsn(path)+"&mode=ro", max(4, runtime.NumCPU()), log, true)
	}
	if err == nil {
		s.urgent, err = connect(dsn(path)+"&mode=ro", 2, log, true)
	}
	if err != nil {
		return nil, errors.Join(openedFull(dir, err), s.Close())
	}
	return s, nil
}

// Close closes every connection; the write-ahead log is folded into the file if nobody else has it open.
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
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + pragmas
}

func connect(dsn string, conns int, log *slog.Logger, prepare bool) (*gorm.DB, error) {
	pool, err := sql.Open(sqlite.DriverName, dsn)
	if err != nil {
		return nil, fmt.Errorf("store: open: %w", err)
	}
	pool.SetMaxOpenConns(conns)
	pool.SetMaxIdleConns(conns)
	pool.SetConnMaxLifetime(0)
	db, err := gorm.Open(sqlite.Dialector{Conn: pool}, &gorm.Config{
		Logger:                 newLogger(log),
		NowFunc:                func() time.Time { return time.Now().UTC().Truncate(time.Millisecond) },
		SkipDefaultTransaction: true,
		PrepareStmt:            prepare,
		TranslateError:         true,
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("store: open: %w", err), pool.Close())
	}
	return db, nil
}

// prepareDir makes dir private. Directories that everybody may write to are refused: others could swap the files in it.
func prepareDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("store: data directory: %w", err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("store: data directory: %w", err)
	}
	if info.Mode()&os.ModeSticky != 0 {
		return fmt.Errorf("store: data directory %s is shared by all users of this machine; choose a directory of its own", dir)
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
