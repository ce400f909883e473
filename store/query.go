package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"github.com/computclaw/airlock/app"
)

// conn runs the statements of one transaction. Values go into placeholders only; doing ends an
// error's text, such as "read people".
//
// SQL bypasses gorm, which costs as much as the statement. gorm adds rows (insertRow) and maps
// columns to fields.
type conn struct {
	db      *gorm.DB
	audited bool // something was written to the audit log
}

// result runs one statement that changes something.
func (tx *conn) result(ctx context.Context, statement string, values []any) (done sql.Result, err error) {
	touched := int64(0)
	defer trace(ctx, tx.db, statement, &touched, &err)()
	statement, values = expandLists(statement, values)
	if done, err = tx.db.Statement.ConnPool.ExecContext(ctx, statement, values...); err == nil {
		touched, err = done.RowsAffected()
	}
	return done, err
}

// exec runs one statement and returns how many rows it touched.
func (tx *conn) exec(ctx context.Context, statement string, values ...any) (int64, error) {
	done, err := tx.result(ctx, statement, values)
	if err != nil {
		return 0, err
	}
	return done.RowsAffected()
}

// insert runs an INSERT of one row and returns the row's number.
func (tx *conn) insert(ctx context.Context, statement string, values ...any) (id int64, err error) {
	done, err := tx.result(ctx, statement, values)
	if err != nil {
		return 0, err
	}
	return done.LastInsertId()
}

// run is exec for statements that may touch any number of rows.
func (tx *conn) run(ctx context.Context, doing, statement string, values ...any) error {
	_, err := tx.exec(ctx, statement, values...)
	return wrapError(doing, err)
}

// change is exec for a statement whose WHERE names the read state. CodeConflict if it touched no
// row.
func (tx *conn) change(ctx context.Context, what, statement string, values ...any) error {
	n, err := tx.exec(ctx, statement, values...)
	return checkChanged(n, err, what)
}

// insertRow adds a row. CodeConflict if its key exists.
func insertRow[R any](ctx context.Context, tx *conn, what string, row R) error {
	return checkChanged(1, gorm.G[R](tx.db).Create(ctx, &row), what)
}

