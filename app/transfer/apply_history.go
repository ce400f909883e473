package transfer

import (
	"context"

	"github.com/computclaw/airlock/app/instance"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/transfer/content"
	"github.com/computclaw/airlock/store"
)

// askedKeys keeps the keys of the file's question hashes. Re-runs here find recorded answers by
// them.
func (m *importer) askedKeys(ctx context.Context) error {
	if !m.choice.History {
		return nil
	}
	own := m.ring.LookupKey(secrets.Scripts)
	for _, key := range m.in.Opening.AskedKeys {
		if string(key) == string(own) {
			continue
		}
		if err := instance.KeepAskedKey(ctx, m.tx, m.ring, key, m.now); err != nil {
			return err
		}
	}
	return nil
}

// history takes one line behind the skills.
func (m *importer) history(ctx context.Context, r content.Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if m.spool != nil && r.Content == nil {
		return content.Contradiction("an artifact", "has only a part of its content", nil)
	}
	switch k := r.Kind(); {
	case k == content.KindBundle:
		return m.bundle(ctx, *r.Bundle)
	case k == content.KindApproval:
		return m.approval(ctx, *r.Approval)
	case k == content.KindPerson:
		return m.person(ctx, *r.Person)
	case k == content.KindEvent && m.fresh:
		if err := m.log.Take("", *r.Event); err != nil {
			return err
		}
		return m.addNew(ctx, *r.Event)
	case !m.choice.History:
		return nil
	}
	switch r.Kind() {
	case content.KindExecution, content.KindPart:
		return m.execution(ctx, r)
	case content.KindStats:
		row, err := r.Stats.Row()
		if err != nil {
			return err
		}
		if _, ok := m.home(row.ProfileHandle); !ok {
			return nil
		}
		_, _, err = m.tx.Load(ctx, row)
		return err
	case content.KindEvent:
		return m.archive(ctx, "", m.in.Opening.Instance, *r.Event)
	case content.KindArchived:
		return m.archive(ctx, r.Archived.Source, r.Archived.Source, r.Archived.EventRow)
	}
	return nil
}

func (m *importer) execution(ctx context.Context, r content.Record) error {
	if r.Content != nil {
		return m.content(ctx, *r.Content)
	}
	if r.Execution != nil {
		m.handle, m.row = r.Execution.Handle, 0
	} else if m.row == 0 {
		return nil
	}
	row, err := content.SealHistory(m.ring, m.handle, m.row, r)
	if err != nil {
		return err
	}
	switch row := row.(type) {
	case store.ExecutionRow:
		home, ok := m.home(row.ProfileHandle)
		if ok {
			row.ProfileID = home
			m.row, ok, err = m.tx.Load(ctx, row)
		}
		if ok {
			m.report.Executions++
		} else {
			m.report.Skipped++
		}
		return err
	case store.UsedValueRow:
		row.CredentialID = m.credentialID(row.CredentialID)
		return m.addNew(ctx, row)
	case store.ArtifactRow:
		if r.Artifact.Kept { // its content follows
			m.artifact = row
			m.spool, err = m.s.cfg.Files.NewSpool()
			return err
		}
	}
	return m.addNew(ctx, row)
}

// person adds a person to a new database only. A file must not grant access to an instance in use.
func (m *importer) person(ctx context.Context, p store.PersonRow) error {
	if !m.fresh {
		return nil
	}
	if err := content.CheckPerson(p); err != nil {
		return err
	}
	return m.addNew(ctx, p)
}

// archive keeps an event of another instance's log beside this one's, unless it is here.
//
// Events of a log follow each other from the first. Where a restored instance's log diverges from
// the archive, its rest is left out, since the archive is one chain.
func (m *importer) archive(ctx context.Context, source, label string, e store.EventRow) error {
	if err := m.log.Take(source, e); err != nil {
		return err
	}
	if label == m.parted || label == m.s.cfg.Instance && !m.fresh {
		return nil
	}
	added, err := m.tx.Events.Archive(ctx, label, e)
	if err != nil {
		return err
	}
	if added {
		m.report.Events++
		return nil
	}
	hash, err := m.tx.Events.Hash(ctx, label, e.Seq)
	if hash != e.Hash {
		m.parted = label
	}
	return err
}

func (m *importer) closeSpool() {
	if m.spool != nil {
		m.spool.Close()
		m.spool = nil
	}
}

// content adds a piece of an artifact's content, and stores the artifact with the last. Its content
// is kept as long as a new one's.
func (m *importer) content(ctx context.Context, r content.Piece) error {
	if m.row == 0 {
		return nil
	}
	if m.spool == nil {
		return content.Contradiction("a content", "belongs to no artifact", nil)
	}
	if _, err := m.spool.Write(r.Data); err != nil {
		return err
	}
	if !r.End && !r.Lost {
		return nil
	}
	defer m.closeSpool()
	if r.End {
		if err := m.spool.Finish(); err != nil {
			return err
		}
		if m.spool.Size() != m.artifact.Size || m.spool.SHA256() != m.artifact.SHA256 {
			return content.Contradiction("an artifact", "has another content than its digest says", nil)
		}
		blob, err := m.s.cfg.Files.KeepIn(ctx, m.tx, m.spool)
		if err != nil {
			return err
		}
		until := m.now.Add(m.s.cfg.Files.Retention()).UnixMilli()
		m.artifact.BlobID, m.artifact.ExpiresAt = &blob.ID, max(m.artifact.ExpiresAt, until)
	}
	return m.addNew(ctx, m.artifact)
}
