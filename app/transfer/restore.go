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
	"github.com/computclaw/airlock/app/atomicfile"
	"github.com/computclaw/airlock/app/blobs"
	"github.com/computclaw/airlock/app/files"
	"github.com/computclaw/airlock/app/instance"
	"github.com/computclaw/airlock/app/rekey"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/transfer/content"
	"github.com/computclaw/airlock/store"
)

// Restore is how a data directory gets its database from a file. Nobody else may use the directory
// meanwhile, neither a server nor a command: the caller holds its locks.
type Restore struct {
	Dir     string           // the data directory
	Keyring *secrets.Keyring // of the instance key that the new database is to have
	Replace bool             // a database that is there is set aside, as before-restore-….db
	// Keep keeps a new instance key; it may be nil. It is called when the database is sound, before it
	// gets its place.
	Keep func() error
	By   app.Actor
	Log  *slog.Logger
}

// Restored says what a restore did.
type Restored struct {
	Counts content.Counts // of an .airlock file
	// Kept: a later state of the same database was replaced. Its people, settings, revocations and
	// deletions are kept.
	Kept bool
	AsOf time.Time // the last audit event that was restored; zero if there is none
	Said []string  // what was taken away again, a sentence each
}

// FromFile makes the database from an .airlock file. It is built beside the place where it goes and
// gets its name when it is whole and sound; before that nothing is changed.
func (r Restore) FromFile(ctx context.Context, file Upload, progress *Progress) (done Restored, err error) {
	err = r.build(ctx, &done, func(scratch string) (err error) {
		done.Counts, err = FillDir(ctx, scratch, r.Keyring, file, r.Log, progress)
		return err
	}, "Restored "+filepath.Base(r.Dir)+" from an .airlock file.")
	return done, err
}

// FromPoint makes the database from a restore point. The keyring must hold the point's instance
// keys; afterwards everything is sealed with the first key.
func (r Restore) FromPoint(ctx context.Context, path string) (done Restored, err error) {
	err = r.build(ctx, &done, func(scratch string) error {
		if err := copyFile(path, filepath.Join(scratch, store.FileName)); err != nil {
			return err
		}
		return r.reseal(ctx, scratch)
	}, "Restored the copy "+filepath.Base(path)+".")
	return done, err
}

