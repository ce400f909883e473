package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// slowQuery is how long a query may take before it is worth a warning.
const slowQuery = 250 * time.Millisecond

// queryLogger passes gorm's messages to slog. It never sees the values of placeholders.
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

// Trace reports failed and slow queries. It ignores missing rows, broken uniqueness, and statements
// whose context ended: their caller reports those.
func (l queryLogger) Trace(ctx context.Context, begin time.Time, query func() (sql string, rows int64), err error) {
	took := time.Since(begin)
	ordinary := errors.Is(err, gorm.ErrRecordNotFound) || errors.Is(err, sql.ErrNoRows) ||
		errors.Is(err, gorm.ErrDuplicatedKey) || ctx.Err() != nil && errors.Is(givenUp(ctx, err), ctx.Err()) ||
		errors.Is(err, context.Canceled)
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
