package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"github.com/computclaw/airlock/app"
)

// conn runs the statements of one transaction.
// Values go into placeholders only; doing is the end of an error's text, such as "read people".
type conn struct {
	db      *gorm.DB
	audited bool // something was written to the audit log
}

// exec runs one statement and returns how many rows it touched.
func (tx *conn) exec(ctx context.Context, sql string, values ...any) (int64, error) {
	done := tx.db.WithContext(ctx).Exec(sql, values...)
	return done.RowsAffected, done.Error
}

// run is exec for statements that may touch any number of rows.
func (tx *conn) run(ctx context.Context, doing, sql string, values ...any) error {
	_, err := tx.exec(ctx, sql, values...)
	return failed(doing, err)
}

// change is exec for a statement whose WHERE names the state that was read.
// Errors: CodeConflict if it touched no row.
func (tx *conn) change(ctx context.Context, what, sql string, values ...any) error {
	n, err := tx.exec(ctx, sql, values...)
	return changed(n, err, what)
}

// insertRow adds a row. Errors: CodeConflict if there is one with its key.
func insertRow[R any](ctx context.Context, tx *conn, what string, row R) error {
	return changed(1, gorm.G[R](tx.db).Create(ctx, &row), what)
}

// selectAll reads rows: structs whose fields are named like the columns, or single values.
func selectAll[R any](ctx context.Context, tx *conn, doing, sql string, values ...any) (rows []R, err error) {
	err = tx.db.WithContext(ctx).Raw(sql, values...).Scan(&rows).Error
	return rows, failed(doing, err)
}

// selectAs is selectAll, with each row converted.
func selectAs[R, T any](ctx context.Context, tx *conn, convert func(R) (T, error), doing, sql string,
	values ...any) ([]T, error) {
	rows, err := selectAll[R](ctx, tx, doing, sql, values...)
	if err != nil {
		return nil, err
	}
	list := make([]T, len(rows))
	for i, row := range rows {
		if list[i], err = convert(row); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// selectOne reads and converts a row. Errors: CodeNotFound if there is none.
func selectOne[R, T any](ctx context.Context, tx *conn, convert func(R) (T, error), what, sql string,
	values ...any) (one T, err error) {
	list, err := selectAs(ctx, tx, convert, "read "+what, sql, values...)
	if err != nil {
		return one, err
	}
	if len(list) == 0 {
		return one, notFound(gorm.ErrRecordNotFound, what)
	}
	return list[0], nil
}

// asIs converts nothing.
func asIs[R any](row R) (R, error) { return row, nil }

// selectValue reads one value or row; it is zero if there is no row.
func selectValue[T any](ctx context.Context, tx *conn, doing, sql string, values ...any) (value T, err error) {
	err = tx.db.WithContext(ctx).Raw(sql, values...).Scan(&value).Error
	return value, failed(doing, err)
}

// each visits rows one by one, however many there are.
func each[R any](ctx context.Context, tx *conn, visit func(R) error, sql string, values ...any) error {
	db := tx.db.WithContext(ctx).Raw(sql, values...)
	rows, err := db.Rows()
	if err != nil {
		return failed("read rows", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var row R
		if err := db.ScanRows(rows, &row); err != nil {
			return failed("read rows", err)
		}
		if err := visit(row); err != nil {
			return err
		}
	}
	return failed("read rows", rows.Err())
}

// The methods row, rows and insert go past gorm, which takes about as long as the statement itself.
// They are for what every execution does while somebody waits.

// row runs a statement that returns at most one row.
func (tx *conn) row(ctx context.Context, sql string, values ...any) oneRow {
	return rowOf(ctx, tx.db, sql, values...)
}

// oneRow reads a row. It can't be a *sql.Row: gorm's pool returns one whose Scan panics where a
// statement could not be prepared, for example because ctx has ended. Scan runs the statement.
type oneRow func(to ...any) error

// Scan reads the columns. Errors: sql.ErrNoRows if there is no row.
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

// rows runs a statement and calls visit for every row, until that returns an error.
func (tx *conn) rows(ctx context.Context, visit func(scan func(to ...any) error) error, statement string,
	values ...any) (err error) {
	read := int64(0)
	defer traced(ctx, tx.db, statement, &read, &err)()
	rows, err := tx.db.Statement.ConnPool.QueryContext(ctx, statement, values...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := visit(rows.Scan); err != nil {
			return err
		}
		read++
	}
	return rows.Err()
}

// insert runs an INSERT of one row and returns the row's number.
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

// traced logs a statement that goes past gorm as gorm logs its own. Call the result when it is
// over.
func traced(ctx context.Context, db *gorm.DB, statement string, rows *int64, err *error) func() {
	begin := time.Now()
	return func() { db.Logger.Trace(ctx, begin, func() (string, int64) { return statement, *rows }, *err) }
}

// failed wraps a driver's error; nil stays nil.
func failed(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("store: %s: %w", doing, err)
}

// notFound turns the error of a read that found no row into CodeNotFound and wraps others.
func notFound(err error, what string) error {
	if errors.Is(err, gorm.ErrRecordNotFound) || errors.Is(err, sql.ErrNoRows) {
		return app.E(app.CodeNotFound, "there is no such "+what, "Check the name or id; it may have been deleted.")
	}
	return failed("read "+what, err)
}

// conflict is the error of a change whose precondition no longer holds.
func conflict(what string) error {
	return app.E(app.CodeConflict, "the "+what+" was changed by somebody else at the same moment",
		"Look at it again and repeat what you did if it still applies.")
}

// changed turns the outcome of a conditional update into an error: conflict if it touched no row.
func changed(rows int64, err error, what string) error {
	if errors.Is(err, gorm.ErrDuplicatedKey) || err == nil && rows == 0 {
		return conflict(what)
	}
	return failed("change "+what, err)
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

// toJSON encodes a JSON column. Its types can always be encoded.
func toJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic("store: not encodable: " + err.Error())
	}
	return string(text)
}

// listJSON is toJSON for a list: nil is the empty list, never null.
func listJSON[E any](list []E) string { return toJSON(append([]E{}, list...)) }

// fromJSON decodes a column into T. A column that can't be read is an error, never an empty value:
// it may be a limit.
func fromJSON[T any](column, text string) (v T, err error) {
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return v, fmt.Errorf("store: column %s can't be read: %w", column, err)
	}
	return v, nil
}