// reseal makes sure that everything in a copy opens. One that was made in the middle of a rotation
// holds tokens of two keys: the present one may open what says whose it is, and nothing else. And a
// rotation that was broken off may drop the older key later, which what is restored must not need
// then.
func (r Restore) reseal(ctx context.Context, scratch string) (err error) {
	st, ring, err := openWith(ctx, scratch, r.Keyring, r.Log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	_, err = rekey.Run(ctx, st, ring)
	if errors.Is(err, secrets.ErrOpen) {
		e := app.E(app.CodeConflict,
			"the copy was made in the middle of a rotation of the instance key, and holds what the key before has sealed",
			"Nothing was changed. If you have the key before, set AIRLOCK_SECRET_KEY_OLD to it and try again; else restore a "+
				"backup, which needs no key.")
		e.Cause = err
		return e
	}
	return err
}

// openWith opens the database of a directory with the keyring that opens what is sealed in it.
func openWith(ctx context.Context, dir string, ring *secrets.Keyring, log *slog.Logger) (*store.Store,
	*secrets.Keyring, error) {
	st, err := store.Open(ctx, dir, log)
	if err != nil {
		return nil, nil, err
	}
	if ring, err = instance.VerifyKeyring(ctx, st, ring); err != nil {
		return nil, nil, errors.Join(err, st.Close())
	}
	return st, ring, nil
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

// FillDir makes a database in an empty directory from a file.
func FillDir(ctx context.Context, dir string, ring *secrets.Keyring, file Upload, log *slog.Logger,
	progress *Progress) (counts content.Counts, err error) {
	st, ring, err := openWith(ctx, dir, ring, log)
	if err != nil {
		return counts, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	kept := filepath.Join(dir, files.Dir)
	if err := os.Mkdir(kept, 0o700); err != nil {
		return counts, fmt.Errorf("transfer: restore: %w", err)
	}
	storage, err := blobs.OpenDir(kept)
	if err != nil {
		return counts, err
	}
	contents := files.New(files.Config{Store: st, Keyring: ring, Storage: storage, Dir: kept, Log: log})
	service := New(Config{Store: st, Keyring: ring, Files: contents, Dir: dir, Instance: "0", Log: log})
	return service.Fill(ctx, file, progress)
}

// moveContents gives what a restore put beside its database its place in the data directory. What was
// there stays: the names are random.
func moveContents(scratch, dir string) error {
	entries, err := os.ReadDir(filepath.Join(scratch, files.Dir))
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("transfer: restore: %w", err)
	}
	to := filepath.Join(dir, files.Dir)
	if err := os.Mkdir(to, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("transfer: restore: %w", err)
	}
	for _, e := range entries {
		if err := os.Rename(filepath.Join(scratch, files.Dir, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return fmt.Errorf("transfer: restore: %w", err)
		}
	}
	return atomicfile.SyncDir(to)
}

// build makes the database with fn, examines it and puts it into its place.
func (r Restore) build(ctx context.Context, done *Restored, fn func(scratch string) error, detail string) (err error) {
	target := filepath.Join(r.Dir, store.FileName)
	_, found := os.Stat(target)
	if found == nil && !r.Replace {
		return app.E(app.CodeConflict, "there is a database in "+r.Dir+" already",
			"Choose an empty data directory (AIRLOCK_DATA_DIR), or say --replace: the present one is set aside, not deleted.")
	}
	scratch, err := os.MkdirTemp(r.Dir, restorePrefix)
	if err != nil {
		return fmt.Errorf("transfer: restore: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	if err := fn(scratch); err != nil {
		return err
	}
	if err = r.examine(ctx, done, scratch, found == nil, detail); err != nil {
		return err
	}
	if err := setAside(target); err != nil {
		return err
	}
	if r.Keep != nil {
		if err := r.Keep(); err != nil {
			return err
		}
	}
	if err := moveContents(scratch, r.Dir); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(scratch, store.FileName), target); err != nil {
		return fmt.Errorf("transfer: restore: %w", err)
	}
	return atomicfile.SyncDir(r.Dir)
}

// examine opens what was built as the server would, takes away what must not come back, and records
// where it is from.
func (r Restore) examine(
	ctx context.Context, done *Restored, scratch string, replaces bool, detail string,
) (err error) {
	st, ring, err := openWith(ctx, scratch, r.Keyring, r.Log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	if err := st.Check(ctx); err != nil {
		return err
	}
	return st.Write(ctx, func(tx *store.Tx) error {
		end, broken, err := tx.Events.Verify(ctx, store.AuditMark{})
		if err != nil {
			return err
		}
		if broken != 0 {
			return content.Contradiction("the audit log", fmt.Sprintf("is broken at event %d", broken), nil)
		}
		if err := endOpenings(ctx, tx); err != nil {
			return err
		}
		at := time.Now().UTC().Truncate(time.Millisecond)
		if err := endUnfinished(ctx, tx, at); err != nil {
			return err
		}
		if done.AsOf, err = lastEvent(ctx, tx); err != nil {
			return err
		}
		var later *laterState
		if replaces {
			later = r.readReplaced(ctx, end)
		}
		if err := forgetApprovals(ctx, tx, later); err != nil {
			return err
		}
		if done.Kept = later != nil; done.Kept {
			if done.Said, err = later.keep(ctx, tx, ring, r.By, at); err != nil {
				return err
			}
		}
		if !done.AsOf.IsZero() {
			detail += " Everything is as it was at " + moment(done.AsOf.UnixMilli()) + "."
		}
		return tx.Audit(ctx, app.Event{At: at, Actor: r.By, Action: "instance.restore", Subject: "instance", Detail: detail})
	})
}

// lastEvent is when the audit log of a database ends; zero if it is empty.
func lastEvent(ctx context.Context, tx *store.Tx) (time.Time, error) {
	events, err := tx.Events.List(ctx, store.AuditFilter{Limit: 1})
	if err != nil || len(events) == 0 {
		return time.Time{}, err
	}
	return events[0].At, nil
}

// readReplaced opens the present database, which also makes it whole in one file, since closing it
// folds its write-ahead log in. It returns nil unless that is a later state of the database whose
// audit log ends at that mark: an event with a hash is nowhere twice.
func (r Restore) readReplaced(ctx context.Context, end store.AuditMark) (later *laterState) {
	st, err := store.Open(ctx, r.Dir, r.Log)
	if err != nil {
		return nil
	}
	err = st.Read(ctx, func(tx *store.Tx) error {
		hash, err := tx.Events.Hash(ctx, store.OwnLog, end.Seq)
		if err != nil || end.Seq == 0 || hash != end.Hash {
			return err
		}
		later, err = readLaterState(ctx, tx)
		return err
	})
	if err = errors.Join(err, st.Close()); err != nil {
		r.Log.WarnContext(ctx, "the database that is replaced could not be read", "error", err)
		return nil
	}
	return later
}

// setAside gives the present database a second name. Thus one exists at every moment: the new one
// takes the first name in one step. A remaining write-ahead log goes first, also that of a deleted
// database: SQLite would write its pages over the new one.
func setAside(target string) error {
	aside := filepath.Join(filepath.Dir(target), asidePrefix+time.Now().UTC().Format(stampForm)+pointSuffix)
	for _, end := range []string{"-wal", "-shm"} {
		if err := os.Rename(target+end, aside+end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("transfer: restore: %w", err)
		}
	}
	if err := atomicfile.Claim(target, aside); err != nil && !errors.Is(err, fs.ErrNotExist) {
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

// OpenFile is an Upload of a file on this host.
func OpenFile(path string, passphrase app.Secret) (Upload, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Upload{}, err
	}
	if !info.Mode().IsRegular() {
		return Upload{}, app.Invalid("file", strings.TrimSpace(path)+" is not a regular file",
			"Name the .airlock file itself.")
	}
	return localFile(path, info.Size(), passphrase), nil
}

func localFile(path string, size int64, passphrase app.Secret) Upload {
	open := func() (io.ReadCloser, error) { return os.Open(path) } //nolint:gosec // a person or Receive names it
	return Upload{Open: open, Size: size, Passphrase: passphrase}
}
