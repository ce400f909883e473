package transfer

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/files"
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
	if r.Kind() != content.KindPart || m.row != 0 {
		if err := m.space.take(m.in.LineSize()); err != nil {
			return err
		}
	}
	switch r.Kind() {
	case content.KindBundle:
		return m.bundle(ctx, *r.Bundle)
	case content.KindApproval:
		return m.approval(ctx, *r.Approval)
	case content.KindExecution, content.KindPart:
		if !m.choice.History {
			return nil
		}
		return m.execution(ctx, r)
	case content.KindStats:
		most := int64(content.MaxTally) // an import leaves room for what ends here in the same span
		if m.fresh {
			most = content.MaxNumber
		}
		row, err := content.StatsRow(*r.Stats, most)
		if err != nil {
			return err
		}
		if _, ok := m.home(row.ProfileHandle); !ok || !m.choice.History {
			return nil
		}
		_, _, err = m.tx.Load(ctx, row)
		return err
	case content.KindPerson:
		return m.person(ctx, *r.Person)
	case content.KindEvent:
		return m.event(ctx, *r.Event)
	case content.KindArchived:
		return m.archived(ctx, *r.Archived)
	}
	return nil
}

func (m *importer) execution(ctx context.Context, r content.Record) error {
	if r.Execution == nil && m.row == 0 {
		return nil
	}
	if r.Content != nil {
		return m.content(ctx, *r.Content)
	}
	if r.Execution != nil {
		m.handle, m.row = r.Execution.Handle, 0
	}
	row, err := content.SealHistory(m.ring, m.handle, m.row, r)
	if err != nil {
		return err
	}
	x, begins := row.(store.ExecutionRow)
	if used, ok := row.(store.UsedValueRow); ok {
		used.CredentialID = m.credentialID(used.CredentialID)
		row = used
	}
	if left, ok := row.(store.ArtifactRow); ok && r.Artifact.Kept {
		return m.await(left)
	}
	if !begins {
		return m.addNew(ctx, row)
	}
	home, ok := m.home(x.ProfileHandle)
	if !ok {
		m.report.Skipped++
		return nil
	}
	x.ProfileID = home
	id, added, err := m.tx.Load(ctx, x)
	if err != nil {
		return err
	}
	if !added {
		m.report.Skipped++
		return nil
	}
	m.row = id
	m.report.Executions++
	return nil
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

// event adds an audit event of the other instance. A new database takes it unchanged; others keep
// it beside their own log.
func (m *importer) event(ctx context.Context, e store.EventRow) error {
	if err := m.logs.Event(e); err != nil {
		return err
	}
	switch {
	case m.fresh:
		return m.addNew(ctx, e)
	case !m.choice.History:
		return nil
	}
	return m.keep(ctx, m.in.Opening.Instance, e)
}

// archived adds an event of an audit log that the other instance had archived.
func (m *importer) archived(ctx context.Context, a content.Archived) error {
	if err := m.logs.Archived(a); err != nil {
		return err
	}
	if !m.choice.History {
		return nil
	}
	return m.keep(ctx, a.Source, a.EventRow)
}

// keep archives an event of another instance's log, unless it is here.
//
// Events of a log follow each other from the first. Where a restored instance's log diverges from
// the archive, its rest is left out, since the archive is one chain.
func (m *importer) keep(ctx context.Context, source string, e store.EventRow) error {
	if m.parted[source] || source == m.instance && !m.fresh {
		return nil
	}
	added, err := m.tx.Events.Archive(ctx, source, e)
	if added {
		m.bring(source, e)
	}
	if added || err != nil {
		return err
	}
	hash, err := m.tx.Events.Hash(ctx, source, e.Seq)
	if err == nil && hash != e.Hash {
		m.parted[source] = true
	}
	return err
}

// brought are the events of an audit log that one import added.
type brought struct {
	events      int64
	first, last int64
	hash        string // of the last one
}

func (m *importer) bring(log string, e store.EventRow) {
	b, ok := m.brought[log]
	if !ok {
		b = &brought{first: e.Seq}
		m.brought[log] = b
	}
	b.events++
	b.last, b.hash = e.Seq, e.Hash
}

// noteBrought audits which archived events the import added. Archived logs are unsigned, so the
// file's maker could have invented or extended them. This traces each event to its import and
// person.
func (m *importer) noteBrought(ctx context.Context) error {
	for _, log := range slices.Sorted(maps.Keys(m.parted)) {
		const why = "Left out the rest of the file's events: this log goes on otherwise here."
		if err := m.note(ctx, "transfer.archive", log, why); err != nil {
			return err
		}
	}
	for _, log := range slices.Sorted(maps.Keys(m.brought)) {
		b := m.brought[log]
		detail := fmt.Sprintf("Kept %s, number %d to %d, as the file has them; the last one's hash is %s.",
			app.Count(b.events, "event"), b.first, b.last, b.hash)
		if err := m.note(ctx, "transfer.archive", log, detail); err != nil {
			return err
		}
	}
	return nil
}

// arriving is an artifact whose content is being read.
type arriving struct {
	row   store.ArtifactRow
	spool *files.Spool // nil: none is
}

// close gives up what arrived.
func (a *arriving) close() {
	if a.spool != nil {
		a.spool.Close()
		a.spool = nil
	}
}

// await makes room for an artifact's content, which follows.
func (m *importer) await(row store.ArtifactRow) (err error) {
	m.arriving.row = row
	m.arriving.spool, err = m.s.cfg.Files.NewSpool()
	return err
}

// content adds a piece of an artifact's content, and stores the artifact with the last. Its content
// is kept as long as a new one's. Reading has checked the lines.
func (m *importer) content(ctx context.Context, r content.Piece) error {
	a := &m.arriving
	if a.spool == nil {
		return nil
	}
	if _, err := a.spool.Write(r.Data); err != nil {
		return err
	}
	if !r.End && !r.Lost {
		return nil
	}
	defer a.close()
	if r.End {
		if err := a.spool.Finish(); err != nil {
			return err
		}
		blob, err := m.s.cfg.Files.KeepIn(ctx, m.tx, a.spool)
		if err != nil {
			return err
		}
		until := m.now.Add(m.s.cfg.Files.Retention()).UnixMilli()
		a.row.BlobID, a.row.ExpiresAt = &blob.ID, max(a.row.ExpiresAt, until)
	}
	return m.addNew(ctx, a.row)
}
