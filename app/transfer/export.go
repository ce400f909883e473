package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/instance"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/transfer/archive"
	"github.com/computclaw/airlock/app/transfer/content"
	"github.com/computclaw/airlock/store"
)

// Selection chooses the content of an export.
type Selection struct {
	Profiles []string // handles; nil: everything. Credentials come with the profiles that refer to them
	History  bool     // executions and their statistics, and with everything also the audit log
	// Artifacts adds the contents of artifacts. It needs History.
	Artifacts bool
}

// Check refuses artifacts without the executions that left them: CodeInvalidField.
func (s Selection) Check() error {
	if s.Artifacts && !s.History {
		return app.Invalid("artifacts", "artifacts belong to executions, which are left out",
			"Take the executions too, or leave the artifacts out.")
	}
	return nil
}

// Exported describes a file that was written.
type Exported struct {
	Counts content.Counts
	Bytes  int64    // before compression
	Lost   []string // digests of versions of skills whose files the storage has lost: they are not in the file

	LostArtifacts int64 // whose contents the storage has lost, likewise
}

// Export writes a consistent snapshot to w as an .airlock file.
//
// Work goes on meanwhile. It holds one row at a time. progress may be nil. People only. Errors:
// CodeInvalidField for a weak passphrase, CodeNotFound for a missing profile; those of w.
func (s *Service) Export(ctx context.Context, by app.Actor, w io.Writer, passphrase app.Secret, what Selection,
	progress *Progress) (Exported, error) {
	if err := by.PeopleOnly(); err != nil {
		return Exported{}, err
	}
	if err := errors.Join(archive.CheckPassphrase(passphrase), what.Check()); err != nil {
		return Exported{}, err
	}
	done, err := s.Write(ctx, w, passphrase, what, progress)
	if err != nil {
		return Exported{}, err
	}
	detail := fmt.Sprintf("Exported %s.", done.Counts)
	if what.Profiles != nil {
		detail = fmt.Sprintf("Exported %s, of chosen profiles.", done.Counts)
	}
	detail = strings.TrimSpace(detail + " " + done.LostSentence())
	return done, s.audit(ctx, s.event(by, "transfer.export", "instance", detail))
}

// Write makes the file without an audit event. The caller has checked person, passphrase and
// selection.
func (s *Service) Write(ctx context.Context, w io.Writer, passphrase app.Secret, what Selection,
	progress *Progress) (Exported, error) {
	sealed, err := archive.NewWriter(w, passphrase, s.cfg.Cost)
	if err != nil {
		return Exported{}, err
	}
	e := &exporter{s: s, what: what, out: content.NewWriter(sealed), progress: progress}
	if err := s.cfg.Store.Read(ctx, func(tx *store.Tx) error { return e.run(ctx, tx) }); err != nil {
		return Exported{}, err
	}
	if err := sealed.Close(); err != nil {
		return Exported{}, err
	}
	return Exported{Counts: e.out.Counts, Bytes: sealed.Size(), Lost: e.lost, LostArtifacts: e.lostArtifacts}, nil
}

// exporter is one export under way.
type exporter struct {
	s        *Service
	what     Selection
	out      *content.Writer
	progress *Progress
	profiles []content.Profile
	kept     []store.SkillVersionRow // whose files come along
	lost     []string                // digests of versions whose files left the storage

	lostArtifacts int64 // whose contents left the storage
}

func (e *exporter) run(ctx context.Context, tx *store.Tx) error {
	steps := []func(context.Context, *store.Tx) error{e.writeOpening, e.credentials, e.writeProfiles, e.policies, e.skills,
		e.bundles, e.approvals}
	if e.what.History {
		steps = append(steps, e.executions, e.stats)
	}
	if e.what.Profiles == nil {
		steps = append(steps, e.people)
	}
	if e.what.History && e.what.Profiles == nil {
		steps = append(steps, e.events, e.writeArchived)
	}
	for _, step := range steps {
		if err := step(ctx, tx); err != nil {
			return err
		}
	}
	return e.out.Write(content.Record{End: &content.Ending{Counts: e.out.Counts}})
}

func (e *exporter) writeOpening(ctx context.Context, tx *store.Tx) error {
	if err := e.readProfiles(ctx, tx); err != nil {
		return err
	}
	open := content.Opening{Content: content.Version, Program: e.s.cfg.Program, Instance: e.s.cfg.Instance,
		MadeAt: e.s.now().UnixMilli(), Profiles: e.what.Profiles, History: e.what.History}
	if e.what.History {
		keys, err := instance.AskedKeys(ctx, tx, e.s.cfg.Keyring)
		if err != nil {
			return err
		}
		open.AskedKeys = append([][]byte{e.s.cfg.Keyring.LookupKey(secrets.Scripts)},
			keys[:min(len(keys), instance.MaxAskedKeys-1)]...)
		total, err := tx.Executions.CountEnded(ctx, e.what.Profiles)
		if err != nil {
			return err
		}
		e.progress.expect(total)
	}
	return e.out.Write(content.Record{Airlock: &open})
}

