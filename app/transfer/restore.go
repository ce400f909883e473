package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// Restore is how a data directory gets its database from a file. Nobody else may use the directory meanwhile: the caller holds its lock.
type Restore struct {
	Dir     string           // the data directory
	Keyring *secrets.Keyring // of the instance key that the new database is to have
	Replace bool             // a database that is there is set aside, as before-restore-….db
	By      app.Actor
	Log     *slog.Logger
}

// FromFile makes the database from an .airlock file. It is built beside the place where it goes and gets its name when it is whole and sound; before that nothing is changed.
func (r Restore) FromFile(ctx context.Context, file Upload, progress *Progress) (Counts, error) {
	var counts Counts
	err := r.build(ctx, func(scratch string) error {
		var err error
		counts, err = fill(ctx, scratch, r.Keyring, file, r.Log, progress)
		return err
	}, "Restored "+filepath.Base(r.Dir)+" from an .airlock file.")
	return counts, err
}

// FromPoint makes the database from a restore point, which needs the instance key that it was made with.
func (r Restore) FromPoint(ctx context.Context, path string) error {
	return r.build(ctx, func(scratch string) error {
		return copyFile(path, filepath.Join(scratch, store.FileName))
	}, "Restored the copy "+filepath.Base(path)+".")
}

// IsPoint reports whether the file is a copy of a database and not an .airlock file.
func IsPoint(path string) (bool, error) {
	f, err := os.Open(path) //nolint:gosec // the operator names it
	if err != nil {
		return false, err
	}
	defer f.Close()
	head := make([]byte, 16)
	if _, err := io.ReadFull(f, head); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return false, err
	}
	return string(head) == "SQLite format 3\x00", nil
}

// fill makes a database in an empty directory from a file.
func fill(ctx context.Context, dir string, ring *secrets.Keyring, file Upload, log *slog.Logger, progress *Progress) (counts Counts, err error) {
	st, err := store.Open(ctx, dir, log)
	if err != nil {
		return counts, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	if ring, err = access.VerifyKeyring(ctx, st, ring); err != nil {
		return counts, err
	}
	return New(Config{Store: st, Keyring: ring, Dir: dir, Instance: "0", Log: log}).Fill(ctx, file, progress)
}

// build makes the database with fn, examines it and puts it into its place.
func (r Restore) build(ctx context.Context, fn func(scratch string) error, detail string) (err error) {
	target := filepath.Join(r.Dir, store.FileName)
	_, found := os.Stat(target)
	if found == nil && !r.Replace {
		return app.E(app.CodeConflict, "there is a database in "+r.Dir+" already", "Choose an empty data directory (AIRLOCK_DATA_DIR), or say --replace: the present one is set aside, not deleted.")
	}
	scratch, err := os.MkdirTemp(r.Dir, restorePrefix)
	if err != nil {
		return fmt.Errorf("transfer: restore: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	if err := fn(scratch); err != nil {
		return err
	}
	if err := r.examine(ctx, scratch, detail); err != nil {
		return err
	}
	if found == nil {
		if err := r.fold(ctx); err != nil {
			return err
		}
	}
	if err := setAside(target); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(scratch, store.FileName), target); err != nil {
		return fmt.Errorf("transfer: restore: %w", err)
	}
	return syncDir(r.Dir)
}

// examine opens what was built as the server would, and records where it is from.
func (r Restore) examine(ctx context.Context, scratch, detail string) (err error) {
	st, err := store.Open(ctx, scratch, r.Log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	if _, err := access.VerifyKeyring(ctx, st, r.Keyring); err != nil {
		return err
	}
	if err := st.Check(ctx); err != nil {
		return err
	}
	return st.Write(ctx, func(tx *store.Tx) error {
		_, broken, err := tx.VerifyAudit(ctx, store.AuditMark{})
		if err != nil {
			return err
		}
		if broken != 0 {
			return contradiction("the audit log", fmt.Sprintf("is broken at event %d", broken), nil)
		}
		// A copy of a database has the sessions of its time, also those that were ended since.
		if _, err := tx.DeleteAdminSessions(ctx); err != nil {
			return err
		}
		return tx.Audit(ctx, app.Event{At: time.Now().UTC().Truncate(time.Millisecond), Actor: r.By, Action: "instance.restore", Subject: "instance", Detail: detail})
	})
}

// fold makes the present database whole in one file: opening and closing it folds its write-ahead log in. One that can't be opened stays in pieces.
func (r Restore) fold(ctx context.Context) error {
	st, err := store.Open(ctx, r.Dir, r.Log)
	if err != nil {
		return nil //nolint:nilerr // it is set aside as it is
	}
	return st.Close()
}

// setAside gives the present database a second name, so that there is one at every moment: the new one then takes the first name in one step. A write-ahead log that is still there,
// also one whose database somebody deleted, goes first: SQLite would take it for the new database's and write its pages over it.
func setAside(target string) error {
	aside := filepath.Join(filepath.Dir(target), "before-restore-"+time.Now().UTC().Format(stampForm)+pointSuffix)
	for _, end := range []string{"-wal", "-shm"} {
		if err := os.Rename(target+end, aside+end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("transfer: restore: %w", err)
		}
	}
	err := os.Link(target, aside)
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission) { // volumes without hard links
		err = os.Rename(target, aside)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("transfer: restore: %w", err)
	}
	return nil
}

func copyFile(from, to string) (err error) {
	in, err := os.Open(from) //nolint:gosec // the operator names it
	if err != nil {
		return fmt.Errorf("transfer: restore: %w", err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) //nolint:gosec // inside a directory of ours
	if err != nil {
		return fmt.Errorf("transfer: restore: %w", err)
	}
	if _, err = io.Copy(out, in); err == nil {
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("transfer: restore: %w", err)
	}
	return nil
}

func syncDir(dir string) error {
	d, err := os.Open(dir) //nolint:gosec // the data directory
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// OpenFile is an Upload of a file on this host.
func OpenFile(path string, passphrase app.Secret) (Upload, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Upload{}, err
	}
	if !info.Mode().IsRegular() {
		return Upload{}, app.Invalid("file", strings.TrimSpace(path)+" is not a regular file", "Name the .airlock file itself.")
	}
	return Upload{Open: func() (io.ReadCloser, error) { return os.Open(path) }, Size: info.Size(), Passphrase: passphrase}, nil //nolint:gosec // the operator names it
}
