package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"
)

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
			// This write waited while another process kept the database. Waiting again, one after the
			// other, would take each another busyTimeout.
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

// givenUp adds the context's error where its end rolled a transaction back or interrupted a
// statement. database/sql and SQLite say only that it is over, which would look like a fault of
// ours.
func givenUp(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	ended := errors.Is(err, sql.ErrTxDone) || strings.Contains(err.Error(), statementClosed)
	if ended || resultCode(err)&0xff == sqliteInterrupt {
		return fmt.Errorf("store: %w: %w", ctx.Err(), err)
	}
	return err
}

// statementClosed is database/sql's unnamed error for a transaction that ends after a statement was
// taken for it and before the statement runs.
const statementClosed = "sql: statement is closed"

// sqliteInterrupt is SQLite's result code for an interrupted statement.
const sqliteInterrupt = 9

// OnAudit calls tell after each commit that wrote to the audit log, in the goroutine that wrote, so
// tell must be quick. A later call replaces tell.
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

// Urgent marks a context whose reads don't wait for those of all others. It is for people and for
// monitoring, never for agents.
func Urgent(ctx context.Context) context.Context { return context.WithValue(ctx, urgentKey{}, true) }