// query runs a statement that reads, and gives its rows to read.
func query(ctx context.Context, db *gorm.DB, read func(rows *sql.Rows) error, statement string,
	values ...any) (err error) {
	count := int64(0)
	defer trace(ctx, db, statement, &count, &err)()
	statement, values = expandLists(statement, values)
	rows, err := db.Statement.ConnPool.QueryContext(ctx, statement, values...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		count++
		if err := read(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// expandLists expands the placeholder of each list to one per value.
func expandLists(statement string, values []any) (string, []any) {
	if !slices.ContainsFunc(values, isList) {
		return statement, values
	}
	var text strings.Builder
	var all []any
	for i, part := range strings.Split(statement, "?") {
		text.WriteString(part)
		if i >= len(values) {
			break
		}
		if !isList(values[i]) {
			text.WriteString("?")
			all = append(all, values[i])
			continue
		}
		list := reflect.ValueOf(values[i])
		for j := range list.Len() {
			all = append(all, list.Index(j).Interface())
		}
		text.WriteString("(" + strings.TrimSuffix(strings.Repeat("?,", list.Len()), ",") + ")")
	}
	return text.String(), all
}

func isList(value any) bool {
	kind := reflect.TypeOf(value)
	return kind != nil && kind.Kind() == reflect.Slice && kind.Elem().Kind() != reflect.Uint8
}

// selectAll reads rows into structs with fields named like the columns, or into single values.
func selectAll[R any](ctx context.Context, tx *conn, doing, statement string, values ...any) (rows []R, err error) {
	err = query(ctx, tx.db, func(r *sql.Rows) error { return tx.db.ScanRows(r, &rows) }, statement, values...)
	return rows, wrapError(doing, err)
}

// selectAs is selectAll, with each row converted.
func selectAs[R, T any](ctx context.Context, tx *conn, convert func(R) (T, error), doing, statement string,
	values ...any) ([]T, error) {
	rows, err := selectAll[R](ctx, tx, doing, statement, values...)
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
func selectOne[R, T any](ctx context.Context, tx *conn, convert func(R) (T, error), what, statement string,
	values ...any) (one T, err error) {
	list, err := selectAs(ctx, tx, convert, "read "+what, statement, values...)
	if err != nil {
		return one, err
	}
	if len(list) == 0 {
		return one, notFound(sql.ErrNoRows, what)
	}
	return list[0], nil
}

// asIs converts nothing.
func asIs[R any](row R) (R, error) { return row, nil }

// selectValue reads one value or row; zero if there is none.
func selectValue[T any](ctx context.Context, tx *conn, doing, statement string, values ...any) (value T, err error) {
	list, err := selectAll[T](ctx, tx, doing, statement, values...)
	if err != nil || len(list) == 0 {
		return value, err
	}
	return list[0], nil
}

// each visits rows one by one, however many there are.
func each[R any](ctx context.Context, tx *conn, visit func(R) error, statement string, values ...any) error {
	var stopped error
	err := query(ctx, tx.db, func(r *sql.Rows) error {
		var row R
		if err := tx.db.ScanRows(r, &row); err != nil {
			return err
		}
		stopped = visit(row)
		return stopped
	}, statement, values...)
	return cmp.Or(stopped, wrapError("read rows", err))
}

// row runs a statement that returns at most one row.
func (tx *conn) row(ctx context.Context, statement string, values ...any) oneRow {
	return rowOf(ctx, tx.db, statement, values...)
}

// oneRow runs a statement and reads its row. It can't be a *sql.Row: gorm's pool returns one whose
// Scan panics if the statement could not be prepared, as after ctx ended.
type oneRow func(to ...any) error

// Scan reads the columns. Errors: sql.ErrNoRows if there is no row.
func (r oneRow) Scan(to ...any) error { return r(to...) }

func rowOf(ctx context.Context, db *gorm.DB, statement string, values ...any) oneRow {
	return func(to ...any) error {
		none := sql.ErrNoRows
		err := query(ctx, db, func(r *sql.Rows) error {
			none = nil
			return r.Scan(to...)
		}, statement, values...)
		return addCause(ctx, cmp.Or(err, none))
	}
}

// rows runs a statement and calls visit for every row, until an error.
func (tx *conn) rows(ctx context.Context, visit func(scan func(to ...any) error) error, statement string,
	values ...any) error {
	return query(ctx, tx.db, func(r *sql.Rows) error { return visit(r.Scan) }, statement, values...)
}

// trace logs a statement that bypasses gorm, in gorm's format. Call the result at its end.
func trace(ctx context.Context, db *gorm.DB, statement string, rows *int64, err *error) func() {
	begin := time.Now()
	return func() { db.Logger.Trace(ctx, begin, func() (string, int64) { return statement, *rows }, *err) }
}

// wrapError wraps a driver's error; nil stays nil.
func wrapError(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("store: %s: %w", doing, err)
}

// notFound returns CodeNotFound if a read found no row, and wraps other errors.
func notFound(err error, what string) error {
	if errors.Is(err, sql.ErrNoRows) {
		return app.E(app.CodeNotFound, "there is no such "+what, "Check the name or id; it may have been deleted.")
	}
	return wrapError("read "+what, err)
}

// conflict is the error of a change whose precondition no longer holds.
func conflict(what string) error {
	return app.E(app.CodeConflict, "the "+what+" was changed by somebody else at the same moment",
		"Look at it again and repeat what you did if it still applies.")
}

// checkChanged returns a conflict if an update touched no row or its key exists.
func checkChanged(rows int64, err error, what string) error {
	if duplicate(err) || err == nil && rows == 0 {
		return conflict(what)
	}
	return wrapError("change "+what, err)
}

// SQLite's result codes for a key that is there: https://www.sqlite.org/rescode.html.
const (
	sqlitePrimaryKey = 1555
	sqliteUnique     = 2067
)

// duplicate reports whether a row's key exists already.
func duplicate(err error) bool {
	code := resultCode(err)
	return errors.Is(err, gorm.ErrDuplicatedKey) || code == sqlitePrimaryKey || code == sqliteUnique
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

func listJSON[E any](list []E) string { return toJSON(append([]E{}, list...)) }

// fromJSON decodes a column into T. An unreadable column is an error, never an empty value: it may
// be a limit.
func fromJSON[T any](column, text string) (v T, err error) {
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return v, fmt.Errorf("store: column %s can't be read: %w", column, err)
	}
	return v, nil
}
