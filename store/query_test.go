package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
)

// If a statement could not be prepared, gorm's pool returns a row whose Scan panics. A cancelled
// request or a stopped execution ended the whole server.
func TestARowOfAStatementThatCouldNotBePrepared(t *testing.T) {
	s := open(t)
	for name, read := range map[string]func(context.Context, *Tx) error{
		"profile": func(ctx context.Context, tx *Tx) error {
			_, err := tx.Profiles.ToRun(ctx, "x")
			return err
		},
		"policy": func(ctx context.Context, tx *Tx) error {
			_, err := tx.Policies.Version(ctx, "x", 1)
			return err
		},
		"queue": func(ctx context.Context, tx *Tx) error {
			_, _, err := tx.Queue.Count(ctx, "x")
			return err
		},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		err := s.Read(t.Context(), func(tx *Tx) error {
			cancel()
			return read(ctx, tx)
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.ReadStanding(gone, []byte("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("standing: %v", err)
	}
}

// A transaction whose context ends returns the context's error, not a fault of the server.
func TestGivenUpIsNoFault(t *testing.T) {
	s := open(t)
	for name, run := range map[string]func(context.Context, func(*Tx) error) error{"read": s.Read, "write": s.Write} {
		ctx, leave := context.WithCancel(t.Context())
		err := run(ctx, func(tx *Tx) error {
			leave()
			for over := error(nil); !errors.Is(over, sql.ErrTxDone); { // until database/sql has rolled it back
				var one int
				over = tx.row(t.Context(), "SELECT 1").Scan(&one)
			}
			return nil // to find it out is left to the commit
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		var log bytes.Buffer
		logger := newLogger(slog.New(slog.NewTextHandler(&log, nil)))
		query := func() (string, int64) { return "SELECT 1", 0 }
		if logger.Trace(ctx, time.Now(), query, sql.ErrTxDone); log.Len() > 0 {
			t.Errorf("the log of who gave up: %s", log.String())
		}
		late, cancel := context.WithTimeout(t.Context(), 0)
		defer cancel()
		if logger.Trace(late, time.Now(), query, context.DeadlineExceeded); log.Len() > 0 {
			t.Errorf("the log of a long poll whose time is over: %s", log.String())
		}
		if logger.Trace(t.Context(), time.Now(), query, sql.ErrTxDone); log.Len() == 0 {
			t.Error("a transaction that is over for no reason is not logged")
		}
	}
}

// A client that left between a statement's preparation and its run was logged as a server fault.
func TestStatementOfWhoLeftIsNoFault(t *testing.T) {
	s := open(t)
	pool, err := s.reader.DB()
	if err != nil {
		t.Fatal(err)
	}
	prepared, err := pool.PrepareContext(t.Context(), "SELECT 1")
	if err != nil {
		t.Fatal(err)
	}
	defer prepared.Close()
	ctx, leave := context.WithCancel(t.Context())
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	taken := tx.StmtContext(ctx, prepared)
	leave()
	one := 0
	// Until database/sql has closed the transaction, there may be a row, no transaction, or the end
	// of its context.
	for deadline := time.Now().Add(time.Minute); err == nil || !strings.Contains(err.Error(), statementClosed); {
		if time.Now().After(deadline) {
			t.Fatalf("the statement is open, error %v", err)
		}
		err = taken.QueryRowContext(t.Context()).Scan(&one)
	}
	if got := addCause(ctx, err); !errors.Is(got, context.Canceled) {
		t.Errorf("who left: %v", got)
	}
	if got := addCause(t.Context(), err); err == nil || errors.Is(got, context.Canceled) {
		t.Errorf("who waits: %v", got)
	}
}

// interrupted is what SQLite says of a statement that was told to stop.
type interrupted struct{}

func (interrupted) Error() string { return "interrupted (9)" }
func (interrupted) Code() int     { return sqliteInterrupt }

// An interrupted statement is no fault if its caller has left; any other is.
func TestInterruptedIsGivenUp(t *testing.T) {
	gone, leave := context.WithCancel(t.Context())
	leave()
	if err := addCause(gone, fmt.Errorf("read: %w", interrupted{})); !errors.Is(err, context.Canceled) {
		t.Errorf("who left: %v", err)
	}
	if err := addCause(t.Context(), interrupted{}); errors.Is(err, context.Canceled) || err == nil {
		t.Errorf("who waits: %v", err)
	}
	if err := addCause(gone, sql.ErrNoRows); err != sql.ErrNoRows {
		t.Errorf("another error: %v", err)
	}
}

func TestTextsComeBackAsTheyWere(t *testing.T) {
	s := open(t)
	at := time.UnixMilli(1).UTC()
	for i, text := range hostileTexts() {
		p := Profile{
			Lookup: []byte{byte(i)}, SealedID: []byte{1},
			Profile: app.Profile{Handle: fmt.Sprint("h", i), Description: text, MayRun: app.MayRunAny,
				CreatedBy:   app.Actor{Kind: app.ActorAgent},
				CreatedFrom: text, CreatedAt: at, UpdatedAt: at},
		}
		keys := []app.Key{{Name: fmt.Sprint("K", i), Description: text, Hosts: []app.Host{}}}
		var got Profile
		err := s.Write(t.Context(), func(tx *Tx) (err error) {
			if err := tx.Profiles.Insert(t.Context(), p); err != nil {
				return err
			}
			if got, err = tx.Profiles.ByHandle(t.Context(), p.Handle); err != nil {
				return err
			}
			if err := tx.Profiles.SetKeys(t.Context(), got.Row, keys, at); err != nil {
				return err
			}
			got, err = tx.Profiles.ByLookup(t.Context(), p.Lookup)
			return err
		})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		p.Row, p.Keys = got.Row, keys
		if diff := cmp.Diff(p, got); diff != "" {
			t.Errorf("%q (-sent +read):\n%s", text, diff)
		}
	}
	for _, text := range hostileTexts() {
		err := s.Read(t.Context(), func(tx *Tx) error { _, err := tx.Profiles.ByHandle(t.Context(), text); return err })
		if app.CodeOf(err) != app.CodeNotFound {
			t.Errorf("handle %q: %v, want not_found", text, err)
		}
	}
}
