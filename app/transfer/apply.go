package transfer

import (
	"context"
	"fmt"
	"time"

	"github.com/computclaw/airlock/app"
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
	s        *Service // nil where nothing is written
	now      time.Time
	by       app.Actor
	choice   Choice
	fresh    bool   // into a new database: everything as the file says
	instance string // label of this instance
	space    spaceBudget
	report   Report
	ids      map[string]string                // credential ids of the file → here; what is not in it points nowhere
	homes    map[string]*int64                // handles whose history is taken → row of the profile; nil if that is gone
	refused  map[string]struct{}              // handles whose history stays out
	added    map[string]bool                  // handles of profiles that are new
	awaited  map[string]store.SkillVersionRow // versions that get their files yet, by digest

	handle  string              // of the execution whose parts come now
	row     int64               // its row; 0 if it is not taken
	logs    content.AuditLogs   // so far
	parted  map[string]bool     // logs that go on otherwise here, so that the rest of the file's is left out
	brought map[string]*brought // events of audit logs that are kept now, by log

	arriving arriving
}

// run writes the choice. On an error the caller rolls back.
func (m *importer) run(ctx context.Context) (err error) {
	defer m.arriving.close()
	if err := m.space.take(m.in.Size); err != nil {
		return err
	}
	for i, c := range m.in.Credentials {
		if err := m.credential(ctx, m.items[i], c); err != nil {
			return err
		}
	}
	for i, f := range m.in.Profiles {
		if err := m.profile(ctx, m.items[len(m.in.Credentials)+i], f); err != nil {
			return err
		}
	}
	if err := m.policies(ctx); err != nil {
		return err
	}
	next := len(m.in.Credentials) + len(m.in.Profiles)
	for _, s := range m.in.Skills {
		taken := m.fresh
		if s.DeletedAt == 0 {
			taken = m.choice.takes(m.items[next])
			next++
		}
		if !taken {
			continue
		}
		if err := m.skill(ctx, s); err != nil {
			return err
		}
	}
	if err := m.roomForMore(ctx); err != nil {
		return err
	}
	if err := m.askedKeys(ctx); err != nil {
		return err
	}
	newest, err := m.tx.Executions.Newest(ctx)
	if err != nil {
		return err
	}
	if err := m.in.History(func(r content.Record) error { return m.history(ctx, r) }); err != nil {
		return err
	}
	if err := m.tx.Skills.RetireEmpty(ctx, m.now); err != nil {
		return err
	}
	if err := m.tx.Executions.NoteOrder(ctx, m.s.now()); err != nil {
		return err
	}
	if err := m.noteBrought(ctx); err != nil {
		return err
	}
	return m.tx.Executions.KeepWordsAfter(ctx, newest)
}

// roomForMore refuses an import that fills more than half of a file's capacity. The rest is for
// later growth, so that our own files and backups stay readable.
func (m *importer) roomForMore(ctx context.Context) error {
	if m.fresh {
		return nil
	}
	var all scale
	e := &exporter{s: m.s, out: content.NewWriter(&all)}
	for _, step := range []func(context.Context, *store.Tx) error{e.opening, e.credentials, e.writeProfiles, e.policies,
		e.skills} {
		if err := step(ctx, m.tx); err != nil {
			return err
		}
	}
	n := e.out.Counts
	if max(n.Credentials, n.Profiles, n.Policies, n.Skills) <= content.MaxThings/2 &&
		all.bytes <= content.MaxArranged/2 && all.values <= content.MaxArrangedValues/2 {
		return nil
	}
	return app.E(app.CodeTooLarge,
		fmt.Sprintf("there would be %s and %d policies here, %d MiB with %d values; an import leaves at most half of what "+
			"a file may hold", n, n.Policies, all.bytes>>20, all.values),
		"Nothing was imported. Take less of the file, or restore it into an instance of its own: airlock admin restore.")
}

// scale measures lines as their reader does.
type scale struct{ bytes, values int }

func (s *scale) Write(line []byte) (int, error) {
	s.bytes += len(line)
	s.values += content.CountValues(line)
	return len(line), nil
}

func (m *importer) credential(ctx context.Context, item Item, c content.Credential) error {
	here, exists := m.here[c.Name]
	if !m.choice.takes(item) {
		if exists {
			m.ids[c.ID] = here.ID
		}
		return nil
	}
	m.report.Credentials++
	if exists {
		m.ids[c.ID] = here.ID
		return m.overwriteCredential(ctx, here, c)
	}
	id := c.ID
	_, taken := m.names[id]
	// profiles here whose credential was deleted must not get another one by its id
	if _, wanted := m.dangling[id]; taken || wanted {
		id = app.NewID()
	}
	m.ids[c.ID] = id
	row := c.Row(id)
	row.UpdatedAt = min(c.UpdatedAt, m.now.UnixMilli())
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
	row := c.Row(here.ID)
	row.UpdatedAt = max(m.now.UnixMilli(), was.UpdatedAt.UnixMilli()+1)
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
