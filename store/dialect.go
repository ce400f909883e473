package store

import (
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/callbacks"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"
	"gorm.io/gorm/schema"
)

// dialect teaches gorm the SQLite that this package asks it for: inserts and raw statements.
type dialect struct{ pool gorm.ConnPool }

// Name implements gorm.Dialector.
func (dialect) Name() string { return "sqlite" }

// Initialize implements gorm.Dialector.
func (d dialect) Initialize(db *gorm.DB) error {
	db.ConnPool = d.pool
	callbacks.RegisterDefaultCallbacks(db, &callbacks.Config{
		CreateClauses:        []string{"INSERT", "VALUES", "ON CONFLICT", "RETURNING"},
		LastInsertIDReversed: true,
	})
	return nil
}

// Migrator implements gorm.Dialector. There is none: see migrate.
func (dialect) Migrator(*gorm.DB) gorm.Migrator { return nil }

// DataTypeOf implements gorm.Dialector, for a migrator only.
func (dialect) DataTypeOf(*schema.Field) string { return "" }

// DefaultValueOf implements gorm.Dialector.
func (dialect) DefaultValueOf(*schema.Field) clause.Expression { return clause.Expr{SQL: "NULL"} }

// BindVarTo implements gorm.Dialector.
func (dialect) BindVarTo(w clause.Writer, _ *gorm.Statement, _ any) { _ = w.WriteByte('?') }

// QuoteTo implements gorm.Dialector.
func (dialect) QuoteTo(w clause.Writer, name string) {
	for i, part := range strings.Split(name, ".") {
		if i > 0 {
			_ = w.WriteByte('.')
		}
		_, _ = w.WriteString("`" + strings.ReplaceAll(part, "`", "``") + "`")
	}
}

// Explain implements gorm.Dialector.
func (dialect) Explain(sql string, vars ...any) string {
	return logger.ExplainSQL(sql, nil, `"`, vars...)
}

// Result codes of SQLite for a key that there is already.
const (
	sqliteConstraintUnique     = 19 | 8<<8
	sqliteConstraintPrimaryKey = 19 | 6<<8
	sqliteConstraintForeignKey = 19 | 3<<8
)

// Translate implements gorm.ErrorTranslator.
func (dialect) Translate(err error) error {
	switch resultCode(err) {
	case sqliteConstraintUnique, sqliteConstraintPrimaryKey:
		return gorm.ErrDuplicatedKey
	case sqliteConstraintForeignKey:
		return gorm.ErrForeignKeyViolated
	}
	return err
}
