package transfer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// Report says what an import did.
type Report struct {
	Credentials int64    // written
	Profiles    int64    // written
	Executions  int64    // added
	Skipped     int64    // executions that were here already, or whose profile was not taken
	Revoked     []string // handles of profiles that are revoked now and were not before: what they run must be stopped
	Changed     []string // handles of profiles that were written
}

// importer writes a file into the store, in one transaction.
type importer struct {
	*planner
	load     *store.Loader
	now      time.Time
	by       app.Actor
	choice   Choice
	fresh    bool   // into a new database: everything as the file says
	own      bool   // the file was made by this instance
	instance string // label of this instance
	report   Report
	ids      map[string]string   // credential ids of the file → here; what is not in it points nowhere
	homes    map[string]*int64   // handles whose history is taken → row of the profile; nil if the profile is gone
	refused  map[string]struct{} // handles whose history stays out
	progress *Progress

	handle  string // of the execution whose parts come now
	row     int64  // its row; 0 if it is not taken
	log     chain  // the audit log so far
	archive chain  // and of the archived one that is under way
	source  string // whose that is
}

// chain is an audit log as far as it was read.
type chain struct {
	seq  int64
	hash string
}

// take goes on with an event, which must be the next one and hash to what it says.
func (c *chain) take(e store.EventRow) error {
	if e.Seq != c.seq+1 || e.Prev != c.hash || !store.Intact(e) || checkBounds(e) != nil {
		return contradiction("the audit log", fmt.Sprintf("is broken at event %d", c.seq+1), nil)
	}
	c.seq, c.hash = e.Seq, e.Hash
	return nil
}

// run writes what the choice takes. The caller's transaction is rolled back on any error.
func (m *importer) run(ctx context.Context) (err error) {
	if m.load, err = m.tx.Loader(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.load.Close()) }()
	for i, c := range m.in.credentials {
		if err := m.credential(ctx, m.items[i], c); err != nil {
			return err
		}
	}
	for i, f := range m.in.profiles {
		if err := m.profile(ctx, m.items[len(m.in.credentials)+i], f); err != nil {
			return err
		}
	}
	if err := m.policies(ctx); err != nil {
		return err
	}
	if err := m.askedKeys(ctx); err != nil {
		return err
	}
	newest, err := m.tx.NewestExecution(ctx)
	if err != nil {
		return err
	}
	if err := m.in.history(func(r record) error { return m.history(ctx, r) }); err != nil {
		return err
	}
	return m.tx.KeepWordsAfter(ctx, newest)
}

func (m *importer) credential(ctx context.Context, item Item, c credentialRecord) error {
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
	if _, wanted := m.dangling[id]; taken || wanted { // profiles here whose credential was deleted must not get another one by its id
		id = app.NewID()
	}
	m.ids[c.ID] = id
	row := store.CredentialRow{
		ID: id, Name: c.Name, Description: c.Description, Service: c.Service, Mode: string(c.Mode), Hosts: text(append([]app.Host{}, c.Hosts...)), Places: text(c.Places),
		PlainHTTP: c.PlainHTTP, Source: string(c.Source), Reference: c.Reference, Version: c.Version, ValueSetAt: c.ValueSetAt, CheckedAt: c.CheckedAt,
		CheckError: c.CheckError, Uses: c.Uses, LastUsedAt: c.LastUsedAt, CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt,
	}
	if c.Value != nil {
		row.KeyID = m.ring.KeyID()
	}
	if err := m.must(ctx, row); err != nil {
		return err
	}
	for _, v := range c.Versions {
		r := store.CredentialVersionRow{CredentialID: id, Version: v.Version, KeyID: m.ring.KeyID(), CreatedBy: text(v.CreatedBy), CreatedAt: v.CreatedAt}
		if v.Version == c.Version && c.Value != nil {
			r.Value = m.ring.Seal(secrets.Values, secrets.ValueRow(id, v.Version), []byte(*c.Value))
		}
		if err := m.must(ctx, r); err != nil {
			return err
		}
	}
	return m.note(ctx, "credential.import", c.Name, "Added from a file.")
}