// readProfiles reads the chosen profiles; they say which credentials come along.
func (e *exporter) readProfiles(ctx context.Context, tx *store.Tx) error {
	rows, err := tx.Profiles.Rows(ctx)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if e.what.Profiles != nil && !slices.Contains(e.what.Profiles, row.Handle) {
			continue
		}
		p, err := content.OpenProfile(ctx, tx, e.s.cfg.Keyring, row)
		if err != nil {
			return err
		}
		e.profiles = append(e.profiles, p)
	}
	if e.what.Profiles != nil && len(e.profiles) != len(e.what.Profiles) {
		return app.E(app.CodeNotFound, "a chosen profile is not there",
			"It may have been deleted, or is named twice. Choose again.")
	}
	return nil
}

// wants reports whether a credential comes along.
func (e *exporter) wants(id string) bool {
	if e.what.Profiles == nil {
		return true
	}
	return slices.ContainsFunc(e.profiles, func(p content.Profile) bool {
		return slices.ContainsFunc(p.Keys, func(k content.Key) bool { return k.Credential == id })
	})
}

func (e *exporter) credentials(ctx context.Context, tx *store.Tx) error {
	rows, err := tx.Credentials.Rows(ctx)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if !e.wants(row.ID) {
			continue
		}
		c, err := content.OpenCredential(ctx, tx, e.s.cfg.Keyring, row)
		if err != nil {
			return err
		}
		if err := e.out.Write(content.Record{Credential: &c}); err != nil {
			return err
		}
	}
	return nil
}

func (e *exporter) writeProfiles(context.Context, *store.Tx) error {
	for _, p := range e.profiles {
		if err := e.out.Write(content.Record{Profile: &p}); err != nil {
			return err
		}
	}
	return nil
}

func (e *exporter) policies(ctx context.Context, tx *store.Tx) error {
	return tx.Policies.Each(ctx, func(row store.PolicyRow) error {
		if e.what.Profiles != nil && !slices.Contains(e.what.Profiles, row.ProfileHandle) {
			return nil
		}
		p, err := content.OpenPolicy(row)
		if err != nil {
			return err
		}
		return e.out.Write(content.Record{Policy: &p})
	})
}

func (e *exporter) executions(ctx context.Context, tx *store.Tx) error {
	handle := ""
	return tx.Executions.EachEnded(ctx, e.what.Profiles, func(row any) error {
		if x, ok := row.(store.ExecutionRow); ok {
			handle = x.Handle
			e.progress.step()
		}
		r, err := content.OpenHistory(e.s.cfg.Keyring, handle, row)
		if err != nil {
			return err
		}
		artifact, _ := row.(store.ArtifactRow)
		kept := e.what.Artifacts && artifact.BlobID != nil
		if kept {
			r.Artifact.Kept = true
		}
		if err := e.out.Write(r); errors.Is(err, content.ErrLong) {
			return app.E(app.CodeTooLarge, "execution "+handle+" is larger than an export or a backup can hold",
				"It was kept under larger limits of output and result than there are now. Export without history; backups work "+
					"again when it has been removed, as AIRLOCK_RETENTION_DAYS says.")
		} else if err != nil || !kept {
			return err
		}
		return e.content(ctx, tx, artifact)
	})
}

func (e *exporter) stats(ctx context.Context, tx *store.Tx) error {
	return tx.Stats.Each(ctx, func(row store.StatsRow) error {
		if e.what.Profiles != nil && !slices.Contains(e.what.Profiles, row.ProfileHandle) {
			return nil
		}
		return e.out.Write(content.Record{Stats: &content.Stats{StatsRow: row, Durations: json.RawMessage(row.Durations)}})
	})
}

func (e *exporter) people(ctx context.Context, tx *store.Tx) error {
	return tx.People.Each(ctx, func(row store.PersonRow) error { return e.out.Write(content.Record{Person: &row}) })
}

func (e *exporter) events(ctx context.Context, tx *store.Tx) error {
	return tx.Events.Each(ctx, func(row store.EventRow) error { return e.out.Write(content.Record{Event: &row}) })
}

func (e *exporter) writeArchived(ctx context.Context, tx *store.Tx) error {
	return tx.Events.EachArchived(ctx, func(source string, row store.EventRow) error {
		return e.out.Write(content.Record{Archived: &content.Archived{Source: source, EventRow: row}})
	})
}

// LostSentence says what is incomplete in the file; "" if nothing is.
func (e Exported) LostSentence() string {
	var lost []string
	if len(e.Lost) > 0 {
		lost = append(lost, "files of "+app.Clip(strings.Join(e.Lost, ", "), 300))
	}
	if e.LostArtifacts > 0 {
		lost = append(lost, "content of "+app.Count(e.LostArtifacts, "artifact"))
	}
	if len(lost) == 0 {
		return ""
	}
	return "It has no " + strings.Join(lost, " and no ") + ": the storage has lost them."
}

// CheckPassphrase refuses what is easy to guess, with advice, as Export does.
func CheckPassphrase(passphrase app.Secret) error { return archive.CheckPassphrase(passphrase) }
