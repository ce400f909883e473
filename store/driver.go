package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"

	"modernc.org/sqlite"
)

// Compiled statements are kept per connection: compiling takes several times as long as running most of them, and an execution has some forty.
const (
	maxKept     = 200     // statements of a connection; then it begins anew
	maxKeptText = 4 << 10 // of the SQL of one; longer ones insert many rows or change the schema
)

// connector opens connections that keep their compiled statements. gorm's PrepareStmt can't: what it prepares inside a transaction ends with that.
type connector struct {
	dsn    string
	driver *sqlite.Driver
}

func (c connector) Driver() driver.Driver { return c.driver }

func (c connector) Connect(context.Context) (driver.Conn, error) {
	opened, err := c.driver.Open(c.dsn)
	if err != nil {
		return nil, fmt.Errorf("store: connect: %w", err)
	}
	under, ok := opened.(underlying)
	if !ok {
		return nil, errors.Join(fmt.Errorf("store: connect: %T can't do what is needed", opened), opened.Close())
	}
	return &connection{underlying: under, idle: map[string]statement{}}, nil
}

// What connections, statements and results of the driver can do.
type (
	underlying interface {
		driver.Conn
		driver.ConnBeginTx
		driver.ConnPrepareContext
		driver.ExecerContext
		driver.Pinger
		driver.SessionResetter
		driver.Validator
	}
	statement interface {
		driver.Stmt
		driver.StmtExecContext
		driver.StmtQueryContext
	}
	results interface {
		driver.Rows
		driver.RowsColumnTypeDatabaseTypeName
		driver.RowsColumnTypeLength
		driver.RowsColumnTypeNullable
		driver.RowsColumnTypePrecisionScale
		driver.RowsColumnTypeScanType
	}
)

// connection is for one goroutine at a time, as any of a driver. A statement that is used isn't in idle: the rows of two of the same text may be read at once.
type connection struct {
	underlying
	idle map[string]statement
}

// Close ends the statements first.
func (c *connection) Close() error { return errors.Join(c.forget(), c.underlying.Close()) }

// ExecContext runs one statement, or several without placeholders.
func (c *connection) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if len(query) > maxKeptText {
		return c.underlying.ExecContext(ctx, query, args)
	}
	s, err := c.take(ctx, query)
	if err != nil {
		return nil, err
	}
	result, err := s.ExecContext(ctx, args)
	return result, c.leave(query, s, err)
}

// QueryContext runs one statement, which is used until its rows are closed.
func (c *connection) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := c.take(ctx, query)
	if err != nil {
		return nil, err
	}
	found, err := s.QueryContext(ctx, args)
	if err != nil {
		return nil, c.leave(query, s, err)
	}
	rows, ok := found.(results)
	if !ok {
		return nil, errors.Join(fmt.Errorf("store: %T can't do what is needed", found), found.Close(), s.Close())
	}
	return &heldRows{results: rows, leave: func(err error) error { return c.leave(query, s, err) }}, nil
}

// take returns a compiled statement, for leave.
func (c *connection) take(ctx context.Context, query string) (statement, error) {
	if s, ok := c.idle[query]; ok {
		delete(c.idle, query)
		return s, nil
	}
	made, err := c.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	s, ok := made.(statement)
	if !ok {
		return nil, errors.Join(fmt.Errorf("store: %T can't do what is needed", made), made.Close())
	}
	return s, nil
}

// leave keeps a statement for the next time, unless it failed, and returns how it did.
func (c *connection) leave(query string, s statement, failed error) error {
	if _, twice := c.idle[query]; failed != nil || twice || len(query) > maxKeptText {
		return first(failed, s.Close())
	}
	if len(c.idle) >= maxKept {
		if err := c.forget(); err != nil {
			return first(err, s.Close())
		}
	}
	c.idle[query] = s
	return nil
}

// forget ends every statement that isn't used.
func (c *connection) forget() (err error) {
	for query, s := range c.idle {
		delete(c.idle, query)
		err = first(err, s.Close())
	}
	return err
}

// heldRows give their statement back when they are closed, which the standard library does once.
type heldRows struct {
	results
	leave func(error) error
}

func (r *heldRows) Close() error { return r.leave(r.results.Close()) }

// first returns the first error as it is: callers look at the driver's own.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