// overwriteCredential keeps the credential's id and gives it what the file says; its value becomes a new version.
func (m *importer) overwriteCredential(ctx context.Context, here, c credentialRecord) error {
	was, err := m.tx.Credential(ctx, c.Name)
	if err != nil {
		return err
	}
	if err := m.tx.OverwriteCredential(ctx, store.CredentialRow{
		ID: here.ID, Description: c.Description, Service: c.Service, Mode: string(c.Mode), Hosts: text(append([]app.Host{}, c.Hosts...)), Places: text(c.Places), PlainHTTP: c.PlainHTTP,
		Source: string(c.Source), Reference: c.Reference, UpdatedAt: max(m.now.UnixMilli(), was.UpdatedAt.UnixMilli()+1),
	}); err != nil {
		return err
	}
	if c.Value != nil && !sameValue(c, here) {
		version := was.Version + 1
		if err := m.tx.InsertValue(ctx, store.Value{
			CredentialID: here.ID, Version: version, KeyID: m.ring.KeyID(), By: m.by, At: m.now,
			Sealed: m.ring.Seal(secrets.Values, secrets.ValueRow(here.ID, version), []byte(*c.Value)),
		}); err != nil {
			return err
		}
	}
	if err := m.tx.TouchProfilesWith(ctx, here.ID, m.now); err != nil {
		return err
	}
	return m.note(ctx, "credential.import", c.Name, "Overwritten from a file.")
}

func (m *importer) profile(ctx context.Context, item Item, f profileRecord) error {
	here, exists := m.local(f)
	if exists && here.row.Handle == f.Handle {
		m.homes[f.Handle] = &here.row.ID
	}
	if !m.choice.takes(item) {
		if !exists || here.row.Handle != f.Handle {
			m.refused[f.Handle] = struct{}{}
		}
		return nil
	}
	m.report.Profiles++
	m.report.Changed = append(m.report.Changed, f.Handle)
	switch {
	case !exists:
		return m.newProfile(ctx, f)
	case !here.row.Locked:
		if err := m.tx.DeleteProfile(ctx, here.row.ID); err != nil {
			return err
		}
		if f.Revoked {
			m.report.Revoked = append(m.report.Revoked, f.Handle)
		}
		return m.newProfile(ctx, f)
	}
	return m.overwriteProfile(ctx, f)
}

// newProfile loads a profile as the file has it, linked to the credentials that are here now.
func (m *importer) newProfile(ctx context.Context, f profileRecord) error {
	id, added, err := m.load.Add(ctx, store.ProfileRow{
		Lookup: m.ring.Lookup(secrets.Profiles, f.ID), SealedID: m.ring.Seal(secrets.Profiles, secrets.ProfileRow(f.Handle), []byte(f.ID)), Handle: f.Handle,
		Description: f.Description, PairingCode: f.PairingCode, CreatedBy: text(f.CreatedBy), CreatedFrom: f.CreatedFrom, ClaimedAt: f.ClaimedAt, LockedAt: f.LockedAt,
		Revoked: f.Revoked, RevokedAt: f.RevokedAt, ExpiresAt: f.ExpiresAt, Backend: f.Backend, MinTier: f.MinTier, Image: f.Image, Policy: f.Policy,
		Executions: f.Executions, LastUsedAt: f.LastUsedAt, CreatedAt: f.CreatedAt, UpdatedAt: f.UpdatedAt,
	})
	if err == nil && !added {
		err = contradiction("profile "+f.Handle, "is here already", nil)
	}
	if err != nil {
		return err
	}
	for i, k := range f.Keys {
		row := store.ProfileKeyRow{ProfileID: id, Name: k.Name, Position: i, Description: k.Description, Mode: string(k.Mode), Hosts: text(append([]app.Host{}, k.Hosts...)), CreatedAt: k.CreatedAt}
		if to, ok := m.ids[k.Credential]; ok {
			row.CredentialID = &to
		}
		if err := m.must(ctx, row); err != nil {
			return err
		}
	}
	for i, h := range f.Hosts {
		row := store.ProfileHostRow{ProfileID: id, Entry: h.Host.String(), Position: i, Host: text(h.Host), Allowed: h.Allowed, AskedBy: text(h.AskedBy), Execution: h.Execution, Line: h.Line, CreatedAt: h.CreatedAt}
		if err := m.must(ctx, row); err != nil {
			return err
		}
	}
	if f.Locked {
		if err := m.tx.LockLoaded(ctx, id); err != nil {
			return err
		}
	}
	m.homes[f.Handle] = &id
	return m.note(ctx, "profile.import", f.Handle, "Added from a file.")
}

