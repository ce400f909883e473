package backups

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/blobs"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/transfer"
	"github.com/computclaw/airlock/app/transfer/content"
	"github.com/computclaw/airlock/store"
)

const backupTime = 12 * time.Hour

// stampForm is the time in the name of a backup. Such names sort by it.
const stampForm = "20060102T150405.000Z"

// BackUp makes a backup now and verifies it. It writes an .airlock file, stores it, reads it back
// and restores it into a scratch database. Then it deletes this instance's oldest backups over the
// number to keep. It records and audits the outcome, also a failure. CodeConflict if one is
// running; people only.
func (s *Service) BackUp(ctx context.Context, by app.Actor) (store.Backup, error) {
	if err := by.PeopleOnly(); err != nil {
		return store.Backup{}, err
	}
	return s.attempt(ctx, store.Backup{Cause: "person", By: by})
}

// Start makes a backup now, in the background. It returns the id of the job.
func (s *Service) Start(by app.Actor) (string, error) {
	return s.cfg.Transfer.StartBackup(by, func(ctx context.Context) error {
		_, err := s.BackUp(ctx, by)
		return err
	})
}

func (s *Service) attempt(ctx context.Context, b store.Backup) (store.Backup, error) {
	if !s.backup.TryLock() {
		return b, app.E(app.CodeConflict, "a backup is under way already", "Wait until it has ended.")
	}
	defer s.backup.Unlock()
	settings, ok, err := s.BackupSettings(ctx)
	if err == nil && (!ok || settings.Passphrase.Empty()) {
		err = app.E(app.CodeConflict, "backups are not set up", "Set them up under Settings, Backups.")
	}
	if err != nil {
		return b, err
	}
	b.StartedAt = s.now()
	b.Name = fmt.Sprintf("%s%s.airlock", s.backupNames(), b.StartedAt.Format(stampForm))
	err = s.cfg.Store.Write(ctx, func(tx *store.Tx) (err error) {
		if err := s.endLost(ctx, tx); err != nil {
			return err
		}
		b.ID, err = tx.Backups.Begin(ctx, b)
		return err
	})
	if err != nil {
		return b, err
	}
	err = s.make(ctx, settings, &b)
	return b, errors.Join(err, s.conclude(context.WithoutCancel(ctx), &b, err))
}

// endLost notes and audits as failed what is called running while nothing runs.
func (s *Service) endLost(ctx context.Context, tx *store.Tx) error {
	n, err := tx.Backups.EndLost(ctx, s.now())
	if err != nil || n == 0 {
		return err
	}
	return tx.Audit(ctx, s.event(app.System(), "backup.failed", "backups",
		"A backup was interrupted, or its end could not be recorded."))
}

// conclude records and audits how it ended.
func (s *Service) conclude(ctx context.Context, b *store.Backup, failure error) error {
	b.Status, b.FinishedAt = store.BackupVerified, s.now()
	e := s.event(b.By, "backup.verified", b.Name,
		strings.TrimSpace(fmt.Sprintf("Made a backup of %d bytes and restored it into a scratch file; %s. %s", b.Size,
			b.Target, b.Error)))
	if failure != nil {
		b.Status, b.Error = store.BackupFailed, app.Clip(failure.Error(), 500)
		e = s.event(b.By, "backup.failed", b.Name, "The backup failed: "+b.Error)
		s.cfg.Log.ErrorContext(ctx, "the backup failed", "error", failure)
	}
	err := s.cfg.Store.Write(ctx, func(tx *store.Tx) error {
		if err := tx.Backups.End(ctx, *b); err != nil {
			return err
		}
		return tx.Audit(ctx, e)
	})
	s.cfg.Hub.Publish(TopicBackups)
	return err
}

// TopicBackups is published when the list of backups changes.
const TopicBackups = "backups"

// backupNames is what the names of this instance's backups begin with: several instances may share
// a target.
func (s *Service) backupNames() string { return "airlock-" + s.cfg.Instance + "-" }

