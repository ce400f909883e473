package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"gorm.io/gorm/logger"
	"modernc.org/sqlite"
)

// connector opens connections that keep prepared statements, since SQLite parses one about as long
// as it runs it.
type connector struct{ dsn string }

// Connect implements driver.Connector.
func (c connector) Connect(context.Context) (driver.Conn, error) {
	conn, err := c.Driver().Open(c.dsn)
	if err != nil {
		return nil, err
	}
	return &keepingConn{sqliteConn: conn.(sqliteConn), kept: map[string]sqliteStmt{}}, nil
}

// Driver implements driver.Connector.
func (connector) Driver() driver.Driver { return &sqlite.Driver{} }

// sqliteConn is what database/sql uses of the driver's connection.
type sqliteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

type sqliteStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// maxKept bounds a connection's statements. Lists with conditions vary them.
const maxKept = 256

// keepingConn prepares a statement once. database/sql uses it from one goroutine at a time.
type keepingConn struct {
	sqliteConn
	kept map[string]sqliteStmt // by text, those that aren't in use
}

// ExecContext implements driver.ExecerContext.
func (c *keepingConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if !keepable(query) {
		return c.sqliteConn.ExecContext(ctx, query, args)
	}
	stmt, err := c.take(ctx, query)
	if err != nil {
		return nil, err
	}
	defer c.keep(query, stmt)
	return stmt.ExecContext(ctx, args)
}

// QueryContext implements driver.QueryerContext.
func (c *keepingConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if !keepable(query) {
		return c.sqliteConn.QueryContext(ctx, query, args)
	}
	stmt, err := c.take(ctx, query)
	if err != nil {
		return nil, err
	}
	rows, err := stmt.QueryContext(ctx, args)
	if err != nil {
		c.keep(query, stmt)
		return nil, err
	}
	return &keptRows{sqliteRows: rows.(sqliteRows), done: func() { c.keep(query, stmt) }}, nil
}

// Close implements driver.Conn.
func (c *keepingConn) Close() error {
	c.forget()
	return c.sqliteConn.Close()
}

// keepable reports whether a statement is data only. Some pragmas act during preparation.
func keepable(query string) bool {
	verb, _, _ := strings.Cut(strings.TrimSpace(query), " ")
	switch strings.ToUpper(verb) {
	case "SELECT", "INSERT", "UPDATE", "DELETE", "WITH":
		return true
	}
	return false
}

// take returns a query's statement, which is the caller's until keep.
func (c *keepingConn) take(ctx context.Context, query string) (sqliteStmt, error) {
	if stmt, ok := c.kept[query]; ok {
		delete(c.kept, query)
		return stmt, nil
	}
	stmt, err := c.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	return stmt.(sqliteStmt), nil
}

// keep takes back a statement that was reset.
func (c *keepingConn) keep(query string, stmt sqliteStmt) {
	if len(c.kept) >= maxKept {
		c.forget() // those in constant use are back at once
	}
	if c.kept[query] != nil { // its rows were read while it ran again
		_ = stmt.Close()
		return
	}
	c.kept[query] = stmt
}

func (c *keepingConn) forget() {
	for _, stmt := range c.kept {
		_ = stmt.Close()
	}
	clear(c.kept)
}

// sqliteRows is what database/sql and gorm use of the driver's rows.
type sqliteRows interface {
	driver.Rows
	driver.RowsColumnTypeDatabaseTypeName
	driver.RowsColumnTypeLength
	driver.RowsColumnTypeNullable
	driver.RowsColumnTypePrecisionScale
	driver.RowsColumnTypeScanType
}

// keptRows gives its statement back when it is closed, which resets that.
type keptRows struct {
	sqliteRows
	done func()
}

// Close implements driver.Rows.
func (r *keptRows) Close() error {
	err := r.sqliteRows.Close()
	if r.done != nil {
		r.done()
		r.done = nil
	}
	return err
}

const slowQuery = 250 * time.Millisecond

// queryLogger passes gorm's messages to slog, without the values of placeholders.
type queryLogger struct{ log *slog.Logger }

func newLogger(log *slog.Logger) logger.Interface {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return queryLogger{log}
}

// ParamsFilter drops the values before gorm writes them into the statement's text.
func (queryLogger) ParamsFilter(_ context.Context, sql string, _ ...any) (string, []any) {
	return sql, nil
}

// LogMode does nothing: the slog handler sets the level.
func (l queryLogger) LogMode(logger.LogLevel) logger.Interface { return l }

// Info logs at debug level.
func (l queryLogger) Info(ctx context.Context, format string, args ...any) {
	l.log.DebugContext(ctx, "store", "message", fmt.Sprintf(format, args...))
}

func (l queryLogger) Warn(ctx context.Context, format string, args ...any) {
	l.log.WarnContext(ctx, "store", "message", fmt.Sprintf(format, args...))
}

func (l queryLogger) Error(ctx context.Context, format string, args ...any) {
	l.log.ErrorContext(ctx, "store", "message", fmt.Sprintf(format, args...))
}

// Trace reports failed and slow queries. Callers report missing rows, broken uniqueness and
// statements whose context ended.
func (l queryLogger) Trace(ctx context.Context, begin time.Time, query func() (sql string, rows int64), err error) {
	took := time.Since(begin)
	ordinary := errors.Is(err, sql.ErrNoRows) || duplicate(err) || errors.Is(err, context.Canceled) ||
		ctx.Err() != nil && errors.Is(addCause(ctx, err), ctx.Err())
	failed := err != nil && !ordinary
	if !failed && took < slowQuery {
		return
	}
	statement, rows := query()
	attrs := []any{"sql", statement, "rows", rows, "ms", took.Milliseconds()}
	if failed {
		l.log.ErrorContext(ctx, "store: query failed", append(attrs, "error", err)...)
		return
	}
	l.log.WarnContext(ctx, "store: slow query", attrs...)
}