// overwriteProfile gives a locked profile the file's name, end, revocation and policy; that becomes the version after the present one.
func (m *importer) overwriteProfile(ctx context.Context, f profileRecord) error {
	p, err := m.tx.ProfileByHandle(ctx, f.Handle)
	if err != nil {
		return err
	}
	policy := m.mapped(m.in.current(f))
	now, err := m.tx.Policy(ctx, p.Handle, p.Policy)
	if err != nil {
		return err
	}
	seen, revokedAt := p.UpdatedAt, time.Time{}
	p.Description, p.Placement = f.Description, policy.Placement
	p.ExpiresAt = time.Time{}
	if f.ExpiresAt > 0 {
		p.ExpiresAt = time.UnixMilli(f.ExpiresAt).UTC()
	}
	if f.Revoked {
		p.Revoked, revokedAt = true, m.now
		m.report.Revoked = append(m.report.Revoked, f.Handle)
	}
	if policy.Digest() != now.Digest() {
		p.Policy++
		policy.Version, policy.CreatedAt, policy.CreatedBy = p.Policy, m.now, m.by
		if err := m.tx.InsertPolicy(ctx, p.Handle, policy); err != nil {
			return err
		}
		if err := m.tx.DecideHosts(ctx, p.Row, policy.Hosts, nil, m.by, m.now); err != nil {
			return err
		}
	}
	if _, err := m.tx.UpdateProfile(ctx, p, revokedAt, seen, m.now); err != nil {
		return err
	}
	return m.note(ctx, "profile.import", f.Handle, "Overwritten from a file.")
}

// mapped is a policy with the ids that the credentials have here. A grant of a credential that is not in the file points nowhere.
func (m *importer) mapped(p app.Policy) app.Policy {
	keys := make([]app.Grant, len(p.Keys))
	for i, g := range p.Keys {
		keys[i] = g
		keys[i].CredentialID = m.credentialHere(g.CredentialID)
	}
	p.Keys = keys
	return p
}

// credentialHere is the id that a credential of the file has here. One that is not in the file, or was not taken, is nothing that is here.
func (m *importer) credentialHere(id string) string {
	if to, ok := m.ids[id]; ok {
		return to
	}
	if _, here := m.names[id]; here {
		return app.NewID()
	}
	return id
}

// policies loads the versions of profiles that were taken, that are here with the same version or that are gone everywhere. Versions never change, so one that is here counts.
func (m *importer) policies(ctx context.Context) error {
	for handle, versions := range m.in.policies {
		if _, ok := m.home(handle); !ok {
			continue
		}
		most := 0
		if here, ok := m.profiles[handle]; ok {
			if most = here.row.Policy; most == 0 { // it was not locked, and is replaced or stays as it is
				most = m.policyOf(handle)
			}
		}
		for _, v := range versions {
			if here := m.profiles[handle]; here.row.ID != 0 && v.Body.Version > most {
				break
			}
			body := m.mapped(v.Body)
			row := store.PolicyRow{ProfileHandle: handle, Version: body.Version, Body: text(body), Digest: body.Digest(), CreatedBy: text(v.CreatedBy), CreatedAt: v.CreatedAt}
			if _, _, err := m.load.Add(ctx, row); err != nil {
				return err
			}
		}
	}
	return nil
}

// policyOf is the policy version of a profile of the file that replaced an unlocked one here; 0 if it was not taken.
func (m *importer) policyOf(handle string) int {
	for i, f := range m.in.profiles {
		if f.Handle == handle && m.choice.takes(m.items[len(m.in.credentials)+i]) {
			return f.Policy
		}
	}
	return 0
}

// home says whether the history of a handle is taken, and to which row it belongs.
func (m *importer) home(handle string) (*int64, bool) {
	if row, ok := m.homes[handle]; ok {
		return row, true
	}
	if _, refused := m.refused[handle]; refused {
		return nil, false
	}
	_, here := m.profiles[handle] // under another id
	return nil, !here
}

