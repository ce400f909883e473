package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

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
func (u Upload) read(progress *Progress, checks ...func(*content.File) error) (incoming, error) {
	file, err := u.Open()
	if err != nil {
		return incoming{}, fmt.Errorf("transfer: open: %w", err)
	}
	progress.expect(u.Size)
	in, err := content.Open(counted{file, progress}, u.Passphrase, u.Size, u.MaxSize)
	for _, check := range checks {
		if err == nil {
			err = check(in)
		}
	}
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
	in, err := file.read(progress, (*content.File).Importable)
	if err != nil {
		return Plan{}, err
	}
	defer in.Close()
	var out Plan
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		p, err := plan(ctx, tx, s.cfg.Keyring, in.File)
		if err != nil {
			return err
		}
		out = Plan{Instance: in.Opening.Instance, Program: in.Opening.Program, MadeAt: in.Opening.MadeAt,
			Own: in.Opening.Instance == s.cfg.Instance, Whole: in.Opening.Profiles == nil,
			Items: p.items, Digest: p.digest()}
		return p.count(ctx, &out)
	})
	if err != nil {
		return Plan{}, err
	}
	out.File, out.Bytes, out.Digest = in.Counts(), in.Unpacked(), out.Digest+"."+in.Digest()
	return out, nil
}

// count reads the history to its end and counts what is here already.
func (p *planner) count(ctx context.Context, out *Plan) error {
	m := &importer{planner: p} // it chooses no history, so nothing is kept now
	return p.in.History(func(r content.Record) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch r.Kind() {
		case content.KindApproval:
			return m.approval(ctx, *r.Approval)
		case content.KindExecution, content.KindPart:
			if r.Content != nil {
				return nil
			}
			if r.Execution != nil {
				m.handle = r.Execution.Handle
			}
			row, err := content.SealHistory(p.ring, m.handle, 1, r)
			if err != nil {
				return err
			}
			x, begins := row.(store.ExecutionRow)
			if !begins {
				return nil
			}
			here, err := p.tx.Executions.Has(ctx, x.Handle, x.Lookup)
			if here {
				out.Here++
			}
			return err
		case content.KindStats:
			_, err := content.StatsRow(*r.Stats, content.MaxTally)
			return err
		case content.KindEvent:
			out.Events++
			return m.event(ctx, *r.Event)
		case content.KindArchived:
			return m.archived(ctx, *r.Archived)
		}
		return nil
	})
}

// Import writes a choice of a file's contents in one transaction, all or nothing.
//
// It makes a restore point first (see RestorePoints), and removes it if the import fails. digest is
// that of the plan that the person saw; CodeConflict if the plan is now another. Callers with an
// engine stop the executions of the Report's Revoked; a server of another process learns of them by
// the audit log. Other errors: those of Plan.
//
// Other writers of this process wait meanwhile; those of another process fail after ten seconds.
func (s *Service) Import(ctx context.Context, by app.Actor, file Upload, choice Choice, digest string,
	progress *Progress) (Report, error) {
	if err := by.PeopleOnly(); err != nil {
		return Report{}, err
	}
	in, err := file.read(progress, (*content.File).Importable)
	if err != nil {
		return Report{}, err
	}
	defer in.Close()
	only, err := s.lockImports()
	if err != nil {
		return Report{}, err
	}
	defer only.Close()
	point, err := s.keepRestorePoint(ctx)
	if err != nil {
		return Report{}, err
	}
	report, err := s.apply(ctx, by, in.File, choice, digest)
	if err != nil { // nothing was changed, so there is nothing to go back to
		s.removePoint(ctx, point)
		return Report{}, err
	}
	s.dropOldPoints(ctx)
	s.tell(report)
	return report, nil
}

// apply is the transaction of an import.
func (s *Service) apply(ctx context.Context, by app.Actor, in *content.File, choice Choice,
	digest string) (report Report, err error) {
	err = s.cfg.Store.Write(ctx, func(tx *store.Tx) error {
		p, err := plan(ctx, tx, s.cfg.Keyring, in)
		if err != nil {
			return err
		}
		items, whole, _ := strings.Cut(digest, ".")
		if p.digest() != items {
			return errChanged()
		}
		m := s.importer(p, by, choice)
		if err := m.run(ctx); err != nil {
			return err
		}
		if in.Digest() != whole { // its history is another one than what was counted
			return errChanged()
		}
		report = m.report
		detail := fmt.Sprintf("Imported %s from a file that instance %s made at %s.",
			report.Counts(),
			in.Opening.Instance, moment(in.Opening.MadeAt))
		return tx.Audit(ctx, s.event(by, "transfer.import", "instance", detail))
	})
	return report, err
}

func errChanged() error {
	return app.E(app.CodeConflict, "the file, or something here, was changed since you looked at it",
		"Nothing was imported. Look at the preview again.")
}

func (s *Service) importer(p *planner, by app.Actor, choice Choice) *importer {
	return &importer{planner: p, s: s, now: s.now(), by: by, choice: choice, instance: s.cfg.Instance,
		space: spaceBudget{left: s.CheckSpace},
		ids:   map[string]string{}, homes: map[string]*int64{}, refused: map[string]struct{}{}, parted: map[string]bool{},
		brought: map[string]*brought{}, added: map[string]bool{}, awaited: map[string]store.SkillVersionRow{}}
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
	in, err := file.read(progress)
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
		all := Choice{History: true, Each: map[string]bool{}}
		for _, item := range p.items { // also what an import would ask about: nothing is here that it could widen
			all.Each[item.Key] = true
		}
		m := s.importer(p, app.System(), all)
		m.fresh = true
		if err := m.run(ctx); err != nil {
			return err
		}
		if got, file := m.report.Counts(),
			in.Counts(); got.Credentials != file.Credentials || got.Profiles != file.Profiles ||
			got.Skills != file.Skills || got.Executions != file.Executions {
			return content.Contradiction("what it holds", fmt.Sprintf("can't all be written: %s of %s", got, file), nil)
		}
		return nil
	})
	return in.Counts(), err
}
