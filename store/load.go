package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"

	"gorm.io/gorm/schema"

	"github.com/computclaw/airlock/app"
)

// Loader inserts many rows in one write transaction, with each statement prepared once. It ends
// with its transaction.
type Loader struct {
	tx     *sql.Tx
	tables map[reflect.Type]*loadTable
}

// loadTable is one prepared insert.
type loadTable struct {
	schema *schema.Schema
	fields []*schema.Field
	insert *sql.Stmt
}

// Loader returns one for this transaction. Close releases its statements.
func (tx *Tx) Loader() (*Loader, error) {
	conn, ok := tx.db.Statement.ConnPool.(*sql.Tx)
	if !ok {
		return nil, errors.New("store: rows are loaded in write transactions only")
	}
	return &Loader{tx: conn, tables: map[reflect.Type]*loadTable{}}, nil
}

// Close releases the statements.
func (l *Loader) Close() error {
	var errs []error
	for _, t := range l.tables {
		errs = append(errs, t.insert.Close())
	}
	return errors.Join(errs...)
}

// Add inserts a row, one of the …Row types. added is false if there is one with the same key
// already; then nothing happened. id is the new row's id in tables that number their rows. A row
// that breaks a rule of the schema is CodeInvalidField: what is loaded comes from files.
func (l *Loader) Add(ctx context.Context, row any) (id int64, added bool, err error) {
	t, err := l.table(ctx, reflect.TypeOf(row))
	if err != nil {
		return 0, false, err
	}
	value := reflect.New(reflect.TypeOf(row)).Elem()
	value.Set(reflect.ValueOf(row))
	args := make([]any, len(t.fields))
	for i, f := range t.fields {
		args[i], _ = f.ValueOf(ctx, value)
	}
	done, err := t.insert.ExecContext(ctx, args...)
	if err != nil {
		return 0, false, broken(t.schema.Table, err)
	}
	n, err := done.RowsAffected()
	if err == nil && n > 0 {
		id, err = done.LastInsertId()
	}
	if err != nil {
		return 0, false, fmt.Errorf("store: load %s: %w", t.schema.Table, err)
	}
	return id, n > 0, nil
}

// broken tells a row that the schema refuses from a database that fails.
func broken(table string, err error) error {
	for _, sign := range []string{"constraint failed", "cannot store", "RAISE", "malformed JSON"} {
		if strings.Contains(err.Error(), sign) {
			e := app.Invalid("file", "a row for "+table+" breaks a rule of the database",
				"The file was not made by Airlock, or by a version with a fault. Nothing was changed.")
			e.Cause = err
			return e
		}
	}
	return fmt.Errorf("store: load %s: %w", table, err)
}

func (l *Loader) table(ctx context.Context, kind reflect.Type) (*loadTable, error) {
	if t, ok := l.tables[kind]; ok {
		return t, nil
	}
	parsed, err := schema.Parse(reflect.New(kind).Interface(), &sync.Map{}, schema.NamingStrategy{})
	if err != nil {
		return nil, fmt.Errorf("store: load: %w", err)
	}
	t := &loadTable{schema: parsed}
	var names, marks []string
	for _, f := range parsed.Fields {
		if numbered(parsed.Table) && f.DBName == "id" {
			continue
		}
		t.fields, names, marks = append(t.fields, f), append(names, f.DBName), append(marks, "?")
	}
	text := "INSERT INTO " + parsed.Table + " (" + strings.Join(names, ", ") + ") VALUES (" + strings.Join(marks, ", ") +
		") ON CONFLICT DO NOTHING"
	if t.insert, err = l.tx.PrepareContext(ctx, text); err != nil {
		return nil, fmt.Errorf("store: load %s: %w", parsed.Table, err)
	}
	l.tables[kind] = t
	return t, nil
}

// numbered reports whether a table gives its rows numbers of its own.
func numbered(table string) bool {
	return table == "profiles" || table == "executions" || table == "skills"
}

// LockLoaded locks a profile that was loaded unlocked, so that its keys could be loaded.
func (tx Profiles) LockLoaded(ctx context.Context, row int64) error {
	return tx.change(ctx, "profile", "UPDATE profiles SET locked = 1 WHERE id = ? AND locked = 0", row)
}

// RetireEmpty marks skills as deleted if no files of any of their versions were loaded.
func (tx Skills) RetireEmpty(ctx context.Context, at time.Time) error {
	return tx.run(ctx, "retire skills", `UPDATE skills SET deleted_at = ? WHERE deleted_at = 0
		AND NOT EXISTS (SELECT 1 FROM skill_versions WHERE skill_id = skills.id AND blob_id IS NOT NULL)`, toMillis(at))
}

// Has reports whether there is an execution with the handle or the keyed hash of an id.
func (tx Executions) Has(ctx context.Context, handle string, lookup []byte) (bool, error) {
	return selectValue[bool](ctx, tx.conn, "look for an execution", `SELECT EXISTS (SELECT 1 FROM executions
		WHERE handle = ?) OR EXISTS (SELECT 1 FROM executions WHERE lookup = ?)`, handle, lookup)
}

// Newest returns the number of the newest execution's row, 0 if there is none.
func (tx Executions) Newest(ctx context.Context) (row int64, err error) {
	return selectValue[int64](ctx, tx.conn, "newest execution", "SELECT coalesce(max(id), 0) FROM executions")
}

// Intact reports whether the event hashes to what it says.
func Intact(e EventRow) bool { return e.Hash == e.digest() }