// askedKeys keeps the keys of the file's hashes of questions, so that re-runs here find the answers that were given there.
func (m *importer) askedKeys(ctx context.Context) error {
	if !m.choice.History {
		return nil
	}
	own := m.ring.LookupKey(secrets.Scripts)
	for _, key := range m.in.open.AskedKeys {
		if string(key) == string(own) {
			continue
		}
		if err := access.KeepAskedKey(ctx, m.tx, m.ring, key, m.now); err != nil {
			return err
		}
	}
	return nil
}

// history takes one line behind the policies.
func (m *importer) history(ctx context.Context, r record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	switch r.kind() {
	case kindExecution, kindPart:
		if !m.choice.History {
			return nil
		}
		return m.execution(ctx, r)
	case kindStats:
		row, err := statsRow(*r.Stats)
		if err != nil {
			return err
		}
		if _, ok := m.home(row.ProfileHandle); !ok || !m.choice.History {
			return nil
		}
		_, _, err = m.load.Add(ctx, row)
		return err
	case kindPerson:
		return m.person(ctx, *r.Person)
	case kindEvent:
		return m.event(ctx, *r.Event)
	case kindArchived:
		return m.archived(ctx, *r.Archived)
	}
	return nil
}

func (m *importer) execution(ctx context.Context, r record) error {
	if r.Execution == nil && m.row == 0 {
		return nil
	}
	if r.Execution != nil {
		m.handle, m.row = r.Execution.Handle, 0
		m.progress.step()
	}
	row, err := historyRow(m.ring, m.handle, m.row, r)
	if err != nil {
		return err
	}
	x, begins := row.(store.ExecutionRow)
	if used, ok := row.(store.UsedValueRow); ok {
		used.CredentialID = m.credentialHere(used.CredentialID)
		row = used
	}
	if !begins {
		return m.must(ctx, row)
	}
	home, ok := m.home(x.ProfileHandle)
	if !ok {
		m.report.Skipped++
		return nil
	}
	x.ProfileID = home
	id, added, err := m.load.Add(ctx, x)
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

// person lets somebody log in here who could there: only into a new database, since who may enter an instance that is in use is not a file's to say.
func (m *importer) person(ctx context.Context, p store.PersonRow) error {
	if !m.fresh {
		return nil
	}
	if !handleShape.MatchString(p.ID) || app.CheckText("name", p.Name, maxShort) != nil || len(p.Password) > maxShort {
		return contradiction("a person", "is not possible", nil)
	}
	return m.must(ctx, p)
}

// event takes an event of the other instance's audit log: into a new database as it is, else beside this instance's own.
func (m *importer) event(ctx context.Context, e store.EventRow) error {
	if err := m.log.take(e); err != nil {
		return err
	}
	switch {
	case m.fresh:
		return m.must(ctx, e)
	case m.own, !m.choice.History:
		return nil
	}
	_, err := m.load.Archive(ctx, m.in.open.Instance, e)
	return err
}

// archived takes an event of an audit log that the other instance keeps beside its own. What it keeps of this instance's is here already.
func (m *importer) archived(ctx context.Context, a archivedRecord) error {
	if a.Source != m.source {
		if a.Source <= m.source || !labelShape.MatchString(a.Source) {
			return contradiction("the archived audit log", "is out of order", nil)
		}
		m.source, m.archive = a.Source, chain{}
	}
	if err := m.archive.take(a.EventRow); err != nil {
		return err
	}
	if !m.choice.History || !m.fresh && a.Source == m.instance {
		return nil
	}
	_, err := m.load.Archive(ctx, a.Source, a.EventRow)
	return err
}

// must adds a row that can't be there yet.
func (m *importer) must(ctx context.Context, row any) error {
	_, added, err := m.load.Add(ctx, row)
	if err == nil && !added {
		err = contradiction(fmt.Sprintf("a %T", row), "is there twice", nil)
	}
	return err
}

// note audits what was written, unless the audit log itself is.
func (m *importer) note(ctx context.Context, action, subject, detail string) error {
	if m.fresh {
		return nil
	}
	return m.tx.Audit(ctx, app.Event{At: m.now, Actor: m.by, Action: action, Subject: subject, Detail: detail})
}
