package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"

	"github.com/computclaw/airlock/app"
)

// conn runs the statements of one transaction.
type conn struct {
	db      *gorm.DB
	audited bool // something was written to the audit log
}

// Read runs fn on a consistent snapshot. fn's error is returned as it is; writing fails.
func (s *Store) Read(ctx context.Context, fn func(tx *Tx) error) error {
	return givenUp(ctx, s.read(ctx).Transaction(func(db *gorm.DB) error { return fn(newTx(db)) }, &sql.TxOptions{}))
}

// Write runs fn alone among all writers and commits if it returns nil, else nothing happened. fn's
// error is returned as it is, unless there was no room on the disk, then it is CodeStorageFull, or
// another process kept the database for longer than busyTimeout: CodeStorageBusy.
func (s *Store) Write(ctx context.Context, fn func(tx *Tx) error) error {
	var tx *Tx
	since := time.Now()
	err := s.writer.WithContext(ctx).Connection(func(turn *gorm.DB) error { // there is one
		if at := s.keptAt.Load(); at != nil && at.After(since) {
			// who waited while another process kept the database has waited for that: one after the other
			// would do so for busyTimeout else
			return storageBusy(nil)
		}
		err := turn.Transaction(func(db *gorm.DB) error {
			tx = newTx(db)
			return fn(tx)
		}, &sql.TxOptions{})
		return s.noted(givenUp(ctx, err)) // before the next one has its turn
	})
	if tell := s.audited.Load(); err == nil && tx.audited && tell != nil {
		(*tell)()
	}
	return err
}

// givenUp says that the context has ended where that is why a transaction was rolled back or a
// statement interrupted: database/sql and SQLite tell whoever is in the middle only that it is
// over, which looks like a fault of ours.
func givenUp(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	var failed interface{ Code() int }
	ended := errors.Is(err, sql.ErrTxDone) || strings.Contains(err.Error(), statementClosed)
	if ended || errors.As(err, &failed) && failed.Code()&0xff == sqliteInterrupt {
		return fmt.Errorf("store: %w: %w", ctx.Err(), err)
	}
	return err
}

// statementClosed is what database/sql says, with no error that has a name, if a transaction ends
// between the moments in which a statement is taken for it and in which it runs.
const statementClosed = "sql: statement is closed"

// sqliteInterrupt is SQLite's result code for a statement that was told to stop.
const sqliteInterrupt = 9

// OnAudit calls tell after each commit that wrote to the audit log, in the goroutine that wrote: it
// must be quick. There is one at a time; the last counts.
func (s *Store) OnAudit(tell func()) { s.audited.Store(&tell) }

// DataVersion returns a number that changes when another process has changed the database, and not
// when this Store did. It is asked on the writer's connection, since to a connection of its own
// every commit of ours would look foreign; it waits for a write that is under way.
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

// Urgent marks a context: what is read with it doesn't wait for what all others read, however many
// they are. For people and for who watches over the server, never for agents.
func Urgent(ctx context.Context) context.Context { return context.WithValue(ctx, urgentKey{}, true) }

// exec runs one statement and returns how many rows it touched. Values go into placeholders only.
func (tx *conn) exec(ctx context.Context, sql string, values ...any) (int64, error) {
	done := tx.db.WithContext(ctx).Exec(sql, values...)
	return done.RowsAffected, done.Error
}

// row runs one statement that returns at most one row, rows one that returns any number, and insert
// one that makes one, whose number it returns: past the object mapper, which takes about as long as
// the statement itself. They are for what every execution does while somebody waits. Values go into
// placeholders only.
func (tx *conn) row(ctx context.Context, sql string, values ...any) oneRow {
	return rowOf(ctx, tx.db, sql, values...)
}

// oneRow is a sql.Row, which it can't be: where a statement could not be prepared, because ctx has
// ended say, the object mapper's pool returns one whose Scan panics. The statement runs when the
// row is scanned.
type oneRow func(to ...any) error

// Scan is sql.ErrNoRows if there is none.
func (r oneRow) Scan(to ...any) error { return r(to...) }

func rowOf(ctx context.Context, db *gorm.DB, statement string, values ...any) oneRow {
	return func(to ...any) (err error) {
		read := int64(0)
		defer func() { err = givenUp(ctx, err) }()
		defer traced(ctx, db, statement, &read, &err)()
		rows, err := db.Statement.ConnPool.QueryContext(ctx, statement, values...)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		if !rows.Next() {
			return cmp.Or(rows.Err(), sql.ErrNoRows)
		}
		read = 1
		if err := rows.Scan(to...); err != nil {
			return err
		}
		return errors.Join(rows.Close(), rows.Err())
	}
}

// rows calls each for every row, until that returns an error.
func (tx *conn) rows(ctx context.Context, each func(scan func(to ...any) error) error, statement string,
	values ...any) (err error) {
	read := int64(0)
	defer traced(ctx, tx.db, statement, &read, &err)()
	rows, err := tx.db.Statement.ConnPool.QueryContext(ctx, statement, values...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			return err
		}
		read++
	}
	return rows.Err()
}

func (tx *conn) insert(ctx context.Context, sql string, values ...any) (id int64, err error) {
	made := int64(0)
	defer traced(ctx, tx.db, sql, &made, &err)()
	done, err := tx.db.Statement.ConnPool.ExecContext(ctx, sql, values...)
	if err != nil {
		return 0, err
	}
	made = 1
	return done.LastInsertId()
}

// traced tells the log of a statement that goes past the object mapper, as that does of its own:
// what it returns is called when the statement is over.
func traced(ctx context.Context, db *gorm.DB, statement string, rows *int64, err *error) func() {
	begin := time.Now()
	return func() { db.Logger.Trace(ctx, begin, func() (string, int64) { return statement, *rows }, *err) }
}

// notFound is the answer for a thing that is not there; other errors are wrapped with what was
// being read.
func notFound(err error, what string) error {
	if errors.Is(err, gorm.ErrRecordNotFound) || errors.Is(err, sql.ErrNoRows) {
		return app.E(app.CodeNotFound, "there is no such "+what, "Check the name or id; it may have been deleted.")
	}
	if err != nil {
		return fmt.Errorf("store: read %s: %w", what, err)
	}
	return nil
}

// conflict is the answer to a change whose precondition no longer holds.
func conflict(what string) error {
	return app.E(app.CodeConflict, "the "+what+" was changed by somebody else at the same moment",
		"Look at it again and repeat what you did if it still applies.")
}

// changed turns the outcome of a conditional update into an error: conflict if it touched no row.
func changed(rows int64, err error, what string) error {
	switch {
	case errors.Is(err, gorm.ErrDuplicatedKey):
		return conflict(what)
	case err != nil:
		return fmt.Errorf("store: change %s: %w", what, err)
	case rows == 0:
		return conflict(what)
	}
	return nil
}

// toMillis is how times are stored; the zero time is 0.
func toMillis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// fromMillis undoes toMillis, in UTC.
func fromMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// toJSON encodes what this package stores as JSON: values that are always encodable.
func toJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic("store: not encodable: " + err.Error())
	}
	return string(text)
}

// fromJSON decodes a column into T. A column that can't be read is an error, never an empty value:
// it may be a limit.
func fromJSON[T any](column, text string) (v T, err error) {
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return v, fmt.Errorf("store: column %s can't be read: %w", column, err)
	}
	return v, nil
}
