package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/transfer/content"
	"github.com/computclaw/airlock/store"
)

// Upload is a file to be read, possibly twice.
type Upload struct {
	Open       func() (io.ReadCloser, error)
	Size       int64 // bytes
	Passphrase app.Secret
	MaxSize    int64 // most that it may unpack to, in bytes; 0: as its size allows
}

// incoming is a file that is being read. The caller closes it.
type incoming struct {
	*content.File
	io.Closer
}

// read checks the file up to its skills.
func (u Upload) read(progress *Progress, importing bool) (incoming, error) {
	file, err := u.Open()
	if err != nil {
		return incoming{}, fmt.Errorf("transfer: open: %w", err)
	}
	progress.expect(u.Size)
	in, err := content.Open(counted{file, progress}, u.Passphrase, u.Size, u.MaxSize, importing)
	if err != nil {
		return incoming{}, errors.Join(err, file.Close())
	}
	return incoming{in, file}, nil
}

// counted counts the bytes that are read of a file.
type counted struct {
	io.Reader
	progress *Progress
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.progress.add(int64(n))
	return n, err
}

// Plan reads a whole file and returns what an import would do. It changes nothing. People only.
// Errors: CodeInvalidField with Field "passphrase" or "file", and those of reading.
func (s *Service) Plan(ctx context.Context, by app.Actor, file Upload, progress *Progress) (Plan, error) {
	if err := by.PeopleOnly(); err != nil {
		return Plan{}, err
	}
	in, err := file.read(progress, true)
	if err != nil {
		return Plan{}, err
	}
	defer in.Close()
	out := Plan{Instance: in.Opening.Instance, Program: in.Opening.Program, MadeAt: in.Opening.MadeAt,
		Own: in.Opening.Instance == s.cfg.Instance, Whole: in.Opening.Profiles == nil}
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		p, err := plan(ctx, tx, s.cfg.Keyring, in.File)
		if err == nil {
			out.Items = p.items
		}
		return err
	})
	if err == nil {
		err = in.History(func(content.Record) error { return ctx.Err() })
	}
	out.File, out.Bytes = in.Counts(), in.Bytes()
	return out, err
}

// Import writes a choice of a file's contents in one transaction, all or nothing.
//
// It makes a restore point first (see RestorePoints), and removes it if the import fails. seen is
// the plan that the person saw; CodeConflict if it is now another. Callers with an engine stop the
// executions of the Report's Revoked; a server of another process learns of them by the audit log.
// Other errors: those of Plan.
//
// Other writers of this process wait meanwhile; those of another process fail after ten seconds.
func (s *Service) Import(ctx context.Context, by app.Actor, file Upload, choice Choice, seen Plan,
	progress *Progress) (Report, error) {
	if err := by.PeopleOnly(); err != nil {
		return Report{}, err
	}
	in, err := file.read(progress, true)
	if err != nil {
		return Report{}, err
	}
	defer in.Close()
	if choice.History { // the write-ahead log holds it first and is then folded into the database
		if err := s.CheckSpace(2 * seen.Bytes); err != nil {
			return Report{}, err
		}
	}
	point, err := s.keepRestorePoint(ctx)
	if err != nil {
		return Report{}, err
	}
	var report Report
	err = s.cfg.Store.Write(ctx, func(tx *store.Tx) error {
		p, err := plan(ctx, tx, s.cfg.Keyring, in.File)
		if err != nil {
			return err
		}
		if !reflect.DeepEqual(p.items, seen.Items) {
			return app.E(app.CodeConflict, "the file, or something here, was changed since you looked at it",
				"Nothing was imported. Look at the preview again.")
		}
		if report, err = p.apply(ctx, s, by, choice, false); err != nil {
			return err
		}
		return tx.Audit(ctx, s.event(by, "transfer.import", "instance",
			fmt.Sprintf("Imported %s and %s of audit logs from a file that instance %s made at %s.", report.Counts(),
				app.Count(report.Events, "event"), in.Opening.Instance, moment(in.Opening.MadeAt))))
	})
	if err != nil { // nothing was changed, so there is nothing to go back to
		s.removePoint(ctx, point)
		return Report{}, err
	}
	s.dropOldPoints(ctx)
	s.tell(report)
	return report, nil
}

func (s *Service) tell(r Report) {
	for _, handle := range r.Changed {
		s.cfg.Hub.Publish(live.Profile(handle))
	}
	for _, topic := range []string{live.Profiles, live.Credentials, live.Skills, live.Executions} {
		s.cfg.Hub.Publish(topic)
	}
}

// Fill writes everything of a file into the service's store, for a restore. The store must be new.
// The audit log takes its place.
func (s *Service) Fill(ctx context.Context, file Upload, progress *Progress) (content.Counts, error) {
	in, err := file.read(progress, false)
	if err != nil {
		return content.Counts{}, err
	}
	defer in.Close()
	err = s.cfg.Store.Write(ctx, func(tx *store.Tx) error {
		events, err := tx.Events.List(ctx, store.AuditFilter{Limit: 1})
		if err != nil {
			return err
		}
		p, err := plan(ctx, tx, s.cfg.Keyring, in.File)
		if err != nil {
			return err
		}
		if len(events) > 0 || len(p.here) > 0 || len(p.profiles) > 0 {
			return app.E(app.CodeConflict, "there is something here already",
				"A restore needs an empty data directory. Import the file instead, or choose another directory.")
		}
		report, err := p.apply(ctx, s, app.System(), Choice{History: true}, true)
		if err == nil && report.Skipped > 0 {
			err = content.Contradiction("its history", "has an execution twice, or one of a profile that it lacks", nil)
		}
		return err
	})
	return in.Counts(), err
}
