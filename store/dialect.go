package store

import (
	"errors"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/callbacks"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"
	"gorm.io/gorm/schema"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// dialect is SQLite for gorm, as far as this package has use for it: the schema is made by migrations, never by gorm.
type dialect struct{ pool gorm.ConnPool }

func (dialect) Name() string { return "sqlite" }

// Initialize registers the statements that gorm builds.
func (d dialect) Initialize(db *gorm.DB) error {
	db.ConnPool = d.pool
	callbacks.RegisterDefaultCallbacks(db, &callbacks.Config{
		CreateClauses:        []string{"INSERT", "VALUES", "ON CONFLICT", "RETURNING"},
		UpdateClauses:        []string{"UPDATE", "SET", "FROM", "WHERE", "RETURNING"},
		DeleteClauses:        []string{"DELETE", "FROM", "WHERE", "RETURNING"},
		LastInsertIDReversed: true,
	})
	return nil
}

// Migrator is nil: see dialect.
func (dialect) Migrator(*gorm.DB) gorm.Migrator { return nil }

// DataTypeOf is for migrators.
func (dialect) DataTypeOf(*schema.Field) string { return "" }

// DefaultValueOf is what a column gets that an insert of several rows leaves to the database: only row ids are.
func (dialect) DefaultValueOf(*schema.Field) clause.Expression { return clause.Expr{SQL: "NULL"} }

func (dialect) BindVarTo(w clause.Writer, _ *gorm.Statement, _ any) { _ = w.WriteByte('?') }

// QuoteTo quotes a name, and both parts of table.column.
func (dialect) QuoteTo(w clause.Writer, name string) {
	for i, part := range strings.Split(name, ".") {
		if i > 0 {
			_ = w.WriteByte('.')
		}
		_, _ = w.WriteString("`" + strings.ReplaceAll(strings.Trim(part, "`"), "`", "``") + "`")
	}
}

// Explain writes a statement for the log, which never gets values: see queryLogger.
func (dialect) Explain(sql string, vars ...any) string {
	return logger.ExplainSQL(sql, nil, `"`, vars...)
}

// Translate gives gorm's names to what callers tell apart.
func (dialect) Translate(err error) error {
	var failed *sqlite.Error
	if !errors.As(err, &failed) {
		return err
	}
	switch failed.Code() {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return gorm.ErrDuplicatedKey
	case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
		return gorm.ErrForeignKeyViolated
	}
	return err
}