// make writes, stores, verifies and prunes.
func (s *Service) make(ctx context.Context, settings BackupSettings, b *store.Backup) error {
	ctx, cancel := context.WithTimeout(ctx, backupTime)
	defer cancel()
	target, err := settings.open()
	if err != nil {
		return err
	}
	b.Target = target.String()
	size, err := s.cfg.Store.Size(ctx)
	if err != nil {
		return err
	}
	what := transfer.Selection{History: true, Artifacts: settings.Artifacts}
	contents := int64(0)
	if what.Artifacts {
		if contents, err = s.cfg.Transfer.ArtifactBytes(ctx, nil); err != nil {
			return err
		}
	}
	// the scratch database, its write-ahead log and its contents; CheckSpace counts the file while
	// it is written
	if err := s.cfg.Transfer.CheckSpace(2*size + contents); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(s.cfg.Dir, transfer.BackupPrefix)
	if err != nil {
		return fmt.Errorf("backups: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "file")
	written, err := s.writeBackup(ctx, path, settings.Passphrase, what, b)
	if err != nil {
		return err
	}
	if err := put(ctx, target, path, b); err != nil {
		return err
	}
	if err := s.verify(ctx, target, settings.Passphrase, path, b, written); err != nil {
		// What can't be restored must not pass for a backup, also where ctx has ended.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		return errors.Join(fmt.Errorf("backups: the backup could not be restored: %w", err), target.Delete(ctx, b.Name))
	}
	// there may be rules against deleting: the backup is as good
	if err := s.prune(ctx, target, settings.Keep, b.Name); err != nil {
		b.Error = app.Clip(strings.TrimSpace(b.Error+" Older ones could not be deleted: "+err.Error()), 500)
		s.cfg.Log.WarnContext(ctx, "old backups could not be deleted", "error", err)
	}
	return nil
}

func (s *Service) writeBackup(ctx context.Context, path string, passphrase app.Secret, what transfer.Selection,
	b *store.Backup) (content.Counts, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) //nolint:gosec // inside a directory of ours
	if err != nil {
		return content.Counts{}, fmt.Errorf("backups: %w", err)
	}
	done, err := s.cfg.Transfer.Write(ctx, s.cfg.Transfer.WatchSpace(file), passphrase, what, nil)
	if err == nil {
		var info os.FileInfo
		if info, err = file.Stat(); err == nil {
			b.Size = info.Size()
		}
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return content.Counts{}, fmt.Errorf("backups: %w", err)
	}
	b.Error = done.LostSentence()
	return done.Counts, nil
}

func put(ctx context.Context, target blobs.Store, path string, b *store.Backup) error {
	file, err := os.Open(path) //nolint:gosec // inside a directory of ours
	if err != nil {
		return fmt.Errorf("backups: %w", err)
	}
	defer file.Close()
	return target.Put(ctx, b.Name, file, b.Size)
}

var errNotSame = errors.New("the storage gives back something else than was stored")

// verify reads the stored file back and compares it with what was written, at path. It restores the
// latter, under a throwaway instance key, and compares the counts. So it never parses altered bytes:
// they could ask for half a gigabyte of memory, or be an older backup.
func (s *Service) verify(ctx context.Context, target blobs.Store, passphrase app.Secret, path string, b *store.Backup,
	want content.Counts) error {
	stored, err := digest(target.Get(ctx, b.Name))
	if err != nil {
		return err
	}
	made, err := digest(os.Open(path)) //nolint:gosec // inside a directory of ours
	if err != nil {
		return err
	}
	if stored != made {
		return errNotSame
	}
	scratch := path + "-restored"
	if err := os.Mkdir(scratch, 0o700); err != nil {
		return err
	}
	ring, err := secrets.NewKeyring(secrets.NewInstanceKey())
	if err != nil {
		return err
	}
	file, err := transfer.OpenFile(path, passphrase)
	if err != nil {
		return err
	}
	file.MaxSize = 1 << 62
	got, err := transfer.FillDir(ctx, scratch, ring, file, s.cfg.Log, nil)
	if err != nil {
		return err
	}
	if got != want {
		return fmt.Errorf("it holds %s, and %s were written", got, want)
	}
	counts, err := json.Marshal(got)
	if err != nil {
		return err
	}
	b.Counts = string(counts)
	return sound(ctx, scratch, s)
}

// digest reads and closes a file.
func digest[R io.ReadCloser](r R, err error) (sum [sha256.Size]byte, _ error) {
	if err != nil {
		return sum, err
	}
	hash := sha256.New()
	_, err = io.Copy(hash, r)
	return [sha256.Size]byte(hash.Sum(nil)), errors.Join(err, r.Close())
}

func sound(ctx context.Context, dir string, s *Service) (err error) {
	st, err := store.Open(ctx, dir, s.cfg.Log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	return st.Check(ctx)
}

// prune deletes this instance's backups beyond the last ones to keep; made is the newest. Names
// hold the time, so they sort by it. Anybody with access to the target can choose names there, so
// the record here decides.
//
//   - Only a backup that was verified here and still has its size counts. Foreign files and failed
//     attempts take no place.
//   - Only files that were made here are deleted, verified or not, once they are older than all
//     that are kept. A failed one stays until then: a database restored to the middle of a backup
//     calls that one failed, too.
//   - A later name comes from a clock that was ahead. It doesn't count: it would push out every
//     backup until that time.
func (s *Service) prune(ctx context.Context, target blobs.Store, keep int, made string) error {
	list, err := target.List(ctx, s.backupNames())
	if err != nil {
		return err
	}
	var files map[string]store.BackupFile
	if err := s.cfg.Store.Read(ctx,
		func(tx *store.Tx) error { files, err = tx.Backups.Files(ctx); return err }); err != nil {
		return err
	}
	oldest := made // to be kept
	for _, b := range slices.Backward(list) {
		if f := files[b.Name]; b.Name < made && f.Verified && f.Size == b.Size && keep > 1 {
			oldest = b.Name
			keep--
		}
	}
	if keep > 1 { // all of them are wanted
		return nil
	}
	for _, b := range list {
		if _, ours := files[b.Name]; !ours || b.Name >= oldest {
			continue
		}
		if err := target.Delete(ctx, b.Name); err != nil {
			return err
		}
		if err := s.cfg.Store.Write(ctx,
			func(tx *store.Tx) error { return tx.Backups.MarkDeleted(ctx, b.Name) }); err != nil {
			return err
		}
	}
	return nil
}
