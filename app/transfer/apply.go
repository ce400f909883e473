package transfer

import (
	"context"
	"fmt"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/files"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/transfer/content"
	"github.com/computclaw/airlock/store"
)

// Report is the outcome of an import.
type Report struct {
	Credentials int64    // written
	Profiles    int64    // written
	Skills      int64    // written
	Executions  int64    // added
	Skipped     int64    // executions that were here already, or whose profile was not taken
	Events      int64    // of audit logs, added
	Revoked     []string // handles of newly revoked profiles: their executions must be stopped
	Changed     []string // handles of profiles that were written
}

// Counts are what was written.
func (r Report) Counts() content.Counts {
	return content.Counts{Credentials: r.Credentials, Profiles: r.Profiles, Skills: r.Skills, Executions: r.Executions}
}

// importer writes a file into the store, in one transaction.
type importer struct {
	*planner
	s       *Service
	now     time.Time
	by      app.Actor
	choice  Choice
	fresh   bool // into a new database: everything as the file says
	report  Report
	ids     map[string]string                // credential ids of the file → here; what is not in it points nowhere
	homes   map[string]*int64                // handles whose history is taken → row of the profile; nil if that is gone
	refused map[string]bool                  // handles whose history stays out
	added   map[string]bool                  // handles of profiles that are as the file says
	awaited map[string]store.SkillVersionRow // versions that get their files yet, by digest

	handle string             // of the execution whose parts come now
	row    int64              // its row; 0 if it is not taken
	log    content.AuditChain // so far
	parted string             // label of a log that goes on otherwise here: the rest of the file's is left out

	artifact store.ArtifactRow // whose content is read
	spool    *files.Spool      // of that; nil: none is read
}

// apply writes a choice of the file, in tx. The caller rolls back after an error.
func (p *planner) apply(ctx context.Context, s *Service, by app.Actor, choice Choice, fresh bool) (Report, error) {
	m := &importer{planner: p, s: s, now: s.now(), by: by, choice: choice, fresh: fresh,
		ids: map[string]string{}, homes: map[string]*int64{}, refused: map[string]bool{}, added: map[string]bool{},
		awaited: map[string]store.SkillVersionRow{}}
	defer m.closeSpool()
	if err := m.writeBase(ctx); err != nil {
		return m.report, err
	}
	newest, err := m.tx.Executions.Newest(ctx)
	if err != nil {
		return m.report, err
	}
	if err := m.in.History(func(r content.Record) error { return m.history(ctx, r) }); err != nil {
		return m.report, err
	}
	if err := m.tx.Skills.RetireEmpty(ctx, m.now); err != nil {
		return m.report, err
	}
	if err := m.tx.Executions.NoteOrder(ctx, m.now); err != nil {
		return m.report, err
	}
	return m.report, m.tx.Executions.KeepWordsAfter(ctx, newest)
}

// writeBase writes all up to the skills. Its parts need each other in this order.
func (m *importer) writeBase(ctx context.Context) error {
	for _, c := range m.in.Credentials {
		if err := m.credential(ctx, c); err != nil {
			return err
		}
	}
	for _, f := range m.in.Profiles {
		if err := m.profile(ctx, f); err != nil {
			return err
		}
	}
	if err := m.policies(ctx); err != nil {
		return err
	}
	for _, f := range m.in.Skills {
		if err := m.skill(ctx, f); err != nil {
			return err
		}
	}
	return m.askedKeys(ctx)
}

// takes reports whether an item is written.
func (m *importer) takes(key string) bool { return m.fresh || m.choice.takes(m.item(key)) }

func (m *importer) credential(ctx context.Context, c content.Credential) error {
	here, exists := m.here[c.Name]
	if exists {
		m.ids[c.ID] = here.ID
	}
	if !m.takes("credential:" + c.Name) {
		return nil
	}
	m.report.Credentials++
	if exists {
		return m.overwriteCredential(ctx, here, c)
	}
	id := c.ID
	// profiles here whose credential was deleted must not get another one by its id
	if _, taken := m.names[id]; taken || m.dangling[id] {
		id = app.NewID()
	}
	m.ids[c.ID] = id
	row := content.Encoded(c).CredentialRow
	row.ID, row.UpdatedAt = id, min(c.UpdatedAt, m.now.UnixMilli())
	if c.Value != nil {
		row.KeyID = m.ring.KeyID()
	}
	if err := m.addNew(ctx, row); err != nil {
		return err
	}
	for _, v := range c.Versions {
		r := store.CredentialVersionRow{CredentialID: id, Version: v.Version, KeyID: m.ring.KeyID(),
			CreatedBy: content.JSON(v.CreatedBy), CreatedAt: v.CreatedAt}
		if v.Version == c.Version && c.Value != nil {
			r.Value = m.ring.Seal(secrets.Values, secrets.ValueRow(id, v.Version), []byte(*c.Value))
		}
		if err := m.addNew(ctx, r); err != nil {
			return err
		}
	}
	return m.note(ctx, "credential.import", c.Name, "Added from a file.")
}

// overwriteCredential updates a credential from the file and keeps its id. Its value becomes a new
// version.
func (m *importer) overwriteCredential(ctx context.Context, here, c content.Credential) error {
	was, err := m.tx.Credentials.ByName(ctx, c.Name)
	if err != nil {
		return err
	}
	rotates := c.Value != nil && !sameValue(c, here)
	if rotates || c.Source == app.SourceVault { // first, while its mode and hosts are those that it had
		if err := m.tx.Values.Erase(ctx, here.ID, m.now); err != nil {
			return err
		}
	}
	row := content.Encoded(c).CredentialRow
	row.ID, row.UpdatedAt = here.ID, max(m.now.UnixMilli(), was.UpdatedAt.UnixMilli()+1)
	if err := m.tx.Credentials.Overwrite(ctx, row); err != nil {
		return err
	}
	if rotates {
		version := was.Version + 1
		if err := m.tx.Values.Insert(ctx, store.Value{
			CredentialID: here.ID, Version: version, KeyID: m.ring.KeyID(), By: m.by, At: m.now,
			Sealed: m.ring.Seal(secrets.Values, secrets.ValueRow(here.ID, version), []byte(*c.Value)),
		}); err != nil {
			return err
		}
	}
	if err := m.tx.Credentials.TouchProfiles(ctx, here.ID, m.now); err != nil {
		return err
	}
	return m.note(ctx, "credential.import", c.Name, "Overwritten from a file.")
}

// addNew adds a row that can't be there yet.
func (m *importer) addNew(ctx context.Context, row any) error {
	_, added, err := m.tx.Load(ctx, row)
	if err == nil && !added {
		err = content.Contradiction(fmt.Sprintf("a %T", row), "is there twice", nil)
	}
	return err
}

// note audits a change, unless the import writes the audit log itself.
func (m *importer) note(ctx context.Context, action, subject, detail string) error {
	if m.fresh {
		return nil
	}
	return m.tx.Audit(ctx, app.Event{At: m.now, Actor: m.by, Action: action, Subject: subject, Detail: detail})
}
